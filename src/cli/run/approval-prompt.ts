import type { Portolan } from '../../contract/contract';
import type { RunRecord } from '../../model/run/run';
import { countOf } from '../../model/text/words';
import { changedCount, changesWords } from '../../model/transfer/plan-summary';
import type { Approval } from '../../model/transfer/route';
import { canAsk } from '../terminal/prompts';
import type { Output } from '../terminal/output';
import { targetOf } from '../../service/run/run-view';

/** Asks the person who started a run at this terminal to approve its plan. */
export class ApprovalDesk {
  /** Plans decided here. A changed plan needs a new approval. */
  readonly #answered = new Set<string>();

  constructor(private readonly approval: Approval) {}

  /**
   * Asks at the terminal, if there is one and the route allows it, and sends the decision.
   * @returns false if no one can be asked, `later` if the prompt was left without a decision
   */
  async answer(
    portolan: Portolan,
    { plan, ...record }: RunRecord,
    output: Output,
  ): Promise<boolean | 'later'> {
    if (plan === undefined || this.approval !== 'ask' || !canAsk()) return false;
    if (this.#answered.has(plan.sha256)) return true;
    const answer = await askApproval({ ...record, plan });
    if (answer === 'later') return 'later';
    this.#answered.add(plan.sha256);
    const { unanswered } =
      answer === 'yes'
        ? await portolan.approveRun({ run: record.runId, plan: plan.sha256 })
        : await portolan.rejectRun({
            run: record.runId,
            plan: plan.hash,
            reason: 'rejected at the terminal',
          });
    if (unanswered !== undefined) output.note(unanswered);
    return true;
  }
}

/**
 * Asks for approval of the plan of this run. If it overwrites or removes something, the target's name must be typed, so
 * that a slip of one key does not approve it for the wrong portal.
 */
async function askApproval(record: RunRecord): Promise<'yes' | 'no' | 'later'> {
  const { confirm, isCancel, text } = await import('@clack/prompts');
  const { plan } = record;
  const { portal } = targetOf(record);
  if (plan === undefined || changedCount(plan) === 0) {
    const answer = await confirm({
      message: `Import ${countOf(plan?.create ?? 0, 'item')} into ${portal}?`,
      initialValue: false,
      output: process.stderr,
    });
    if (isCancel(answer)) return 'later';
    return answer ? 'yes' : 'no';
  }
  const typed = await text({
    message: `This will ${changesWords(plan)} on ${portal}. Type "${portal}" to confirm, anything else to reject.`,
    output: process.stderr,
  });
  if (isCancel(typed)) return 'later';
  return typed?.trim() === portal ? 'yes' : 'no';
}
