import { readFileSync } from 'node:fs';
import type { TracingConfig } from '../config/config';
import { telemetryHeadersProblem, telemetryUrlProblem } from '../config/portal-url';
import { PortolanError } from '../model/errors/errors';

/** Where spans go. */
export interface SpanReceiver {
  /** For people: without path and query, where some services have a key. */
  readonly host: string;
  /** @default by the variables, as the exporter reads them, and with their headers */
  readonly url?: string;
  /** PEM text of whom it has its certificate from. @default one of the usual authorities */
  readonly ca?: string;
}

const TRACES_PATH = '/v1/traces';

const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
/** What they hold goes along to the address of the variables, and to no other. */
export const headerVariables = ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'];
const protocolVariables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
const authorityVariables = ['OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CERTIFICATE'];

/**
 * To whom spans are sent: by `tracing` of portolan.yaml, else by the variables of OpenTelemetry; undefined where neither
 * names anybody, or a variable says that nothing is to be sent. Throws `CONFIG_INVALID` where a variable says what
 * cannot be, and where a key would be sent in clear.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function spanReceiver(
  config: Pick<TracingConfig, 'endpoint' | 'headers'> | undefined,
  env: NodeJS.ProcessEnv = process.env,
): SpanReceiver | undefined {
  if (isSwitchedOff(env)) return undefined;
  if (config) {
    requireSealed(config.endpoint, config.headers && 'tracing.headers');
    const url = `${config.endpoint}${TRACES_PATH}`;
    return { host: new URL(url).host, url, ...howIn(url, env) };
  }
  const name = setIn(endpointVariables, env);
  if (name === undefined) return undefined;
  const named = env[name]?.trim() ?? '';
  const problem = telemetryUrlProblem(named);
  if (problem !== undefined) throw invalid(`${name} ${problem}.`);
  requireSealed(named, setIn(headerVariables, env));
  return { host: new URL(named).host, ...howIn(named, env) };
}

/** Whether a variable says that nothing is to be sent. */
const isSwitchedOff = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' ||
  !['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim().toLowerCase() ?? '');

/** The first of these variables that says anything. */
const setIn = (names: readonly string[], env: NodeJS.ProcessEnv): string | undefined =>
  names.find((name) => env[name]?.trim());

/** @param shown what the headers are of; undefined where there are none */
function requireSealed(endpoint: string, shown: string | undefined): void {
  const problem = shown && telemetryHeadersProblem(endpoint);
  if (problem) throw invalid(`${shown} ${problem}.`);
}

function howIn(url: string, env: NodeJS.ProcessEnv): Pick<SpanReceiver, 'ca'> {
  const protocol = setIn(protocolVariables, env);
  if (protocol !== undefined && env[protocol]?.trim() !== 'http/protobuf')
    throw invalid(
      `${protocol} asks for a protocol that spans are not sent by: write http/protobuf, and the port for it, mostly 4318.`,
    );
  const authority = new URL(url).protocol === 'https:' ? setIn(authorityVariables, env) : undefined;
  return authority === undefined ? {} : { ca: textOf(authority, env) };
}

/** What is in the file that a variable names: the exporter does not look for it. */
function textOf(name: string, env: NodeJS.ProcessEnv): string {
  try {
    return readFileSync(env[name]?.trim() ?? '', 'utf8');
  } catch (thrown) {
    const { code = 'no file' } = thrown as NodeJS.ErrnoException;
    throw invalid(`${name} names a file that cannot be read (${code}).`);
  }
}

const invalid = (words: string): PortolanError => new PortolanError('CONFIG_INVALID', words);
