import { writing } from '../calls';
import { have } from '../carried';
import { errorRecordOf } from '../failure';
import type { Phase, PhaseEnd } from '../run';

/** Takes our packages off both portals and lets the store forget what it need not keep. Runs however a run ended. */
export const cleanup: Phase = {
  name: 'cleanup',
  async run(run): Promise<PhaseEnd> {
    const { carried, route } = run;
    const left: string[] = [];
    if (!route.options.keepPackages) {
      for (const { side, itemId } of carried.packages) {
        const portal = have(carried, side);
        try {
          await writing(`package on ${portal.name}`).removePackage({ portal, itemId });
        } catch (thrown) {
          left.push(`package ${itemId} on ${portal.name}`);
          run.warn(`package ${itemId} is still on ${portal.name}: ${errorRecordOf(thrown, route).message}`);
        }
      }
    }
    const keepMs =
      run.state.status === 'running' && !run.state.error
        ? route.options.keep.succeededMs
        : route.options.keep.failedMs;
    await writing('what the store keeps').tidyStore({ runId: run.input.runId, keepMs });
    if (route.options.keepPackages) return { detail: 'packages are kept, as asked' };
    return {
      detail:
        left.length > 0
          ? `left: ${left.join(', ')}`
          : `nothing of ours left on ${route.source.portal} or ${route.target.portal}`,
    };
  },
};
