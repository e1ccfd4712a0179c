import type { Portolan } from '../../contract/contract';
import type { Delivery } from '../../contract/delivery';
import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';
import { countOf } from '../../model/text/words';
import { changedCount, changesWords, changingCount } from '../../model/transfer/plan-summary';
import { changeSheet } from '../../service/run/change-sheet';
import { planTable } from '../../service/run/plan-sheet';
import { targetOf } from '../../service/run/run-view';
import { rowsNotShown } from '../../service/run/run-words';
import { whyBlock } from '../../service/run/why-sheet';
import type { Output } from '../terminal/output';
import { canAsk, choice, line, yesOrNo } from '../terminal/prompts';
import { readRows } from './read-rows';
import { changedItems } from './write-changes';

/** Result of a decision that was sent. */
type Sent = Pick<Delivery, 'unanswered'>;

type Plan = NonNullable<RunRecord['plan']>;
type Choice = 'changes' | 'list' | 'approve' | 'reject' | 'cancel' | 'later';

/**
 * Asks the person at the terminal for a decision about a waiting or parked run, and does what `run approve`, `reject`,
 * `resume` or `cancel` would. Each method returns false if no one can be asked, `later` if the person left undecided.
 */
export class WatchDesk {
  /** Plans and parked states decided here: the next poll may still show them. A changed plan needs a new approval. */
  readonly #answered = new Set<string>();

  /** @param isStarter the person started the run, and is only asked about its plan */
  constructor(private readonly isStarter = false) {}

  async answer(portolan: Portolan, record: RunRecord, output: Output): Promise<boolean | 'later'> {
    const { plan, runId } = record;
    if (plan === undefined) return false;
    return await this.answered(`plan ${plan.sha256}`, output, async () => {
      const { portal } = targetOf(record);
      const chosen = this.isStarter ? await askStarter(portal, plan) : await chooseAbout(plan);
      if (chosen === 'list' || chosen === 'changes') {
        await this.showPlan(portolan, record, output, chosen);
        return 'again';
      }
      if (chosen === 'approve') {
        if (!this.isStarter && changedCount(plan) > 0 && !(await isMeant(portal, plan))) return 'again';
        return await portolan.approveRun({ run: runId, plan: plan.sha256 });
      }
      if (chosen === 'reject') {
        const reason = this.isStarter ? 'rejected at the terminal' : await askReason();
        if (reason === undefined) return 'again';
        return await portolan.rejectRun({ run: runId, plan: plan.hash, reason: reason || undefined });
      }
      return chosen === 'cancel' ? await cancel(portolan, runId) : 'later';
    });
  }

  async answerParked(portolan: Portolan, record: RunRecord, output: Output): Promise<boolean | 'later'> {
    const { parked, runId } = record;
    if (parked === undefined || this.isStarter) return false;
    return await this.answered(`parked ${parked.count} ${parked.refusals}`, output, async () => {
      output.note('');
      output.note([whyBlock(record)]);
      output.note('');
      const chosen = await choice(`Parked: ${parked.code}.`, [
        { value: 'resume', label: 'Resume after re-running preflight checks' },
        { value: 'cancel', label: 'Cancel the run and remove its packages' },
        { value: 'later', label: 'Leave it parked' },
      ]);
      if (chosen === 'resume') return await portolan.resumeRun({ run: runId });
      return chosen === 'cancel' ? await cancel(portolan, runId) : 'later';
    });
  }

  /** Prompts until a decision was sent or the prompt is left. Shows a refusal and prompts again. */
  private async answered(
    about: string,
    output: Output,
    ask: () => Promise<Sent | 'again' | 'later'>,
  ): Promise<boolean | 'later'> {
    while (!this.#answered.has(about)) {
      if (!canAsk()) return false;
      const came = await ask().catch((thrown: unknown) => {
        output.warnOf(PortolanError.from(thrown));
        return 'again' as const;
      });
      if (came === 'later') return 'later';
      if (came === 'again') continue;
      this.#answered.add(about);
      if (came.unanswered !== undefined) output.note(came.unanswered);
    }
    return true;
  }

  private async showPlan(
    portolan: Portolan,
    record: RunRecord,
    output: Output,
    what: 'list' | 'changes',
  ): Promise<void> {
    const { rows: plan, why } = await readRows(portolan, record);
    if (plan !== undefined)
      output.note(what === 'list' ? [planTable(plan)] : changeSheet(changedItems(plan.rows)));
    else
      output.note(
        `note  ${why === undefined ? 'the rows of the plan are not in this store' : rowsNotShown(why)}`,
      );
  }
}

/** Asks the person who started a run. If it overwrites or removes items, they must type the target's name. */
async function askStarter(portal: string, plan: Plan): Promise<Choice> {
  const answer =
    changedCount(plan) === 0
      ? await yesOrNo(`Import ${countOf(plan.create, 'item')} into ${portal}?`)
      : await isMeant(portal, plan, ', anything else to reject');
  if (answer === undefined) return 'later';
  return answer ? 'approve' : 'reject';
}

const chooseAbout = (plan: Plan): Promise<Choice | undefined> =>
  choice(`Plan ${plan.hash} is waiting for approval.`, [
    ...(changingCount(plan) > 0
      ? [{ value: 'changes' as const, label: 'Show what changes inside each item' }]
      : []),
    { value: 'list', label: 'Show every row' },
    {
      value: 'approve',
      label: [`Approve: ${countOf(plan.create, 'new item')}`, changesWords(plan)].filter(Boolean).join(', '),
    },
    { value: 'reject', label: 'Reject and end the run' },
    { value: 'cancel', label: 'Cancel the run' },
    { value: 'later', label: 'Decide later' },
  ]);

/** Prevents approval for the wrong portal by a slip of one key. @returns undefined if the prompt was left */
async function isMeant(portal: string, plan: Plan, otherwise = ''): Promise<boolean | undefined> {
  const typed = await line(
    `This will ${changesWords(plan)} on ${portal}. Type "${portal}" to confirm${otherwise}.`,
  );
  return typed === undefined ? undefined : typed === portal;
}

const askReason = (): Promise<string | undefined> => line('Reason (optional, saved with the run)');

async function cancel(portolan: Portolan, runId: string): Promise<Sent | 'again'> {
  const reason = await askReason();
  if (reason === undefined) return 'again';
  return await portolan.cancelRun({ run: runId, reason: reason || undefined });
}
