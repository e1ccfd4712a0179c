import type { Delivery } from '../../contract/delivery';
import { PortolanError } from '../../model/errors/errors';
import type { ParkedRecord, RunRecord } from '../../model/run/run';
import { changedCount, changesWords } from '../../model/transfer/plan-summary';
import { failureText, type Output } from '../terminal/output';
import { canAsk, choice, type Choice, line } from '../terminal/prompts';
import type { Style } from '../terminal/style';
import { countOf } from '../../model/text/words';
import type { Portolan } from '../../contract/contract';
import type { Desk } from './follow-run';
import { rowsNotShown } from '../../service/run/run-words';
import { readRows } from './read-rows';
import { planTable } from './render/plan';
import { heldBlock, targetBlock, whyBlock } from './render/parked';
import { targetOf } from '../../service/run/run-view';

/** Prompts at the terminal. Each returns undefined if it was left without a decision. */
export interface Asking {
  canAsk(): boolean;
  choice<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
  ): Promise<Value | undefined>;
  /** A line of text, which may be empty. */
  line(message: string): Promise<string | undefined>;
}

/** Result of a decision that was sent. */
type Sent = Pick<Delivery, 'unanswered'>;

/**
 * Asks the person who watches a waiting or parked run for a decision, and does what `run approve`, `reject`, `resume` or
 * `cancel` would. Watching again prompts again.
 */
export class WatchDesk implements Desk {
  /** Plans and parked states decided here: the next poll may still show them. */
  readonly #answered = new Set<string>();

  constructor(private readonly asking: Asking = { canAsk, choice, line }) {}

  async answer(portolan: Portolan, record: RunRecord, output: Output): Promise<boolean | 'later'> {
    const { plan, runId } = record;
    if (plan === undefined) return false;
    return await this.answered(`plan ${plan.sha256}`, output, async () => {
      const { portal } = targetOf(record);
      const chosen = await this.asking.choice(`Plan ${plan.hash} is waiting for approval.`, [
        { value: 'list', label: 'Show every row' },
        {
          value: 'approve',
          label: [`Approve: ${countOf(plan.create, 'new item')}`, changesWords(plan)]
            .filter(Boolean)
            .join(', '),
        },
        { value: 'reject', label: 'Reject and end the run' },
        { value: 'cancel', label: 'Cancel the run' },
        { value: 'later', label: 'Decide later' },
      ]);
      if (chosen === 'list') {
        await this.showPlan(portolan, record, output);
        return 'again';
      }
      if (chosen === 'approve') {
        if (changedCount(plan) > 0 && !(await this.isMeant(portal, plan))) return 'again';
        return await portolan.approveRun({ run: runId, plan: plan.sha256 });
      }
      if (chosen === 'reject') {
        const reason = await this.asking.line('Reason (optional, saved with the run)');
        if (reason === undefined) return 'again';
        return await portolan.rejectRun({ run: runId, plan: plan.hash, reason: reason || undefined });
      }
      return chosen === 'cancel' ? await this.cancel(portolan, runId) : 'later';
    });
  }

  async answerParked(portolan: Portolan, record: RunRecord, output: Output): Promise<boolean | 'later'> {
    const { parked, runId } = record;
    if (parked === undefined) return false;
    return await this.answered(`parked ${parked.count} ${parked.refusals}`, output, async () => {
      output.note(`\n${stateLines(record, parked, output.side).join('\n')}\n`);
      const chosen = await this.asking.choice(`Parked: ${parked.code}.`, [
        { value: 'resume', label: 'Resume after re-running preflight checks' },
        { value: 'cancel', label: 'Cancel the run and remove its packages' },
        { value: 'later', label: 'Leave it parked' },
      ]);
      if (chosen === 'resume') return await portolan.resumeRun({ run: runId });
      return chosen === 'cancel' ? await this.cancel(portolan, runId) : 'later';
    });
  }

  /** Prompts until a decision was sent or the prompt is left. Shows a refusal and prompts again. */
  private async answered(
    about: string,
    output: Output,
    ask: () => Promise<Sent | 'again' | 'later'>,
  ): Promise<boolean | 'later'> {
    while (!this.#answered.has(about)) {
      if (!this.asking.canAsk()) return false;
      const came = await ask().catch((thrown: unknown) => {
        output.note(failureText(PortolanError.from(thrown), output.side));
        return 'again' as const;
      });
      if (came === 'later') return 'later';
      if (came === 'again') continue;
      this.#answered.add(about);
      if (came.unanswered !== undefined) output.note(came.unanswered);
    }
    return true;
  }

  private async cancel(portolan: Portolan, runId: string): Promise<Sent | 'again'> {
    const reason = await this.asking.line('Reason (optional, saved with the run)');
    if (reason === undefined) return 'again';
    return await portolan.cancelRun({ run: runId, reason: reason || undefined });
  }

  /** Prevents approval for the wrong portal by a slip of one key. */
  private async isMeant(portal: string, plan: Parameters<typeof changesWords>[0]): Promise<boolean> {
    const typed = await this.asking.line(
      `This will ${changesWords(plan)} on ${portal}. Type "${portal}" to confirm.`,
    );
    return typed?.trim() === portal;
  }

  private async showPlan(portolan: Portolan, record: RunRecord, output: Output): Promise<void> {
    const { rows: plan, why } = await readRows(portolan, record);
    if (plan !== undefined) output.note(planTable(plan, output.side));
    else
      output.note(
        `note  ${why === undefined ? 'the rows of the plan are not in this store' : rowsNotShown(why)}`,
      );
  }
}

/** Facts for a decision about a parked run. */
const stateLines = (record: RunRecord, parked: ParkedRecord, style: Style): string[] => [
  ...whyBlock(record, parked, style),
  ...targetBlock(record, parked, style),
  ...heldBlock(parked, style),
];
