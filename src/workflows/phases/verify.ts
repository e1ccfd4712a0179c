import { sweeping } from '../run/calls';
import { have } from '../run/context';
import type { Phase, PhaseEnd } from '../run/run';

/** Reads back what was imported and compares it with what should be there. */
export const verify: Phase = {
  name: 'verify',
  async run(run): Promise<PhaseEnd> {
    const route = run.ends;
    const { runId } = run.input;
    const source = have(run.context, 'source');
    const target = have(run.context, 'target');
    const seen = await sweeping('the imported items').verifyItems({
      runId,
      route,
      source,
      target,
      planRef: have(run.context, 'plan').ref,
      snapshotId: run.context.snapshotId,
      sourceAddresses: have(run.context, 'preview').sourceAddresses,
    });
    run.state.verification = seen;
    const { checked, references, features, findings } = seen;
    return {
      detail: `${checked} items, ${references} references, ${features} features, ${findings} findings`,
    };
  },
};
