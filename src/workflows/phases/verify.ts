import { sweeping } from '../run/calls';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Reads back what was imported and compares it with what should be there. */
export const verify = phase({
  name: 'verify',
  needs: ['source', 'target', 'plan', 'preview'],
  async run(run: TransferRun, { source, target, plan, preview }): Promise<PhaseEnd> {
    const route = run.ends;
    const { runId } = run.input;
    const seen = await sweeping('the imported items').verifyItems({
      runId,
      route,
      source,
      target,
      planRef: plan.ref,
      snapshotId: run.facts.snapshotId,
      sourceAddresses: preview.sourceAddresses,
    });
    run.show({ verification: seen });
    const { checked, references, features, findings } = seen;
    return {
      detail: `${checked} items, ${references} references, ${features} features, ${findings} findings`,
    };
  },
});
