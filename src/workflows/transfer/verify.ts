import { sweeping } from '../run/activity-options';
import type { Phase } from '../run/phase';
import type { TransferRun } from './transfer-run';
import { countOf } from '../../model/text/words';
import type { DisplacedCounts, PlacedItems } from '../../activities/transfer/placements';
import type { PlacementPart } from '../../model/transfer/placement';

/** Reads the imported items back and compares them. Restores the placement of overwritten items. */
export const verify: Phase<TransferRun> = {
  name: 'verify',
  async run(run) {
    const source = run.need('source');
    const target = run.need('target');
    const plan = run.need('plan');
    const placed = { placedAsIn: snapshotsOfPlacement(run, plan.overwrite), planRef: plan.ref };
    const { putBack, seen } = await putPlacementsBack(run, placed, async () => {
      const { displaced, ...verification } = await sweeping('imported items', target.name).verifyItems({
        ...run.onPlan,
        source,
        snapshotId: run.facts.snapshotId,
        sourceAddresses: run.sourceAddresses,
        placedAsIn: placed.placedAsIn,
        maps: run.maps,
      });
      return { displaced, seen: verification };
    });
    run.show({ verification: seen });
    const { checked, references, features, findings } = seen;
    return {
      detail: `${putBack > 0 ? `placement restored for ${putBack}, ` : ''}${countOf(checked, 'item')}, ${countOf(references, 'reference')}, ${countOf(features, 'feature')}, ${countOf(findings, 'finding')}`,
    };
  },
};

/** Snapshots that record the placement of overwritten items: the rolled-back run's safeguard, then this run's. */
function snapshotsOfPlacement(
  { kind, facts, state }: TransferRun,
  overwritten: number,
): string[] | undefined {
  if (overwritten === 0) return undefined;
  const undone = kind.undoes ? facts.snapshotId : undefined;
  return [undone, state.safeguard?.id].flatMap((id) => id ?? []);
}

/** The parts, in the order in which they are restored. */
const names: Record<PlacementPart, string> = {
  owner: 'owners',
  folder: 'folders',
  sharing: 'sharing',
  thumbnail: 'thumbnails',
  protection: 'protection',
};

/** What is placed, besides the run on its target. */
type Placed = Pick<PlacedItems, 'placedAsIn' | 'planRef' | 'arranged'>;

/** Reads which placements differ; `displaced` is absent if every one matches. */
type Look<T> = () => Promise<{ readonly displaced?: DisplacedCounts; readonly seen: T }>;

/**
 * Restores owner, folder, sharing, thumbnail and delete protection where an import changed them, and reads them back.
 *
 * @param look runs again if something was restored
 * @returns how many items were restored, how many still differ (with a warning), and what was read last
 */
export async function putPlacementsBack<T>(
  run: TransferRun,
  placed: Placed,
  look: Look<T>,
): Promise<{ readonly putBack: number; readonly left: number; readonly seen: T }> {
  const found = await look();
  if (!found.displaced) return { putBack: 0, left: 0, seen: found.seen };
  const target = run.need('target');
  for (const part of partsIn(found.displaced)) {
    const { differing } = await sweeping(
      `${names[part]} as ${placed.arranged ? 'arranged' : 'before'}`,
      target.name,
    ).restorePart({ ...run.onTarget, ...placed, part });
    for (const each of differing) run.warn(each);
  }
  const { displaced: left, seen } = await look();
  for (const part of partsIn(left))
    run.warn(
      `${countOf(left?.[part] ?? 0, 'item')} on ${target.name} with a different ${part} than ${placed.arranged ? 'planned' : 'before the import'}`,
    );
  return { putBack: most(found.displaced) - most(left), left: most(left), seen };
}

/** Reads only the placement of items. */
export const lookAtPlacement =
  (run: TransferRun, placed: Placed, what: string): Look<undefined> =>
  async () => ({
    displaced: await sweeping(`placement of ${what}`, run.need('target').name).findDisplaced({
      ...run.onTarget,
      ...placed,
    }),
    seen: undefined,
  });

const partsIn = (counts: DisplacedCounts | undefined): PlacementPart[] =>
  (Object.keys(names) as PlacementPart[]).filter((part) => counts && counts[part] > 0);

/** Number of items, estimated from the counts per part. */
const most = (counts: DisplacedCounts | undefined): number => Math.max(0, ...Object.values(counts ?? {}));
