import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type SlotRequest,
  type SlotHolder,
  portalQueueMemoKey,
  portalQueueMessages,
  type SlotRelease,
  type SlotReleased,
  type PortalQueueState,
  type SlotGrant,
} from '../../model/run/portal-queue';
import { messageNames } from '../../model/run/run-input';
import { countOf } from '../../model/text/words';
import { watching } from '../run/activity-options';
import { refuse } from '../run/failure';
import { type Answer, hear, type Heard, nothingHeard, outcomeOf, outcomeQuery } from '../run/signed-answers';
import { now } from '../run/state';
import { isLong } from '../run/memory';

const ask = defineSignal<[SlotRequest]>(portalQueueMessages.ask);
const leave = defineSignal<[string]>(portalQueueMessages.leave);
const release = defineSignal<[SlotRelease]>(portalQueueMessages.release);
const state = defineQuery<PortalQueueState>(portalQueueMessages.state);

/** Pause after the checks of a holder have failed and their retries ended. @format milliseconds */
const LOOKS_FAILED_MS = 10 * 60_000;

/**
 * Gives a portal's slots to runs in the order they asked. One loop grants and notifies, so that no run can jump the
 * queue. It detects holders that ended without leaving, and ends when no run holds a slot or waits.
 *
 * @param context holders and waiting runs of the previous execution
 * @param wasEnded the previous execution was ended from outside, perhaps before it notified its holders
 * @param heard answers of the previous execution
 */
export async function portalQueue(
  context?: PortalQueueState,
  wasEnded = false,
  heard = nothingHeard(),
): Promise<void> {
  const held = new PortalQueue(heard, context);
  if (wasEnded) held.tellAgain();
  for (;;) {
    await held.admit();
    if (held.isEmpty) {
      // Whoever released the last slot gets an outcome first, and another run may ask meanwhile.
      await condition(allHandlersFinished);
      if (held.isEmpty) return;
    }
    if (isLong()) {
      await condition(allHandlersFinished);
      await makeContinueAsNewFunc<typeof portalQueue>({ memo: { [portalQueueMemoKey]: held.state } })(
        held.state,
        false,
        heard,
      );
    }
    await condition(() => held.hasChanged);
  }
}

class PortalQueue {
  private slots: number;
  private holders: SlotHolder[];
  private waiting: string[];
  /** Holders not yet notified. */
  private readonly untold = new Set<string>();
  /** Runs that asked while a slot was free and no run waited. */
  private readonly foundFree = new Set<string>();
  private readonly watches = new Map<string, CancellationScope>();
  /** Holders that could not be notified and may have ended. */
  private readonly doubted = new Set<string>();
  hasChanged = false;

  constructor(
    heard: Heard,
    { slots, holders, waiting }: PortalQueueState = { slots: 1, holders: [], waiting: [] },
  ) {
    this.slots = slots;
    this.holders = [...holders];
    this.waiting = [...waiting];
    setHandler(state, () => this.state);
    setHandler(ask, (asked) => this.ask(asked));
    setHandler(leave, (runId) => this.leave(runId));
    setHandler(release, async (released) => void (await hear(heard, () => this.releaseOf(released))));
    setHandler(outcomeQuery, (nonce) => outcomeOf(heard, nonce));
  }

  get state(): PortalQueueState {
    return { slots: this.slots, holders: this.holders, waiting: this.waiting };
  }

  get isEmpty(): boolean {
    return this.holders.length === 0 && this.waiting.length === 0;
  }

  /** Notifies all holders again, since they may not know of their slot. */
  tellAgain(): void {
    for (const { runId } of this.holders) this.untold.add(runId);
  }

  /**
   * Grants free slots to the next runs, updates the memo and notifies the holders. Memo and signals reach the server
   * together, so a portal queue that is ended has notified no run that its memo does not list.
   */
  async admit(): Promise<void> {
    do {
      this.hasChanged = false;
      while (this.holders.length < this.slots && this.waiting.length > 0) this.letIn(this.waiting.shift()!);
      this.show();
      for (const runId of [...this.untold]) await this.tell(runId);
      this.watchHolders();
    } while (this.hasChanged);
  }

  /** Checks become rarer with time, so they restart with each new waiting run. */
  private watchHolders(): void {
    for (const { runId } of this.holders) {
      if (this.isToBeWatched(runId)) this.watch(runId);
      else this.endWatch(runId);
    }
  }

