import { openSnapshots } from '../../domain/snapshot/snapshots';
import { statesOfRoutes } from '../../domain/snapshot/retention/route-state';
import { groupStates, readRules } from '../../domain/protect/rule-state';
import { lastCoverage } from '../../domain/protect/coverage';
import { type CoverageState, coverageStates } from '../../model/snapshot/coverage';
import { keys } from '../../store/keys';
import { deliveryNote } from '../../model/run/notification';
import { readNote, type StoredSources } from '../run/run-sources';

/** Backup state of a route. Times are milliseconds since the epoch, 0 if never. */
export interface RouteFigures {
  readonly route: string;
  /** When its last good snapshot was taken or confirmed. */
  readonly goodAt: number;
  /** When a snapshot was last proven restorable; absent for a rule, which has no drills. */
  readonly provenAt?: number;
  readonly overdue: boolean;
  readonly maxAgeMs?: number;
}

/** Configured routes that have snapshots, a maximum age or drills; and rules, by their worst group. */
export async function readRoutes({ config, store }: StoredSources): Promise<RouteFigures[]> {
  const now = Date.now();
  const found = await statesOfRoutes(config, openSnapshots(config, store), now);
  const states = new Map(found.map((state) => [state.route, state]));
  const rules = (await readRules(config, store)).map((noted): RouteFigures => {
    const groups = [...groupStates(noted, now).values()];
    const { maxAgeMs } = noted.rule.backup;
    const times = groups.map(({ goodAt }) => (goodAt === undefined ? 0 : Date.parse(goodAt)));
    return {
      route: noted.rule.route,
      goodAt: times.length === 0 ? 0 : Math.min(...times),
      overdue: groups.some((state) => state.overdue) || (!noted.known && maxAgeMs !== undefined),
      maxAgeMs,
    };
  });
  const routes = [...config.routes].flatMap(([route, { backup }]) => {
    const state = states.get(route);
    if (!state && !backup.drill) return [];
    const { lastGood, lastProven, overdue = false } = state ?? {};
    const goodAt = lastGood ? Date.parse(lastGood.confirmedAt ?? lastGood.takenAt) : 0;
    const provenAt = lastProven ? Date.parse(lastProven.proof.at) : 0;
    return [{ route, goodAt, provenAt, overdue, maxAgeMs: backup.maxAgeMs }];
  });
  return [...routes, ...rules];
}

/** State of a stage. */
export interface StageFigures {
  readonly pipeline: string;
  readonly stage: string;
  /** When a release was last verified there; absent if never. @format milliseconds since the epoch */
  readonly lastVerified?: number;
  /** Whether the current release is verified; absent if there is none. */
  readonly verified?: boolean;
}

/** Throws RELEASE_ALTERED: the state of a stage is never guessed. */
export async function readStageFigures({ config, store }: StoredSources): Promise<StageFigures[]> {
  const { promotions } = openSnapshots(config, store).releases;
  const each = [...config.pipelines.values()].map(async (pipeline) => {
    const [standings, entries] = await Promise.all([
      promotions.standings(pipeline),
      promotions.entries(pipeline.name),
    ]);
    return pipeline.stages.map(({ name: stage, after }): StageFigures => {
      const standing = standings.get(stage)?.at(-1);
      const last = entries.findLast((entry) => entry.stage === stage && entry.status === 'verified');
      return {
        pipeline: pipeline.name,
        stage,
        lastVerified: after === undefined ? standing?.verifiedAt : last && Date.parse(last.at),
        verified: standing && standing.verifiedAt !== undefined,
      };
    });
  });
  return (await Promise.all(each)).flat();
}

/** Results of messages to a receiver. */
export interface ReceiverFigures {
  readonly receiver: string;
  /** Pending messages. */
  readonly open: number;
  /** Whether Portolan gave up on the last one, or its state file was altered. */
  readonly lastFailed: boolean;
}

/** Pending messages are counted by name, without reading them. */
export const readReceivers = ({ config, store }: StoredSources): Promise<ReceiverFigures[]> =>
  Promise.all(
    config.notify.map(async ({ name: receiver }) => {
      const open = await store.names(keys.openDeliveries(receiver));
      const { value: last, why } = await readNote(store, keys.lastDelivery(receiver), deliveryNote);
      return { receiver, open: open.length, lastFailed: why !== undefined || last?.status === 'failed' };
    }),
  );

/** Items of a portal in a state, when it was last counted. */
export interface CoverageFigures {
  readonly portal: string;
  readonly state: CoverageState;
  readonly items: number;
}

/** Portals that were never counted are absent. */
export async function readCoverageFigures({ config, store }: StoredSources): Promise<CoverageFigures[]> {
  const views = await lastCoverage(config, store);
  return views.flatMap(({ portal, last }) =>
    last ? coverageStates.map((state) => ({ portal, state, items: last.totals[state] })) : [],
  );
}
