import { agree } from '../phases/approve';
import { phase, type PhaseEnd } from '../run/phase';
import type { PromotionRun } from './promotion-run';

/** One yes to the plans of all groups, and to what becomes of the portal itself. */
export const approveWhole = phase({
  name: 'approve',
  needs: ['plan'],
  gives: ['approved'],
  isQuiet: true,
  // The target may have become another one.
  resumesWith: () => 'plan',
  async run(run: PromotionRun, { plan }, give): Promise<PhaseEnd> {
    if (run.route.options.planOnly) return { detail: 'plan only', status: 'skipped', then: 'end' };
    const end = await agree(run, plan, give);
    // Who was waited for has approved what the stage was then: it is planned again, and is the same, or asked about again.
    return run.hasWaited && run.input.undoes === undefined ? { ...end, then: 'plan' } : end;
  },
});
