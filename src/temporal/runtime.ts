import { setFlagsFromString } from 'node:v8';
import type { LogLevel, MetricMeter } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type pino from 'pino';

const pinoMethods = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, keyof pino.BaseLogger>;

/** While the server is away each of forty pollers says so at every try; one line in half a minute is enough. */
const RETRY_NOTICE_MS = 30_000;
const RETRY_TARGET = 'temporalio_client::retry';

let target: pino.BaseLogger | undefined;
let lastRetryNotice = 0;

const logger = new DefaultLogger('TRACE', ({ level, message, meta }) => {
  if (meta?.['target'] === RETRY_TARGET) {
    if (Date.now() - lastRetryNotice < RETRY_NOTICE_MS) return;
    lastRetryNotice = Date.now();
  }
  target?.[pinoMethods[level]](meta ?? {}, message);
});

/**
 * Lets the heap of this process grow to four times what lives in it before it is looked through as a whole, which is the
 * most that V8 would choose by itself. A worker's heap is small and a package's bytes count against it as they come by:
 * V8 would else look through all of it for every 20 MB of them, which costs more than the transfer.
 */
export function setHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=300');
}

let installed = false;

/**
 * Installs the SDK's runtime with our logger, and without its own signal handlers: on a signal the workers have
 * to end before a server of ours does, so whoever started both stops both. It can be installed once per process
 * and before its first use only; a later call just changes the logger.
 *
 * @param metricsAddress `HOST:PORT` on which metrics are told in Prometheus' form, at `/metrics`. @default nowhere
 * @returns where metrics of our own are put
 */
export function installRuntime(pinoLogger?: pino.BaseLogger, metricsAddress?: string): MetricMeter {
  target = pinoLogger ?? target;
  if (installed) return Runtime.instance().metricMeter;
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsAddress && { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  });
  installed = true;
  return Runtime.instance().metricMeter;
}
