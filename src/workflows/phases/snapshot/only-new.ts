import { planIdentity } from '../../../model/transfer/plan-hash';
import { reading } from '../../run/activity-options';
import { refusal } from '../../run/failure';
import { phase, type PhaseEnd } from '../../run/phase';
import type { TransferRun } from '../../transfer/transfer-run';

/** Says yes to a drill's plan where all of it is new on the target: what was there before must not be touched. */
export const onlyNew = phase({
  name: 'approve',
  needs: ['target', 'plan'],
  gives: ['approved'],
  async run(run: TransferRun, { target, plan }, give): Promise<PhaseEnd> {
    const { name } = target;
    const { rows, inTheWay } = await reading('existing items', target.name).findInTheWay({
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
