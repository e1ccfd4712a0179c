import { agree } from '../phases/approve';
import { phase, type PhaseEnd } from '../run/phase';
import type { PromotionRun } from './promotion-run';

/** Asks for one approval of all groups and portal changes. */
export const approveWhole = phase({
  name: 'approve',
  needs: ['plan'],
  gives: ['approved'],
  isQuiet: true,
  // The target may have changed.
  resumesWith: () => 'plan',
  async run(run: PromotionRun, { plan }, give): Promise<PhaseEnd> {
    if (run.route.options.planOnly) return { detail: 'plan only', status: 'skipped', then: 'end' };
    const end = await agree(run, plan, give);
    // The stage may have changed while waiting, so it is planned again. A different plan needs a new approval.
    return run.hasWaited && run.input.undoes === undefined ? { ...end, then: 'plan' } : end;
  },
});
