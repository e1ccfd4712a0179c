import { readFileSync } from 'node:fs';
import { urlProblem } from '../config/url-problem';
import { PortolanError } from '../model/errors/errors';

/** Where spans are sent; the exporter reads the address and its headers from OpenTelemetry's variables. */
export interface SpanReceiver {
  /** For people: without path and query, which may contain a key. */
  readonly host: string;
  /** PEM of its certificate authority. @default the usual ones */
  readonly ca?: string;
}

const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
const headerVariables = ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'];
const protocolVariables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
const authorityVariables = ['OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CERTIFICATE'];

/**
 * Where spans are sent, by OpenTelemetry's variables; undefined if none is set, or one turns tracing off. Throws
 * `CONFIG_INVALID` if a variable is invalid, or if a key would be sent unencrypted.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function spanReceiver(env: NodeJS.ProcessEnv = process.env): SpanReceiver | undefined {
  if (isSwitchedOff(env)) return undefined;
  const name = setIn(endpointVariables, env);
  if (name === undefined) return undefined;
  const endpoint = env[name]?.trim() ?? '';
  const rules = { form: 'http://HOST:4318', credentials: 'put keys into the headers', mayHoldQuery: true };
  const problem = urlProblem(endpoint, rules);
  if (problem !== undefined) throw invalid(`${name} ${problem}.`);
  const headers = setIn(headerVariables, env);
  const unencrypted = 'would be sent unencrypted; use https for the endpoint';
  if (headers !== undefined && urlProblem(endpoint, { ...rules, unencrypted }) !== undefined)
    throw invalid(`${headers} ${unencrypted}.`);
  return { host: new URL(endpoint).host, ...howIn(endpoint, env) };
}

/** Whether a variable turns tracing off. */
const isSwitchedOff = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' ||
  !['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim().toLowerCase() ?? '');

/** The first of these variables that is set. */
const setIn = (names: readonly string[], env: NodeJS.ProcessEnv): string | undefined =>
  names.find((name) => env[name]?.trim());

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
