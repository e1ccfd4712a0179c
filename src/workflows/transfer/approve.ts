import ms from 'ms';
import { changedCount, importedCount } from '../../model/transfer/plan-summary';
import { condition } from '@temporalio/workflow';
import type { PhaseName } from '../../model/run/phase';
import { type PlanSummary } from '../../model/transfer/plan';
import { refusal } from '../run/failure';
import { observe } from '../observers/observers';
import { answeredWithin, DECISION_TIMEOUT_MS, readDeadline } from '../run/decision-timeout';
import type { Phase, PhaseEnd } from '../run/phase';
import type { Run } from '../run/run';
import type { RunInput, RestoreInput } from '../../model/run/run-input';
import type { TransferRun } from './transfer-run';

/** Waits for approval if the route requires it. Waiting holds no worker slot. */
export const approve: Phase<TransferRun> = {
  name: 'approve',
  isQuiet: () => true,
  // The preview behind the plan may be out of date.
  resumesWith: () => 'preview',
  async run(run) {
    const plan = run.need('plan');
    if (run.route.options.planOnly) return { detail: 'plan only', status: 'skipped', then: 'end' };
    const { promotion } = run.input as RestoreInput;
    const then = importedCount(plan) > 0 ? undefined : withoutImport(run, plan);
    if (plan.create + changedCount(plan) === 0)
      return { detail: 'the plan writes nothing', status: 'skipped', then };
    const end = promotion
      ? asPromoted(run, plan, run.kind.undoes ? undefined : promotion.plan)
      : await requireApproval(run, plan);
    return { ...end, then };
  },
};

/** Identical items are verified as if they had been imported: what they refer to may be missing. */
function withoutImport({ kind }: TransferRun, { identical = 0 }: PlanSummary): PhaseName | 'end' {
  if (kind.undoes) return 'safeguard';
  return identical > 0 ? 'verify' : 'end';
}

/** A run whose plan may need approval. */
type Planning = Run & { readonly input: RunInput };

/** Ensures that a person, or the route, has approved the plan. */
export async function requireApproval(run: Planning, plan: PlanSummary): Promise<PhaseEnd> {
  const { options } = run.input.route;
  const { approval, twoPeople } = run.facts.ruling ?? { approval: options.approval, twoPeople: false };
  if (plan.sha256 === run.facts.approved) return { detail: 'the same plan was approved before' };
  if (approval === 'none') {
    run.learn({ approved: plan.sha256 });
    return { detail: 'by the route (approval: none)' };
  }
  // If the policy names approvers, --yes of the starter does not suffice.
  const isTheirs = run.facts.ruling?.approvers !== undefined;
  if (approval === 'ask' && !twoPeople && !isTheirs && run.input.yes && !run.answers.yesIsSpent) {
    run.answers.yesIsSpent = true;
    run.learn({ approved: plan.sha256 });
    const { startedBy: who, proof } = run.input;
    run.recordAction({ who, proof }, 'approve', '--yes');
    return { detail: `${run.input.startedBy}, --yes` };
  }
  const detail = await awaitDecision(run, plan);
  run.learn({ approved: plan.sha256 });
  return { detail };
}

/** Approves a plan of a promotion's child run. @param promised the plan approved for the group; undefined in a rollback */
function asPromoted(run: Run, plan: PlanSummary, promised: string | undefined): PhaseEnd {
  if (promised !== undefined && promised !== plan.sha256)
    throw refusal('PLAN_CHANGED', `plan ${plan.hash} is not the one approved with the promotion`);
  run.learn({ approved: plan.sha256 });
  return { detail: 'with the promotion' };
}

/** A starter at the terminal gets this long before others are notified. */
const ATTENDED_MS = 5 * 60_000;

/** Waits for a decision. Returns who approved; throws if the plan was rejected or nobody decided in time. */
async function awaitDecision(run: Planning, plan: PlanSummary): Promise<string | undefined> {
  const { hash } = plan;
  const waitMs = run.input.route.options.decisionTimeoutMs ?? DECISION_TIMEOUT_MS;
  await run.markWaiting(
    'approve',
    `plan ${hash} needs approval: portolan run approve ${run.input.runId} --plan ${hash}`,
  );
  const isAnswered = (): boolean =>
    run.answers.approved?.sha256 === plan.sha256 || run.answers.rejected !== undefined;
  const isAnsweredHere =
    run.input.attended === true &&
    (await condition(isAnswered, ATTENDED_MS, { summary: 'until the person who started it decides' }));
  if (!isAnsweredHere) await observe('waiting', run);
  const { answered, next } = await answeredWithin(
    await readDeadline(Date.now() + waitMs, run.input),
    run.input,
    isAnswered,
    'until someone approves or rejects the plan',
  );
  run.markRunning('approve');
  await observe('answered', run);
  const { approved, rejected } = run.answers;
  if (next !== undefined)
    throw refusal('SUPERSEDED', `nobody approved plan ${hash} before the next run, due at ${next}`);
  if (!answered)
    throw refusal('APPROVAL_EXPIRED', `nobody approved plan ${hash} within ${ms(waitMs, { long: true })}`);
  if (rejected)
    throw refusal(
      'REJECTED',
      `${rejected.who} rejected plan ${hash}${rejected.reason ? `: ${rejected.reason}` : ''}`,
    );
  return approved?.who;
}
