import ms from 'ms';
import { notifyTask } from '../run/task-notifier';
import { have } from '../run/context';
import { refusal } from '../run/failure';
import { ANSWER_WITHIN_MS } from '../run/parking';
import { notify } from '../run/notify';
import { answeredWithin, patience } from '../run/patience';
import type { Phase, PhaseEnd } from '../run/run';

/** Waits for a person's yes where the route asks for one. Holds no worker while it waits. */
export const approve: Phase = {
  name: 'approve',
  isQuiet: true,
  async run(run): Promise<PhaseEnd> {
    const { options } = run.route;
    const plan = have(run.context, 'plan');
    if (options.planOnly) return { detail: 'plan only', status: 'skipped', then: 'end' };
    if (plan.create + plan.overwrite === 0)
      return { detail: 'nothing to import', status: 'skipped', then: 'end' };
    if (plan.hash === run.context.approved) return { detail: 'approved before, the same plan' };
    if (options.approval === 'none') {
      run.context.approved = plan.hash;
      return { detail: 'by the route (approval: none)' };
    }
    if (options.approval === 'ask' && run.input.yes && !run.answers.yesIsSpent) {
      run.answers.yesIsSpent = true;
      run.context.approved = plan.hash;
      run.act(run.input.startedBy, 'approve', '--yes');
      return { detail: `${run.input.startedBy}, --yes` };
    }
    const waitMs = options.answerWithinMs ?? ANSWER_WITHIN_MS;
    await run.wait(
      'approve',
      `plan ${plan.hash} waits for: portolan run approve ${run.input.runId} --plan ${plan.hash}`,
    );
    await notifyTask(run);
    if (run.operators) await notify(run, 'waiting');
    const { answered, next } = await answeredWithin(
      await patience(waitMs),
      () => run.answers.approved?.hash === plan.hash || run.answers.rejected !== undefined,
    );
    run.goOn('approve');
    await notifyTask(run);
    const { approved, rejected } = run.answers;
    if (next !== undefined)
      throw refusal('SUPERSEDED', `nobody answered plan ${plan.hash} before the next run, due at ${next}`);
    if (!answered)
      throw refusal(
        'APPROVAL_EXPIRED',
        `nobody answered plan ${plan.hash} within ${ms(waitMs, { long: true })}`,
      );
    if (rejected)
      throw refusal(
        'REJECTED',
        `${rejected.who} rejected plan ${plan.hash}${rejected.reason ? `: ${rejected.reason}` : ''}`,
      );
    run.context.approved = plan.hash;
    return { detail: approved?.who };
  },
};
