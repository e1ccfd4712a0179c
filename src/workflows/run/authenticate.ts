import { CancellationScope, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import { portalQueueMessages, type SlotReleased } from '../../model/run/portal-queue';
import { kindOfType, type Signed } from '../../model/run/signature';
import type { RunState } from '../../model/run/run-state';
import { admitAnswer, admitStart } from './activity-options';
import { holdUpdates } from './early-updates';
import { cancellationOf, errorRecordOf, failureOf, refuse } from './failure';
import type { Run } from './run';
import { firstState, now, stateQuery } from './state';

/** How many refused decisions a record lists. */
const NOTED_MAX = 20;

/** The input a workflow received. A scheduled one has no run ID, because Temporal chooses it. */
export type Received = Signed & { readonly runId?: string };

/**
 * Checks that a start was signed with the control key, before the workflow does anything else. Otherwise ends the run
 * with NOT_AUTHENTIC.
 *
 * @param before the state of the execution it continues, which queries return meanwhile
 */
export async function admitted<Input extends Received>(
  given: Input,
  before?: RunState,
): Promise<Input & { readonly runId: string }> {
  const { workflowId, workflowType, firstExecutionRunId } = workflowInfo();
  // Anyone with access to Temporal can start it with any input.
  const input: Input = typeof given === 'object' ? { ...given } : ({} as Input);
  const { runId = workflowId } = input;
  let state = before ?? stateOf(workflowType, { ...input, runId });
  // Queries must be answered before the start is authenticated.
  setHandler(stateQuery, () => state);
  holdUpdates();
  try {
    await admitStart({ workflowType, workflowId, execution: firstExecutionRunId, input });
  } catch (thrown) {
    const error = errorRecordOf(thrown, {});
    // Nothing claimed by a start that is not authentic is shown.
    const told = error.code === 'NOT_AUTHENTIC' ? stateOf(workflowType, { runId }) : state;
    const wasCancelled = isCancellation(thrown);
    state = { ...told, status: wasCancelled ? 'cancelled' : 'failed', finishedAt: now(), error };
    throw wasCancelled ? cancellationOf(state) : failureOf(state);
  }
  return { ...input, runId };
}

/** The state of a run that has done nothing yet, as far as its input is readable. */
function stateOf(workflowType: string, input: Received & { readonly runId: string }): RunState {
  const kind = kindOfType(workflowType);
  const nothing = { startedBy: '', route: { name: '' } };
  try {
    return firstState(kind, { ...nothing, ...input });
  } catch {
    return firstState(kind, { ...nothing, runId: input.runId });
  }
}

/** Accepts decisions signed for a run, each only once. */
export class SignedAnswers {
  constructor(private readonly run: Run) {}

  /** Throws NOT_AUTHENTIC and records it as a warning. @param name of the update or signal */
  async hear(name: string, message: Signed): Promise<void> {
    await this.admit(name, message, { workflowId: this.run.input.runId, name, message });
  }

  /** Accepts the release of a slot, signed for the portal queue. Throws and warns as `hear` does. */
  async hearOfRelease({ queueId, who, reason, release }: SlotReleased): Promise<void> {
    const { release: name } = portalQueueMessages;
    const isTold =
      release?.runId === this.run.input.runId && release.who === who && release.reason === reason;
    // A message that differs from what was signed counts as unsigned.
    const message = isTold ? release : {};
    await this.admit(name, message, { workflowId: queueId, name, message });
  }

  /** Whether this decision was already accepted, by update or signal. */
  wasHeard({ proof }: Signed): boolean {
    return proof?.nonce !== undefined && this.run.memory.heard.includes(proof.nonce);
  }

  /** Runs `work`. A refusal becomes a warning, because no caller is waiting. @returns whether it was done */
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
      // A decision sent before a cancellation must still be accepted.
      await CancellationScope.nonCancellable(() => admitAnswer(answer));
    } catch (thrown) {
      const { code, message } = errorRecordOf(thrown, {});
      const why = code === 'NOT_AUTHENTIC' ? 'it is not authentic' : message;
      this.note(`${name}: a decision was refused: ${why}`);
      throw thrown;
    }
    const { nonce = '' } = message.proof ?? {};
    const { heard } = this.run.memory;
    if (heard.includes(nonce)) {
      this.note(`${name}: a decision was refused: it was used before`);
      throw refuse('this decision was already used');
    }
    heard.push(nonce);
  }

  private note(warning: string): void {
    this.run.memory.refused += 1;
    if (this.run.memory.refused <= NOTED_MAX) this.run.warn(warning);
  }
}
