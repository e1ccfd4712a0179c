import { readFileSync } from 'node:fs';
import type { TracingConfig } from '../config/config';
import { telemetryHeadersProblem, telemetryUrlProblem } from '../config/portal-url';
import { PortolanError } from '../model/errors/errors';

/** Where spans are sent. */
export interface SpanReceiver {
  /** For people: without path and query, which may contain a key. */
  readonly host: string;
  /** @default from the variables, as the exporter reads them, with their headers */
  readonly url?: string;
  /** PEM of its certificate authority. @default the usual ones */
  readonly ca?: string;
}

const TRACES_PATH = '/v1/traces';

const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
/** Their headers are sent only to the URL of the variables. */
export const headerVariables = ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'];
const protocolVariables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
const authorityVariables = ['OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CERTIFICATE'];

/**
 * Where spans are sent: by `tracing` in portolan.yaml, otherwise by OpenTelemetry's variables. Undefined if neither is
 * set, or a variable turns tracing off. Throws `CONFIG_INVALID` if a variable is invalid, or if a key would be sent
 * unencrypted.
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

/** Whether a variable turns tracing off. */
const isSwitchedOff = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' ||
  !['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim().toLowerCase() ?? '');

/** The first of these variables that is set. */
const setIn = (names: readonly string[], env: NodeJS.ProcessEnv): string | undefined =>
  names.find((name) => env[name]?.trim());

/** @param shown where the headers come from; undefined without headers */
function requireSealed(endpoint: string, shown: string | undefined): void {
  const problem = shown && telemetryHeadersProblem(endpoint);
  if (problem) throw invalid(`${shown} ${problem}.`);
}

function howIn(url: string, env: NodeJS.ProcessEnv): Pick<SpanReceiver, 'ca'> {
  const protocol = setIn(protocolVariables, env);
  if (protocol !== undefined && env[protocol]?.trim() !== 'http/protobuf')
    throw invalid(`${protocol} names an unsupported protocol: use http/protobuf and its port, usually 4318.`);
  const authority = new URL(url).protocol === 'https:' ? setIn(authorityVariables, env) : undefined;
  return authority === undefined ? {} : { ca: textOf(authority, env) };
}

/** Reads the file a variable names, which the exporter does not. */
function textOf(name: string, env: NodeJS.ProcessEnv): string {
  try {
    return readFileSync(env[name]?.trim() ?? '', 'utf8');
  } catch (thrown) {
    const { code = 'no file' } = thrown as NodeJS.ErrnoException;
    throw invalid(`${name} names a file that cannot be read (${code}).`);
  }
}

const invalid = (words: string): PortolanError => new PortolanError('CONFIG_INVALID', words);
