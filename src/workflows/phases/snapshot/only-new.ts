import { planIdentity } from '../../../model/transfer/plan-hash';
import { reading } from '../../run/activity-options';
import { refusal } from '../../run/failure';
import { phase, type PhaseEnd } from '../../run/phase';
import type { TransferRun } from '../../transfer/transfer-run';

/** Approves a drill's plan only if all items are new on the target, so that nothing existing changes. */
export const onlyNew = phase({
  name: 'approve',
  needs: ['target', 'plan'],
  gives: ['approved'],
  async run(run: TransferRun, { target, plan }, give): Promise<PhaseEnd> {
    const { name } = target;
    const { rows, inTheWay } = await reading(`existing items on ${name}`, name).findInTheWay({
      runId: run.input.runId,
      route: run.ends,
      target,
      planRef: plan.ref,
    });
    const [first] = inTheWay;
    if (first) {
      throw refusal(
        'DRILL_NOT_EMPTY',
        `${inTheWay.length} of ${rows} items already exist on ${name}, such as "${first.title}" (${first.itemId})`,
        undefined,
        name,
      );
    }
    give({ approved: planIdentity(plan) });
    return { detail: `all ${rows} items are new on ${name}` };
  },
});
