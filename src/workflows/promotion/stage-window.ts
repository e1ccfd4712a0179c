import { stageName } from '../../model/release/promotion-input';
import type { PhaseName } from '../../model/run/phase';
import { askedBy } from '../../model/run/policy';
import { awaitWindowFor } from '../transfer/window';
import type { PromotionRun } from './promotion-run';

/**
 * Waits until the windows of the stage's portal let something of the promotion begin, and shows until when. What is under
 * way goes on meanwhile; of a stage with `onWindowClose: finish` so does all of it, once it has written something. Returns
 * whether it had to.
 */
export async function awaitStageWindow(run: PromotionRun, name: PhaseName): Promise<boolean> {
  const { route, stage } = run.input;
  const asked = askedBy('restore', route, stageName(route.name, stage));
  return await awaitWindowFor(run, name, { ...asked, isApproved: true });
}
