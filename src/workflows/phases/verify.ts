import { sweeping } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import { putPlacementsBack } from '../transfer/placements';
import type { TransferRun } from '../transfer/transfer-run';

/** Reads back what was imported and compares it with what should be there; puts back what the import displaced. */
export const verify = phase({
  name: 'verify',
  needs: ['source', 'target', 'plan', 'preview'],
  async run(run: TransferRun, { source, target, plan, preview }): Promise<PhaseEnd> {
    const route = run.ends;
    const { runId } = run.input;
    const placed = { placedAsIn: snapshotsOfPlacement(run, plan.overwrite), planRef: plan.ref };
    const { putBack, seen } = await putPlacementsBack(run, placed, async () => {
      const { displaced, ...verification } = await sweeping('the imported items', target.name).verifyItems({
        runId,
        route,
        source,
        target,
        planRef: plan.ref,
        snapshotId: run.facts.snapshotId,
        sourceAddresses: preview.sourceAddresses,
        placedAsIn: placed.placedAsIn,
        ...(run.maps && { maps: true }),
      });
      return { displaced, seen: verification };
    });
    run.show({ verification: seen });
    const { checked, references, features, findings } = seen;
    return {
      detail: `${putBack > 0 ? `placement restored for ${putBack}, ` : ''}${checked} items, ${references} references, ${features} features, ${findings} findings`,
    };
  },
});

/** What says how overwritten items stood: what is undone, where a run undoes another, and what this one overwrote. */
function snapshotsOfPlacement(
  { kind, facts, state }: TransferRun,
  overwritten: number,
): string[] | undefined {
  if (overwritten === 0) return undefined;
  const undone = kind.undoes ? facts.snapshotId : undefined;
  return [undone, state.safeguard?.id].flatMap((id) => id ?? []);
}
