import { condition } from '@temporalio/workflow';
import ms from 'ms';
import type { PlanSummary } from '../../model/transfer/plan';
import { planIdentity } from '../../model/transfer/plan-hash';
import { refusal } from '../run/failure';
import { observe } from '../observers/observers';
import { answeredWithin, ANSWER_WITHIN_MS, patience } from '../run/patience';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Waits for a person's yes where the route asks for one. Holds no worker while it waits. */
export const approve = phase({
  name: 'approve',
  needs: ['plan'],
  gives: ['approved'],
  isQuiet: true,
  // The plan rests on a preview, which is read again.
  resumesWith: () => 'preview',
  async run(run: TransferRun, { plan }, give): Promise<PhaseEnd> {
    const { options } = run.route;
    const { approval, twoPeople } = run.facts.ruling ?? { approval: options.approval, twoPeople: false };
    if (options.planOnly) return { detail: 'plan only', status: 'skipped', then: 'end' };
    if (plan.create + plan.overwrite === 0)
      return { detail: 'nothing to import', status: 'skipped', then: 'end' };
    if (planIdentity(plan) === run.facts.approved) return { detail: 'approved before, the same plan' };
    if (approval === 'none') {
      give({ approved: planIdentity(plan) });
      return { detail: 'by the route (approval: none)' };
    }
    if (approval === 'ask' && !twoPeople && run.input.yes && !run.answers.yesIsSpent) {
      run.answers.yesIsSpent = true;
      give({ approved: planIdentity(plan) });
      run.act(run.input.startedBy, 'approve', '--yes');
      return { detail: `${run.input.startedBy}, --yes` };
    }
    const detail = await answerTo(run, plan);
    give({ approved: planIdentity(plan) });
    return { detail };
  },
});

/** Who sits before the plan has that long before anybody else hears that it waits. */
const ATTENDED_MS = 5 * 60_000;

/** Waits for somebody's yes to a plan. Returns who said it; throws where it was a no, or nobody answered in time. */
async function answerTo(run: TransferRun, plan: PlanSummary): Promise<string | undefined> {
  const { hash } = plan;
  const waitMs = run.route.options.answerWithinMs ?? ANSWER_WITHIN_MS;
  await run.wait('approve', `plan ${hash} waits for: portolan run approve ${run.input.runId} --plan ${hash}`);
  const isAnswered = (): boolean =>
    run.answers.approved?.sha256 === planIdentity(plan) || run.answers.rejected !== undefined;
  const isAnsweredHere =
    run.input.attended === true &&
    (await condition(isAnswered, ATTENDED_MS, { summary: 'until whoever started it answers' }));
  if (!isAnsweredHere) await observe('waiting', run);
  const { answered, next } = await answeredWithin(
    await patience(waitMs),
    isAnswered,
    'until somebody answers the plan',
  );
  run.goOn('approve');
  await observe('answered', run);
  const { approved, rejected } = run.answers;
  if (next !== undefined)
    throw refusal('SUPERSEDED', `nobody answered plan ${hash} before the next run, due at ${next}`);
  if (!answered)
    throw refusal('APPROVAL_EXPIRED', `nobody answered plan ${hash} within ${ms(waitMs, { long: true })}`);
  if (rejected)
    throw refusal(
      'REJECTED',
      `${rejected.who} rejected plan ${hash}${rejected.reason ? `: ${rejected.reason}` : ''}`,
    );
  return approved?.who;
}
