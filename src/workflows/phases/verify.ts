import { sweeping } from '../run/activity-options';
import type { Phase } from '../run/phase';
import { putPlacementsBack } from '../transfer/placements';
import type { TransferRun } from '../transfer/transfer-run';
import { countOf } from '../../model/text/words';

/** Reads the imported items back and compares them. Restores the placement of overwritten items. */
export const verify: Phase<TransferRun> = {
  name: 'verify',
  async run(run) {
    const source = run.need('source');
    const target = run.need('target');
    const plan = run.need('plan');
    const route = run.ends;
    const { runId } = run.input;
    const addresses = run.packages.flatMap(({ preview }) => preview?.sourceAddresses ?? []);
    const sourceAddresses = [...new Set(addresses)];
    const placed = { placedAsIn: snapshotsOfPlacement(run, plan.overwrite), planRef: plan.ref };
    const { putBack, seen } = await putPlacementsBack(run, placed, async () => {
      const { displaced, ...verification } = await sweeping(
        `imported items on ${target.name}`,
        target.name,
      ).verifyItems({
        runId,
        route,
        source,
        target,
        planRef: plan.ref,
        snapshotId: run.facts.snapshotId,
        sourceAddresses,
        placedAsIn: placed.placedAsIn,
        ...(run.maps && { maps: true }),
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
