import { z } from 'zod';
import type { RouteState } from '../../domain/snapshot/retention/route-state';
import { type DueRoute, isOverdue, readDueRoutes } from '../../service/metrics/due-routes';
import { readEndedRuns } from '../../service/metrics/ended-runs';
import { LastSuccesses, nameOf } from '../../service/metrics/last-successes';
import { goodAt, type LastTime, lastTimes, provenAt } from '../../service/metrics/last-times';
import { readOpenFigures, readWorkers } from '../../service/metrics/open-figures';
import { figuresOf } from '../../service/metrics/run-figures';
import { readReceivers, readRouteStates, readStageFigures } from '../../service/metrics/stored-figures';
import { keys } from '../../store/keys';
import type { Sources } from '../sources';
import type { Gauges } from './gauges';
import { memo } from './memo';
import { looks } from './metric-table';

/** Period over which ended runs are counted. @format milliseconds */
const LATELY_MS = 24 * 3_600_000;
/** Many open runs, or the first read of many routes, take a while; scrapes do not wait for it. @format milliseconds */
const READ_WITHIN_MS = 60_000;

/** Reads the values of the metrics, each look at its own interval and shared by all scrapes. */
export class Looks {
  private readonly successes = new LastSuccesses();
  /** Absent until the snapshots were read for the first time. */
  private states: readonly RouteState[] | undefined;
  private due: readonly DueRoute[] = [];
  private readonly routes: () => Promise<void>;
  private readonly schedules: () => Promise<void>;
  private readonly all: readonly (() => Promise<void>)[];

  constructor(
    private readonly sources: Sources,
    private readonly gauges: Gauges,
  ) {
    this.routes = memo(looks.stored, () => this.tellRoutes());
    this.schedules = memo(looks.stored, async () => {
      this.due = await sources.both(readDueRoutes, READ_WITHIN_MS);
    });
    this.all = [
      memo(looks.open, () => this.tellOpen()),
      memo(looks.up, () => this.tellTemporal()),
      memo(looks.up, () => this.tellStore()),
      memo(looks.receivers, () => this.tellReceivers()),
      this.routes,
      memo(looks.stored, () => this.tellStages()),
      memo(looks.ended, () => this.tellSuccesses()),
      memo(looks.ended, () => this.tellEnded()),
    ];
  }

  /** Reads again what is no longer fresh. What cannot be read becomes absent and is read again at the next scrape. */
  async look(): Promise<void> {
    await Promise.allSettled(this.all.map((look) => look()));
  }

  private async tellTemporal(): Promise<void> {
    const { gauges, sources } = this;
    try {
      const workers = await sources.both(readWorkers);
      gauges.tell('temporal_up', { value: 1 });
      gauges.tell('workers', { value: workers });
    } catch (thrown) {
      gauges.tell('temporal_up', { value: 0 });
      gauges.tell('workers');
      throw thrown;
    }
  }

  private async tellOpen(): Promise<void> {
    const { gauges } = this;
    try {
      const { open, held, failing, queues } = await this.sources.both(readOpenFigures, READ_WITHIN_MS);
      gauges.tell('open_runs', ...open.map(({ state: status, runs: value }) => ({ status, value })));
      gauges.tell(
        'open_run_oldest_start_timestamp_seconds',
        ...open.map(({ state: status, oldest }) => ({ status, value: seconds(oldest) })),
      );
      gauges.tell(
        'held_runs',
        ...held.flatMap(({ state: status, ages }) =>
          ages.map(({ age, runs: value }) => ({ status, age, value })),
        ),
      );
      gauges.tell(
        'held_run_oldest_since_timestamp_seconds',
        ...held.map(({ state: status, oldest }) => ({ status, value: seconds(oldest) })),
      );
      gauges.tell('failing_runs', { value: failing });
      const ofQueues = queues.map(({ portal, direction, ...queue }) => ({
        labels: { portal, direction },
        queue,
      }));
      const setQueues = (
        name: `queue_${'slots' | 'holders' | 'waiting'}`,
        of: (queue: OfQueue) => number,
      ): void => gauges.tell(name, ...ofQueues.map(({ labels, queue }) => ({ ...labels, value: of(queue) })));
      setQueues('queue_slots', ({ slots }) => slots);
      setQueues('queue_holders', ({ holders }) => holders.length);
      setQueues('queue_waiting', ({ waiting }) => waiting.length);
      gauges.tell(
        'queue_oldest_holder_timestamp_seconds',
        ...ofQueues.map(({ labels, queue: { holders } }) => {
          const since = holders.map((holder) => Date.parse(holder.since));
          return { ...labels, value: since.length === 0 ? 0 : seconds(Math.min(...since)) };
        }),
      );
    } catch (thrown) {
      // Values from before Temporal became unreachable must neither raise nor silence an alert.
      gauges.forget('open');
      throw thrown;
    }
  }

  private async tellStore(): Promise<void> {
    const { store } = this.sources;
    const up = await store.readJson(keys.storeId, z.unknown()).then(
      () => 1,
      () => 0,
    );
    this.gauges.tell('store_up', { value: up });
  }

