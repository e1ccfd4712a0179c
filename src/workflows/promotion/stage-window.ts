import { stageName } from '../../model/release/promotion-input';
import type { PhaseName } from '../../model/run/phase';
import { askedBy } from '../../model/run/policy';
import { awaitWindowFor } from '../transfer/window';
import type { PromotionRun } from './promotion-run';

/**
 * Waits for a window of the stage's portal and shows it. Child runs already open continue. A promotion that has written
 * something does not wait with `onWindowClose: finish`. Returns whether it had to wait.
 */
export async function awaitStageWindow(run: PromotionRun, name: PhaseName): Promise<boolean> {
  const { route, stage } = run.input;
  const asked = askedBy('restore', route, stageName(route.name, stage));
  return await awaitWindowFor(run, name, { ...asked, isApproved: true });
}
