import { CancellationScope, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import { portalQueueMessages, type SlotReleased } from '../../model/run/portal-queue';
import { kindOfType, type Signed } from '../../model/run/signature';
import type { RunState } from '../../model/run/run-state';
import { admitAnswer, admitStart } from './activity-options';
import { holdUpdates } from './early-updates';
import { cancellationOf, errorRecordOf, failureOf, refuse } from './failure';
import type { Run } from './run';
import { firstState, now, stateQuery } from './state';

/** Refusals of answers that a record names. */
const NOTED_MAX = 20;

/** The input as its workflow received it: Temporal names what a schedule starts. */
type Received = Signed & { readonly runId?: string };

/**
 * The input of a workflow, once it is shown to come from somebody who has the control key: nothing is done before. Ends
 * the run with NOT_AUTHENTIC otherwise.
 */
export async function admitted<Input extends Received>(
  given: Input,
): Promise<Input & { readonly runId: string }> {
  const { workflowId, workflowType, firstExecutionRunId } = workflowInfo();
  // Whoever reaches Temporal starts it with whatever they like.
  const input: Input = typeof given === 'object' ? { ...given } : ({} as Input);
  const { runId = workflowId } = input;
  let state = stateOf(workflowType, { ...input, runId });
  // Whoever asks meanwhile hears that it has done nothing yet.
  setHandler(stateQuery, () => state);
  holdUpdates();
  try {
    await admitStart({ workflowType, workflowId, execution: firstExecutionRunId, input });
  } catch (thrown) {
    const error = errorRecordOf(thrown, {});
    // What is claimed by a start that is not authentic is not told again.
    const told = error.code === 'NOT_AUTHENTIC' ? stateOf(workflowType, { runId }) : state;
    const wasCancelled = isCancellation(thrown);
    state = { ...told, status: wasCancelled ? 'cancelled' : 'failed', finishedAt: now(), error };
    throw wasCancelled ? cancellationOf(state) : failureOf(state);
  }
  return { ...input, runId };
}

/** A run that has done nothing yet, as far as its input can be read. */
function stateOf(workflowType: string, input: Received & { readonly runId: string }): RunState {
  const kind = kindOfType(workflowType);
  const nothing = { startedBy: '', route: { name: '' } };
  try {
    return firstState(kind, { ...nothing, ...input });
  } catch {
    return firstState(kind, { ...nothing, runId: input.runId });
  }
}

/** Hears answers that were signed for a run, each of them once. */
export class SignedAnswers {
  private readonly heard = new Set<string>();
  private noted = 0;

  constructor(private readonly run: Run) {}

  /** Throws NOT_AUTHENTIC, and notes it in the run's record. @param name of the update or signal */
  async hear(name: string, message: Signed): Promise<void> {
    await this.admit(name, message, { workflowId: this.run.input.runId, name, message });
  }

  /** Hears that a slot was freed, by what the portal queue was told. Throws and notes as `hear` does. */
  async hearOfRelease({ queueId, who, reason, release }: SlotReleased): Promise<void> {
    const { release: name } = portalQueueMessages;
    const isTold =
      release?.runId === this.run.input.runId && release.who === who && release.reason === reason;
    // What says something else than was signed is as good as unsigned.
    const message = isTold ? release : {};
    await this.admit(name, message, { workflowId: queueId, name, message });
  }

  /** Whether this very answer was heard before, by whatever way it came. */
  wasHeard({ proof }: Signed): boolean {
    return proof?.nonce !== undefined && this.heard.has(proof.nonce);
  }

  /** Does what nobody waits for: where it is refused, the run's record says so. @returns whether it was done */
  takes(name: string, work: () => unknown): boolean {
    try {
      work();
      return true;
    } catch (thrown) {
      this.note(`${name}: a decision was not accepted: ${errorRecordOf(thrown, {}).message}`);
      return false;
    }
  }

  private async admit(
    name: string,
    message: Signed,
    answer: Parameters<typeof admitAnswer>[0],
  ): Promise<void> {
    try {
      // Who cancels the run in Temporal the next moment makes no word unheard that was sent before.
      await CancellationScope.nonCancellable(() => admitAnswer(answer));
    } catch (thrown) {
      const { code, message } = errorRecordOf(thrown, {});
      const why = code === 'NOT_AUTHENTIC' ? 'it is not authentic' : message;
      this.note(`${name}: a decision was refused: ${why}`);
      throw thrown;
    }
    const { nonce = '' } = message.proof ?? {};
    if (this.heard.has(nonce)) {
      this.note(`${name}: a decision was refused: it was used before`);
      throw refuse('this decision was already used');
    }
    this.heard.add(nonce);
  }

  private note(warning: string): void {
    this.noted += 1;
    if (this.noted <= NOTED_MAX) this.run.warn(warning);
  }
}
