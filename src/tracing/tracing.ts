import { readFileSync } from 'node:fs';
import { PortolanError } from '../model/errors/errors';
import { parseTraceparent } from '../model/trace/trace-context';
import type { Tracing } from './otel-tracing';
import { urlProblem } from '../config/url-problem';
import type { SpanReceiver } from './span-exporter';

let current: Tracing | undefined;

/** The tracing of this process; undefined if no spans are sent. */
export const tracing = (): Tracing | undefined => current;

/**
 * Starts sending spans, if a receiver is configured. Loads OpenTelemetry only then. Invalid settings are reported, but
 * stop nothing.
 * @param say called with a sentence when sending fails, and when it works again
 */
export async function startTracing(say: (words: string) => void): Promise<void> {
  if (current) return;
  try {
    const receiver = spanReceiver();
    if (!receiver) return;
    const sender = await import('./otel-tracing.js');
    current ??= new sender.Tracing(receiver, say);
  } catch (thrown) {
    say(`tracing is off: ${PortolanError.from(thrown).plainMessage}`);
  }
}

/** Sends remaining spans within a time limit, and makes no more. */
export async function stopTracing(): Promise<void> {
  const stopped = current;
  current = undefined;
  await stopped?.stop();
}

/** Trace headers for a request to `portolan serve`; without tracing, passes on those of the caller. */
export function outgoingTrace(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  if (current) return current.outgoing();
  const { TRACEPARENT: traceparent } = env;
  return parseTraceparent(traceparent) && traceparent ? { traceparent } : {};
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
