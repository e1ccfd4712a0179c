import type { Approval } from '../../model/transfer/route';
import type { RunRecord } from '../../model/run/run';
import { approveRun, rejectRun } from './answer-run';
import { askApproval } from './ask-approval';
import { canAsk } from '../terminal/prompts';
import type { Output } from '../terminal/output';
import type { RunSources } from './read-run';
import { unansweredWords } from '../../temporal/send-update';
import { whoTypes } from '../terminal/who';

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
    { config, temporal }: RunSources,
    { plan, ...record }: RunRecord,
    output: Output,
  ): Promise<boolean | 'later'> {
    if (plan === undefined || temporal === undefined || this.approval !== 'ask' || !canAsk()) return false;
    if (this.#answered.has(plan.hash)) return true;
    const answer = await askApproval({ ...record, plan });
    if (answer === 'later') return 'later';
    this.#answered.add(plan.hash);
    const who = whoTypes();
    const delivery =
      answer === 'yes'
        ? await approveRun(temporal, record.runId, { hash: plan.hash, who })
        : await rejectRun(temporal, record.runId, plan.hash, { who, reason: 'answered no at the terminal' });
    if (delivery.answer === undefined)
      output.note(await unansweredWords(temporal, config.temporal.taskQueue, delivery));
    return true;
  }
}
