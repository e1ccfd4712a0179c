import { reading } from '../../run/calls';
import { have } from '../../run/context';
import { refusal } from '../../run/failure';
import type { Phase, PhaseEnd } from '../../run/run';

/** Says yes to a drill's plan where all of it is new on the target: what was there before must not be touched. */
export const onlyNew: Phase = {
  name: 'approve',
  async run(run): Promise<PhaseEnd> {
    const target = have(run.context, 'target');
    const { name } = target;
    const plan = have(run.context, 'plan');
    const { rows, inTheWay } = await reading('what is in the way').findInTheWay({
      runId: run.input.runId,
      route: run.ends,
      target,
      planRef: plan.ref,
    });
    const [first] = inTheWay;
    if (first) {
      throw refusal(
        'DRILL_NOT_EMPTY',
        `${inTheWay.length} of ${rows} items are on ${name} already, such as "${first.title}" (${first.itemId})`,
        undefined,
        name,
      );
    }
    run.context.approved = plan.hash;
    return { detail: `all ${rows} items are new on ${name}` };
  },
};