  private async tellReceivers(): Promise<void> {
    const told = await readReceivers(this.sources);
    this.gauges.tell(
      'notifications_undelivered',
      ...told.map(({ receiver, open }) => ({ receiver, value: open })),
    );
    this.gauges.tell(
      'notification_last_failed',
      ...told.map(({ receiver, lastFailed }) => ({ receiver, value: Number(lastFailed) })),
    );
  }

  private async tellRoutes(): Promise<void> {
    const { gauges } = this;
    this.states = await readRouteStates(this.sources);
    const each = (this.states ?? []).map(({ route, ...state }) => ({ labels: { route }, state }));
    gauges.tell(
      'last_good_snapshot_timestamp_seconds',
      ...each.map(({ labels, state }) => ({ ...labels, value: seconds(goodAt(state)) })),
    );
    gauges.tell(
      'last_proven_timestamp_seconds',
      ...each.map(({ labels, state }) => ({ ...labels, value: seconds(provenAt(state)) })),
    );
    gauges.tell(
      'backup_overdue',
      ...each.map(({ labels, state }) => ({ ...labels, value: Number(state.overdue) })),
    );
    gauges.tell(
      'backup_max_age_seconds',
      ...each.flatMap(({ labels, state: { maxAgeMs } }) =>
        maxAgeMs === undefined ? [] : [{ ...labels, value: maxAgeMs / 1_000 }],
      ),
    );
  }

  private async tellStages(): Promise<void> {
    const told = await readStageFigures(this.sources);
    this.gauges.tell(
      'stage_last_verified_timestamp_seconds',
      ...told.map(({ pipeline, stage, lastVerified }) => ({ pipeline, stage, value: seconds(lastVerified) })),
    );
    this.gauges.tell(
      'stage_verified',
      ...told.flatMap(({ pipeline, stage, verified }) =>
        verified === undefined ? [] : [{ pipeline, stage, value: Number(verified) }],
      ),
    );
  }

  private async tellSuccesses(): Promise<void> {
    const { sources } = this;
    // Snapshots may know of successes beyond Temporal's retention.
    await this.routes().catch(() => undefined);
    try {
      await this.schedules();
      await sources.both((both) => this.successes.read(both), READ_WITHIN_MS);
    } catch (thrown) {
      this.tellLast(false);
      this.gauges.tell('schedule_overdue');
      throw thrown;
    }
    this.tellOverdue(this.tellLast(this.states !== undefined));
  }

  /** Absent until the snapshots were read: only they may know of a success. */
  private tellOverdue(times: readonly LastTime[]): void {
    const { due, gauges, states } = this;
    gauges.tell(
      'schedule_overdue',
      ...(states === undefined ? [] : due).map((each) => {
        const { route, kind } = each;
        const last = times.find((time) => nameOf(time) === nameOf(each));
        return { route, kind, value: Number(isOverdue(each, last?.at)) };
      }),
    );
  }

  /** @param isAll whether an unknown success means there was none @returns when each was */
  private tellLast(isAll: boolean): LastTime[] {
    const { gauges, sources, successes, states = [] } = this;
    const known = successes.all;
    const times = lastTimes(sources.config, known, states);
    const told = known.map((success) => ({
      labels: { route: success.route, kind: success.kind },
      figures: success.record && figuresOf(success.record),
    }));
    gauges.tell(
      'last_success_timestamp_seconds',
      ...times.flatMap(({ route, kind, at }) =>
        isAll || at !== undefined ? [{ route, kind, value: seconds(at) }] : [],
      ),
    );
    gauges.tell(
      'last_success_duration_seconds',
      ...told.flatMap(({ labels, figures }) =>
        figures?.seconds === undefined ? [] : [{ ...labels, value: figures.seconds }],
      ),
    );
    gauges.tell(
      'last_success_phase_duration_seconds',
      ...told.flatMap(({ labels, figures }) =>
        (figures?.phases ?? []).map(({ phase, seconds: value }) => ({ ...labels, phase, value })),
      ),
    );
    gauges.tell(
      'last_success_items',
      ...told.flatMap(({ labels, figures }) =>
        (figures?.items ?? []).map(({ list, items: value }) => ({ ...labels, list, value })),
      ),
    );
    gauges.tell(
      'last_success_bytes',
      ...told.flatMap(({ labels, figures }) =>
        figures?.bytes === undefined ? [] : [{ ...labels, value: figures.bytes }],
      ),
    );
    return times;
  }

  private async tellEnded(): Promise<void> {
    const since = Date.now() - LATELY_MS;
    try {
      const ended = await this.sources.both((both) => readEndedRuns(both, since), READ_WITHIN_MS);
      this.gauges.tell(
        'ended_runs',
        ...ended.map(({ kind, outcome, runs: value }) => ({ kind, outcome, value })),
      );
    } catch (thrown) {
      this.gauges.tell('ended_runs');
      throw thrown;
    }
  }
}

type OfQueue = Pick<
  Awaited<ReturnType<typeof readOpenFigures>>['queues'][number],
  'slots' | 'holders' | 'waiting'
>;

const seconds = (time: number | undefined): number => (time === undefined ? 0 : time / 1_000);