  /** If no run waits, an ended holder blocks none, and Temporal Cloud bills each check as an action. */
  private isToBeWatched(runId: string): boolean {
    return this.waiting.length > 0 || this.doubted.has(runId);
  }

  private endWatch(runId: string): void {
    this.watches.get(runId)?.cancel();
    this.watches.delete(runId);
  }

  private show(): void {
    upsertMemo({ [portalQueueMemoKey]: this.state });
    setCurrentDetails(details(this.state));
  }

  private async tell(runId: string): Promise<void> {
    this.untold.delete(runId);
    const since = this.holders.find((holder) => holder.runId === runId)?.since ?? '';
    const { workflowId, firstExecutionRunId } = workflowInfo();
    const grant: SlotGrant = {
      id: `${firstExecutionRunId} ${since}`,
      foundFree: this.foundFree.delete(runId),
    };
    // A signal also fails for an open run that received too many. A check shows whether it has ended.
    if (await this.notify(runId, messageNames.granted, workflowId, grant)) this.doubted.delete(runId);
    else this.doubted.add(runId);
  }

  private ask({ runId, slots }: SlotRequest): void {
    this.slots = slots;
    this.hasChanged = true;
    const isFree = this.waiting.length === 0 && this.holders.length < slots;
    // A run that asks again does not know of its slot.
    if (this.holds(runId)) this.untold.add(runId);
    else if (!this.waiting.includes(runId)) {
      this.waiting.push(runId);
      if (isFree) this.foundFree.add(runId);
    }
  }

  private letIn(runId: string): void {
    this.holders.push({ runId, since: now() });
    this.untold.add(runId);
  }

  private leave(runId: string): void {
    this.holders = this.holders.filter((holder) => holder.runId !== runId);
    this.waiting = this.waiting.filter((each) => each !== runId);
    this.untold.delete(runId);
    this.foundFree.delete(runId);
    this.doubted.delete(runId);
    this.endWatch(runId);
    this.hasChanged = true;
  }

  private releaseOf(message: SlotRelease): Answer {
    const { runId, since, who, reason } = message;
    const { workflowId } = workflowInfo();
    return {
      name: portalQueueMessages.release,
      workflowId,
      message,
      // Signed for this slot only: a repeat would free a later one.
      check: () => {
        if (!this.holders.some((each) => each.runId === runId && each.since === since))
          throw refuse(`${runId} holds no slot of this portal queue`);
      },
      take: async () => {
        this.leave(runId);
        const released: SlotReleased = { queueId: workflowId, who, reason, release: message };
        await this.notify(runId, messageNames.slotReleased, released);
        return `${runId} no longer holds a slot of ${workflowId}`;
      },
    };
  }

  private holds(runId: string): boolean {
    return this.holders.some((holder) => holder.runId === runId);
  }

  /** Returns whether the signal was delivered. */
  private async notify(
    runId: string,
    signal: string,
    ...words: (string | SlotReleased | SlotGrant)[]
  ): Promise<boolean> {
    try {
      await getExternalWorkflowHandle(runId).signal(signal, ...words);
      return true;
    } catch (thrown) {
      // A cancellation of the portal queue does not mean that the run has ended.
      if (isCancellation(thrown)) throw thrown;
      return false;
    }
  }

  /** Frees the slot of a holder that has ended. */
  private watch(runId: string): void {
    if (this.watches.has(runId)) return;
    const scope = new CancellationScope();
    this.watches.set(runId, scope);
    scope
      .run(() => untilOver(runId))
      .then(
        () => this.leave(runId),
        // Only a cancellation gets here.
        () => undefined,
      );
  }
}

/** Returns once the run has ended. A check that fails proves nothing, so it is repeated. */
async function untilOver(runId: string): Promise<void> {
  for (;;) {
    try {
      return await watching(`whether ${runId} is still open`).watchRun({ runId });
    } catch (thrown) {
      if (isCancellation(thrown)) throw thrown;
      await sleep(LOOKS_FAILED_MS, { summary: `until the next check of ${runId}` });
    }
  }
}

const details = ({ slots, holders, waiting }: PortalQueueState): string =>
  [
    `**${holders.length} of ${slots}** slots in use, ${countOf(waiting.length, 'run')} waiting`,
    '',
    ...holders.map(({ runId, since }) => `- ${runId} has held a slot since ${since}`),
    '',
    ...waiting.map((runId, index) => `${index + 1}. ${runId}`),
  ].join('\n');
