import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { listSnapshots } from '../domain/snapshot/list-snapshots';
import { openSnapshots } from '../domain/snapshot/open-snapshots';
import { routeStates } from '../domain/snapshot/retention/route-state';
import { readStatus } from '../service/status/read-status';
import type { Sources } from './sources';

/** What is told is as old as this at most, however many ask. @format milliseconds */
const FRESH_MS = 10_000;
/** Reading every snapshot of a bucket costs a request each; alarms are about hours. @format milliseconds */
const SNAPSHOTS_FRESH_MS = 5 * 60_000;

/**
 * `/metrics` in Prometheus' form: how things stand, read anew from Temporal and the store, so that it is true after any
 * restart and from any number of servers; and how this process answers. Needs the right to look.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metrics(sources: Sources): {
  /** Notes how a request was answered. */
  readonly observe: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly answer: FastifyPluginAsync;
} {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const answered = new Histogram({
    name: 'portolan_http_request_duration_seconds',
    help: 'how long requests took, by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const observe = ({ method, routeOptions: { url = 'none' } }: FastifyRequest, reply: FastifyReply) =>
    answered.observe({ method, route: url, status: String(reply.statusCode) }, reply.elapsedTime / 1_000);

  const { config, store } = sources;
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> =>
    new Gauge({ name: `portolan_${name}`, help, labelNames, registers: [registry] });
  const temporalUp = gauge('temporal_up', '1 where Temporal answers');
  const storeUp = gauge('store_up', '1 where the store answers');
  const workers = gauge('workers', 'workers that take work');
  const runs = gauge('open_runs', 'runs that are not over, by what they do', 'status');
  const oldest = gauge(
    'open_run_oldest_start_timestamp_seconds',
    'since when the oldest of them is open; 0 where there is none',
    'status',
  );
  const good = gauge(
    'last_good_snapshot_timestamp_seconds',
    'last good snapshot of a route, or when it was last seen to hold still; 0 is never',
    'route',
  );
  const proven = gauge(
    'last_proven_timestamp_seconds',
    'last snapshot of a route proven restorable; 0 is never',
    'route',
  );
  const overdue = gauge('backup_overdue', '1 where the last good snapshot is older than it may be', 'route');

  const tellRuns = memo(FRESH_MS, async () => {
    const status = await sources.readable(readStatus);
    temporalUp.set(status.temporal.answers ? 1 : 0);
    workers.set(status.workers.length);
    for (const name of ['running', 'waiting', 'parked'] as const) {
      const rows = status[name];
      runs.set({ status: name }, rows.length);
      const since = Math.min(...rows.map(({ startedAt }) => secondsOf(startedAt)));
      oldest.set({ status: name }, rows.length === 0 ? 0 : since);
    }
  });
  const tellRoutes = memo(SNAPSHOTS_FRESH_MS, async () => {
    const now = Date.now();
    const { readable } = await listSnapshots(openSnapshots(config, store), now);
    const maxAges = new Map([...config.routes].map(([name, { backup }]) => [name, backup.maxAgeMs]));
    for (const each of [good, proven, overdue]) each.reset();
    for (const { route, lastGood, lastProven, ...state } of routeStates(readable, maxAges, now)) {
      good.set({ route }, secondsOf(lastGood?.confirmedAt ?? lastGood?.takenAt));
      proven.set({ route }, secondsOf(lastProven?.proof.at));
      overdue.set({ route }, state.overdue ? 1 : 0);
    }
  });

  const answer: FastifyPluginAsync = async (app) => {
    app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
      // What cannot be read is told as that: an alarm is not to fall silent with what it watches.
      const [, stored] = await Promise.allSettled([tellRuns(), tellRoutes()]);
      storeUp.set(stored.status === 'fulfilled' ? 1 : 0);
      return await reply.type(registry.contentType).send(await registry.metrics());
    });
  };
  return { observe, answer };
}

const secondsOf = (time: string | undefined): number => (time === undefined ? 0 : Date.parse(time) / 1_000);

/** Does the work once in a while for all who ask; what failed is done again for the next. */
function memo(freshMs: number, work: () => Promise<void>): () => Promise<void> {
  let last: { readonly at: number; readonly done: Promise<void> } | undefined;
  return async () => {
    if (last === undefined || Date.now() - last.at > freshMs) last = { at: Date.now(), done: work() };
    const { done } = last;
    await done.catch((thrown: unknown) => {
      last = undefined;
      throw thrown;
    });
  };
}
