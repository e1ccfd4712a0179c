import { openSnapshots } from '../../domain/snapshot/open-snapshots';
import { listSnapshots } from '../../domain/snapshot/list-snapshots';
import { maxAgesOf, type RouteState, routeStates } from '../../domain/snapshot/retention/route-state';
import { keys } from '../../store/keys';
import { deliveryNote } from '../../model/hook/delivery';
import { readNote, type StoredSources } from '../run/run-sources';

/** How well each route of the configuration is backed up: those that have snapshots, and those that ought to. */
export async function readRouteStates({ config, store }: StoredSources): Promise<RouteState[]> {
  const now = Date.now();
  const { readable } = await listSnapshots(openSnapshots(config, store), now);
  const states = routeStates(readable, maxAgesOf(config), now).filter(({ route }) =>
    config.routes.has(route),
  );
  const told = new Set(states.map(({ route }) => route));
  const drilled = [...config.routes].filter(([name, { backup }]) => backup.drill && !told.has(name));
  return [...states, ...drilled.map(([route]): RouteState => ({ route, good: 0, overdue: false }))];
}

/** How a stage stands. */
export interface StageFigures {
  readonly pipeline: string;
  readonly stage: string;
  /** When a release last came to it, or was made there, and was verified; absent is never. @format milliseconds since the epoch */
  readonly lastVerified?: number;
  /** Whether what stands there is verified; absent where nothing does. */
  readonly verified?: boolean;
}

/** Throws RELEASE_ALTERED and RELEASE_NEWER: what a stage holds is not guessed. */
export async function readStageFigures({ config, store }: StoredSources): Promise<StageFigures[]> {
  const { promotions } = openSnapshots(config, store).releases;
  const each = [...config.pipelines.values()].map(async (pipeline): Promise<StageFigures[]> => {
    const [standings, entries] = await Promise.all([
      promotions.standings(pipeline),
      promotions.entries(pipeline.name),
    ]);
    return pipeline.stages.map(({ name: stage, after }) => {
      const standing = standings.get(stage)?.at(-1);
      const came = entries.findLast((entry) => entry.stage === stage && entry.status === 'verified');
      const at = after === undefined ? standing?.verifiedAt : came && Date.parse(came.at);
      return {
        ...{ pipeline: pipeline.name, stage },
        ...(at !== undefined && { lastVerified: at }),
        ...(standing && { verified: standing.verifiedAt !== undefined }),
      };
    });
  });
  return (await Promise.all(each)).flat();
}

/** What became of messages to a receiver. */
export interface ReceiverFigures {
  readonly receiver: string;
  /** Messages that are sent again. */
  readonly open: number;
  /** Whether the last one was given up. */
  readonly lastFailed: boolean;
}

/** Messages that are sent again are counted by their names, and not read. */
export const readReceivers = ({ config, store }: StoredSources): Promise<ReceiverFigures[]> =>
  Promise.all(
    config.notify.map(async ({ name: receiver }) => {
      const open = await store.names(keys.openDeliveries(receiver));
      const { value: last } = await readNote(store, keys.lastDelivery(receiver), deliveryNote);
      return { receiver, open: open.length, lastFailed: last?.status === 'failed' };
    }),
  );
