import type { DisplacedCounts, PlacedItems } from '../../activities/transfer/placement-drift';
import type { PlacementPart } from '../../model/transfer/placement';
import { known } from '../run/facts';
import { sweeping } from '../run/activity-options';
import type { TransferRun } from './transfer-run';

/** Puts one part back, each by an activity of its own. */
const putters = {
  owner: ['owners', 'giveItemsBack'],
  folder: ['folders', 'moveItemsBack'],
  sharing: ['sharing', 'shareItemsAgain'],
  thumbnail: ['thumbnails', 'putThumbnailsBack'],
  protection: ['protection', 'protectItemsAgain'],
} as const satisfies Record<PlacementPart, readonly [string, string]>;

/** Snapshots that say how items stood, and the plan by which they were imported, unless they were put back as copies. */
interface Placed {
  readonly placedAsIn?: readonly string[];
  readonly planRef?: string;
  /** What the run created, in place of what it overwrote, and as the run has arranged it. @default false */
  readonly arranged?: boolean;
}

/** What a look at the items saw; `displaced` is absent where all stand as before. */
interface Seen<T> {
  readonly displaced?: DisplacedCounts;
  readonly seen: T;
}

/**
 * A portal may replace what an import overwrites: owner, folder, sharing, picture and protection of before are put back
 * where they are others now, and read back.
 *
 * @param look is made once more where something was put back
 * @returns how many items were put back, how many stay otherwise, of which is warned, and what was seen last
 */
export async function putPlacementsBack<T>(
  run: TransferRun,
  placed: Placed,
  look: () => Promise<Seen<T>>,
): Promise<{ readonly putBack: number; readonly left: number; readonly seen: T }> {
  const found = await look();
  if (!found.displaced) return { putBack: 0, left: 0, seen: found.seen };
  const target = known(run.facts, 'target');
  for (const part of partsIn(found.displaced)) {
    const [name, putter] = putters[part];
    const putBack = sweeping(`${name}, as ${placed.arranged ? 'arranged' : 'before'}`, target.name)[putter];
    const { differing } = await putBack(placedItems(run, placed));
    for (const each of differing) run.warn(each);
  }
  const { displaced: left, seen } = await look();
  for (const part of partsIn(left))
    run.warn(
      `${left?.[part]} items on ${target.name} have a different ${part} than ${placed.arranged ? 'planned' : 'before the import'}`,
    );
  return { putBack: most(found.displaced) - most(left), left: most(left), seen };
}

export function placedItems(run: TransferRun, { placedAsIn = [], planRef, arranged }: Placed): PlacedItems {
  const { name: portal, username, fullAdmin } = known(run.facts, 'target');
  const { groupId } = run.ends.target;
  const target = { portal, groupId, username, ...(arranged && { fullAdmin }) };
  return { runId: run.input.runId, target, placedAsIn, planRef, ...(arranged && { arranged }) };
}

const partsIn = (counts: DisplacedCounts | undefined): PlacementPart[] =>
  (Object.keys(putters) as PlacementPart[]).filter((part) => counts && counts[part] > 0);

/** Of items, as far as the counts of their parts tell. */
const most = (counts: DisplacedCounts | undefined): number => Math.max(0, ...Object.values(counts ?? {}));
