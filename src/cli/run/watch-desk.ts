import { PortolanError } from '../../model/errors/errors';
import type { ParkedRecord } from '../../model/run/parked';
import type { RunRecord } from '../../model/run/run';
import { changedCount, changesWords } from '../../model/transfer/plan-figures';
import { planIdentity } from '../../model/transfer/plan-hash';
import { failureText, type Output } from '../terminal/output';
import { canAsk, choice, type Choice, line } from '../terminal/prompts';
import type { Style } from '../terminal/style';
import { countOf } from '../../model/text/words';
import type { Portolan } from '../../service/portolan/portolan';
import type { Desk } from './follow-run';
import { rowsNotShown } from '../../service/run/read-run';
import { planTable } from './render/plan';
import { heldBlock, targetBlock, whyBlock } from './render/parked';
import { targetOf } from '../../service/run/run-view';

/** How the person at the terminal is asked; each is undefined where they left without an answer. */
export interface Asking {
  canAsk(): boolean;
  choice<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
  ): Promise<Value | undefined>;
  /** A line of text, which may be empty. */
  line(message: string): Promise<string | undefined>;
}

/** What became of an answer that was sent. */
interface Sent {
  readonly unanswered?: string;
}

/**
 * Answers a run that waits or is parked, for whoever watches it: any of what `run approve`, `reject`, `resume` and
 * `cancel` do. Who leaves without an answer may watch again, and is asked again.
 */
export class WatchDesk implements Desk {
  /** Of plans and of parked states that were answered from here: their next look may still show them. */
  readonly #answered = new Set<string>();

  constructor(private readonly asking: Asking = { canAsk, choice, line }) {}

  async answer(portolan: Portolan, record: RunRecord, output: Output): Promise<boolean | 'later'> {
    const { plan, runId } = record;
    if (plan === undefined) return false;
    return await this.answered(`plan ${planIdentity(plan)}`, output, async () => {
      const { portal } = targetOf(record);
      const chosen = await this.asking.choice(`Plan ${plan.hash} waits.`, [
        { value: 'list', label: 'See the whole list' },
        {
          value: 'approve',
          label: [`Approve: ${countOf(plan.create, 'new item')}`, changesWords(plan)]
            .filter(Boolean)
            .join(', '),
        },
        { value: 'reject', label: 'Reject, and end the run' },
        { value: 'cancel', label: 'Cancel the run' },
        { value: 'later', label: 'Leave it waiting' },
      ]);
      if (chosen === 'list') {
        await this.showPlan(portolan, record, output);
        return 'again';
      }
      if (chosen === 'approve') {
        if (changedCount(plan) > 0 && !(await this.isMeant(portal, plan))) return 'again';
        return await portolan.approve(runId, { plan: planIdentity(plan) });
      }
      if (chosen === 'reject') {
        const reason = await this.asking.line('Why? It is kept in the record.');
        if (reason === undefined) return 'again';
        return await portolan.reject(runId, { plan: plan.hash, reason: reason || undefined });
      }
      return chosen === 'cancel' ? await this.cancel(portolan, runId) : 'later';
    });
  }

  async answerParked(portolan: Portolan, record: RunRecord, output: Output): Promise<boolean | 'later'> {
    const { parked, runId } = record;
    if (parked === undefined) return false;
    return await this.answered(`parked ${parked.count} ${parked.refusals}`, output, async () => {
      output.note(`\n${stateLines(record, parked, output.side).join('\n')}\n`);
      const chosen = await this.asking.choice(`It is parked: ${parked.code}.`, [
        { value: 'resume', label: 'Resume: both portals are looked at first' },
        { value: 'cancel', label: 'Cancel the run; it removes its packages' },
        { value: 'later', label: 'Leave it parked' },
      ]);
      if (chosen === 'resume') return await portolan.resume(runId, {});
      return chosen === 'cancel' ? await this.cancel(portolan, runId) : 'later';
    });
  }

  /** Asks until there is an answer that was sent, or somebody leaves; what was refused is said, and asked about again. */
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
    const reason = await this.asking.line('Why? It is kept in the record.');
    if (reason === undefined) return 'again';
    await portolan.cancel(runId, { reason: reason || undefined });
    return {};
  }

  /** A yes to the wrong portal is to be no slip of one key. */
  private async isMeant(portal: string, plan: Parameters<typeof changesWords>[0]): Promise<boolean> {
    const typed = await this.asking.line(
      `This will ${changesWords(plan)} on ${portal}. Type "${portal}" to go on.`,
    );
    return typed?.trim() === portal;
  }

  private async showPlan(portolan: Portolan, record: RunRecord, output: Output): Promise<void> {
    const { value: plan, why } = await portolan.readPlan(record);
    if (plan !== undefined) output.note(planTable(plan, output.side));
    else output.note(`note  ${why === undefined ? 'its rows are not in this store' : rowsNotShown(why)}`);
  }
}

/** What somebody has to know to decide about a parked run. */
const stateLines = (record: RunRecord, parked: ParkedRecord, style: Style): string[] => [
  ...whyBlock(record, parked, style),
  ...targetBlock(record, parked, style),
  ...heldBlock(parked, style),
];
