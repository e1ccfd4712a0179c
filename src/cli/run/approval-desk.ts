import type { RunRecord } from '../../model/run/run';
import { changedCount, changesWords } from '../../model/transfer/plan-figures';
import { planIdentity } from '../../model/transfer/plan-hash';
import type { Approval } from '../../model/transfer/route';
import { canAsk } from '../terminal/prompts';
import type { Output } from '../terminal/output';
import type { Portolan } from '../../service/portolan/portolan';
import { targetOf } from '../../service/run/run-view';

/** Answers plans that wait, for the person at the terminal that started the run. */
export class ApprovalDesk {
  /** Hashes that were answered from here; a plan that changed since is asked about again. */
  readonly #answered = new Set<string>();

  constructor(private readonly approval: Approval) {}

  /**
   * Asks the person at the terminal, if there is one and the route lets them answer here, and sends the answer.
   * @returns false where nobody could be asked; `later` where the person left without an answer
   */
  async answer(
    portolan: Portolan,
    { plan, ...record }: RunRecord,
    output: Output,
  ): Promise<boolean | 'later'> {
    if (plan === undefined || this.approval !== 'ask' || !canAsk()) return false;
    if (this.#answered.has(planIdentity(plan))) return true;
    const answer = await askApproval({ ...record, plan });
    if (answer === 'later') return 'later';
    this.#answered.add(planIdentity(plan));
    const { unanswered } =
      answer === 'yes'
        ? await portolan.approve(record.runId, { plan: planIdentity(plan) })
        : await portolan.reject(record.runId, { plan: plan.hash, reason: 'answered no at the terminal' });
    if (unanswered !== undefined) output.note(unanswered);
    return true;
  }
}

/**
 * Asks for a yes to the plan of this run. If it overwrites or removes something the target's name has to be
 * typed, so that a yes to the wrong portal is not a slip of one key.
 */
async function askApproval(record: RunRecord): Promise<'yes' | 'no' | 'later'> {
  const { confirm, isCancel, text } = await import('@clack/prompts');
  const { plan } = record;
  const { portal } = targetOf(record);
  if (plan === undefined || changedCount(plan) === 0) {
    const answer = await confirm({
      message: `Import ${plan?.create ?? 0} items into ${portal}?`,
      initialValue: false,
      output: process.stderr,
    });
    if (isCancel(answer)) return 'later';
    return answer ? 'yes' : 'no';
  }
  const typed = await text({
    message: `This will ${changesWords(plan)} on ${portal}. Type "${portal}" to go on, anything else to stop.`,
    output: process.stderr,
  });
  if (isCancel(typed)) return 'later';
  return typed?.trim() === portal ? 'yes' : 'no';
}
