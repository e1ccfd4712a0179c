import { openSnapshots } from '../../domain/snapshot/snapshots';
import { listSnapshots } from '../../domain/snapshot/list-snapshots';
import { maxAgesOf, type RouteState, routeStates } from '../../domain/snapshot/retention/route-state';
import { keys } from '../../store/keys';
import { deliveryNote } from '../../model/run/notification';
import { readNote, type StoredSources } from '../run/run-sources';

/** Backup state of configured routes: those with snapshots, a maximum age or drills. */
export async function readRouteStates({ config, store }: StoredSources): Promise<RouteState[]> {
  const now = Date.now();
  const { readable } = await listSnapshots(openSnapshots(config, store), now);
  const states = routeStates(readable, maxAgesOf(config), now).filter(({ route }) =>
    config.routes.has(route),
  );
  const known = new Set(states.map(({ route }) => route));
  const drilled = [...config.routes].filter(([name, { backup }]) => backup.drill && !known.has(name));
  return [...states, ...drilled.map(([route]): RouteState => ({ route, good: 0, overdue: false }))];
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
