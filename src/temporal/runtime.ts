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

/** Without a server, forty pollers log each retry; one line per half minute is enough. */
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
 * Lets the heap grow to four times its live size before a full collection, V8's maximum. Otherwise V8 collects every
 * 20 MB of a transfer, which costs more than the transfer.
 */
export function setHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=300');
}

let installed = false;

/**
 * Installs the SDK's runtime with our logger and no signal handlers, since workers stop before a local server. Later
 * calls only change the logger.
 *
 * @param metricsAddress `HOST:PORT` that serves Prometheus metrics at `/metrics`. @default none
 * @returns the meter for our own metrics
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
