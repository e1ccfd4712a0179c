import type { TracingConfig } from '../config/config';
import { telemetryUrlProblem } from '../config/portal-url';
import { PortolanError } from '../model/errors/errors';

/** Where spans go, and in which form. */
export interface SpanReceiver {
  /** For people: without path and query, where some services have a key. */
  readonly host: string;
  /** @default by the variables, as the exporter reads them */
  readonly url?: string;
  readonly form: 'protobuf' | 'json';
}

const TRACES_PATH = '/v1/traces';

const forms: Readonly<Record<string, SpanReceiver['form']>> = {
  'http/protobuf': 'protobuf',
  'http/json': 'json',
};

/**
 * To whom spans are sent: by `tracing` of portolan.yaml, else by the variables of OpenTelemetry; undefined where neither
 * names anybody, or a variable says that nothing is to be sent. Throws `CONFIG_INVALID` where a variable says what
 * cannot be.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function spanReceiver(
  config: Pick<TracingConfig, 'endpoint'> | undefined,
  env: NodeJS.ProcessEnv = process.env,
): SpanReceiver | undefined {
  if (isSwitchedOff(env)) return undefined;
  if (config) {
    const url = `${config.endpoint}${TRACES_PATH}`;
    return { host: new URL(url).host, url, form: formIn(env) };
  }
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    const named = env[name]?.trim();
    if (!named) continue;
    const problem = telemetryUrlProblem(named);
    if (problem !== undefined) throw new PortolanError('CONFIG_INVALID', `${name} ${problem}.`);
    return { host: new URL(named).host, form: formIn(env) };
  }
  return undefined;
}

/** Whether a variable says that nothing is to be sent. */
const isSwitchedOff = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' ||
  !['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim().toLowerCase() ?? '');

function formIn(env: NodeJS.ProcessEnv): SpanReceiver['form'] {
  const name = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find(
    (each) => env[each],
  );
  const said = name === undefined ? 'http/protobuf' : (env[name] ?? '').trim();
  const form = forms[said];
  if (form) return form;
  throw new PortolanError(
    'CONFIG_INVALID',
    `${name ?? ''} asks for a protocol that spans are not sent by: write http/protobuf or http/json, and the port for it, mostly 4318.`,
  );
}
