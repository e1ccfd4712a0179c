import type { MetricMeter } from '@temporalio/common';
import type { Logger } from 'pino';
import { completeRunIndex } from '../../domain/run/run-index';
import type { ActivityDeps } from '../deps';
import { RouteMetrics } from './route-metrics';

/**
 * Completes the run index, and records the metrics of all routes until the worker has ended. Neither is part of a run,
 * because both read the whole store.
 */
export async function keepUp(
  { config, store, snapshots }: Pick<ActivityDeps, 'config' | 'store' | 'snapshots'>,
  meter: MetricMeter,
  logger: Pick<Logger, 'warn'>,
  ended: AbortSignal,
): Promise<void> {
  const warn = (what: string) => (err: unknown) => logger.warn({ err }, what);
  if (config.metrics) {
    const metrics = new RouteMetrics(meter, config.routes.values());
    const stop = metrics.keepUp(snapshots, warn('cannot read the route metrics'));
    ended.addEventListener('abort', stop);
  }
  await completeRunIndex(store, () => ended.aborted).catch(
    warn('cannot complete the index of runs; the next worker start tries again'),
  );
}
