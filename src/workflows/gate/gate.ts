import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
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
  type GateAsk,
  type GateHolder,
  gateMemoKey,
  gateMessages,
  type GateRelease,
  type GateReleased,
  type GateState,
  type GateStay,
} from '../../model/run/gate';
import { messageNames } from '../../model/run/run-input';
import { admitAnswer, watching } from '../run/calls';
import { refuse } from '../run/failure';
import { now } from '../run/state';
import { isLong } from '../run/long-history';

const ask = defineSignal<[GateAsk]>(gateMessages.ask);
const leave = defineSignal<[string]>(gateMessages.leave);
const release = defineUpdate<string, [GateRelease]>(gateMessages.release);
const state = defineQuery<GateState>(gateMessages.state);

/** The pause after looks at a holder have failed for as long as they are retried. @format milliseconds */
const LOOKS_FAILED_MS = 10 * 60_000;

/**
 * Lets so many runs at a time pass, in the order in which they asked. One loop admits and tells, so that nobody slips in
 * between; a holder that is over without having left is noticed. Ends when nobody is in and nobody waits.
 *
 * @param context who stood at the gate before
 * @param wasEnded somebody has ended the gate that it goes on from, who knows what it was about to say
 */
export async function gate(context?: GateState, wasEnded = false): Promise<void> {
  const held = new Gate(context);
  if (wasEnded) held.tellAgain();
  for (;;) {
    await held.admit();
    if (held.isEmpty) {
      // Whoever emptied it is answered first, and somebody may have come meanwhile.
      await condition(allHandlersFinished);
      if (held.isEmpty) return;
    }
    if (isLong()) {
      await condition(allHandlersFinished);
      await makeContinueAsNewFunc<typeof gate>({ memo: { [gateMemoKey]: held.state } })(held.state);
    }
    await condition(() => held.hasChanged);
  }
}

class Gate {
  private slots: number;
  private holders: GateHolder[];
  private queue: string[];
  /** Holders that have not been told yet. */
  private readonly untold = new Set<string>();
  /** Those who asked while there was room and nobody waited. */
  private readonly foundFree = new Set<string>();
  private readonly watches = new Map<string, CancellationScope>();
  /** Holders that could not be told: they may have ended. */
  private readonly doubted = new Set<string>();
  hasChanged = false;

  constructor({ slots, holders, queue }: GateState = { slots: 1, holders: [], queue: [] }) {
    this.slots = slots;
    this.holders = [...holders];
    this.queue = [...queue];
    setHandler(state, () => this.state);
    setHandler(ask, (asked) => this.ask(asked));
    setHandler(leave, (runId) => this.leave(runId));
    setHandler(release, (released) => this.release(released), {
      validator: ({ runId }) => {
        if (!this.holds(runId)) throw refuse(`${runId} holds no slot here`);
      },
    });
    for (const { runId } of this.holders) this.watch(runId);
  }

  get state(): GateState {
    return { slots: this.slots, holders: this.holders, queue: this.queue };
  }

  get isEmpty(): boolean {
    return this.holders.length === 0 && this.queue.length === 0;
  }

  /** Holders may not have heard that they are in. */
  tellAgain(): void {
    for (const { runId } of this.holders) this.untold.add(runId);
  }

  /**
   * Lets in who is next while there is room, shows outside who is in and who waits, and tells them. What is shown goes to
   * the server together with what is told: a gate that is ended has told nobody whom it does not show.
   */
  async admit(): Promise<void> {
    do {
      this.hasChanged = false;
      while (this.holders.length < this.slots && this.queue.length > 0) this.letIn(this.queue.shift()!);
      this.show();
      for (const runId of [...this.untold]) await this.tell(runId);
      this.watchHolders();
    } while (this.hasChanged);
  }

  /** Looks come less often the longer they go on: whoever waits next begins them anew. */
  private watchHolders(): void {
    for (const { runId } of this.holders) {
      if (this.isToBeWatched(runId)) this.watch(runId);
      else this.endWatch(runId);
    }
  }

  /** While no run waits, an ended holder keeps none out, and Temporal Cloud bills each look as an action. */
  private isToBeWatched(runId: string): boolean {
    return this.queue.length > 0 || this.doubted.has(runId);
  }

  private endWatch(runId: string): void {
    this.watches.get(runId)?.cancel();
    this.watches.delete(runId);
  }

  private show(): void {
    upsertMemo({ [gateMemoKey]: this.state });
    setCurrentDetails(details(this.state));
  }

  private async tell(runId: string): Promise<void> {
    this.untold.delete(runId);
    const since = this.holders.find((holder) => holder.runId === runId)?.since ?? '';
    const { workflowId, firstExecutionRunId } = workflowInfo();
    const stay: GateStay = { id: `${firstExecutionRunId} ${since}`, foundFree: this.foundFree.delete(runId) };
    // A signal can also fail for an open run, if that has had too many of them. A look tells whether it has ended.
    if (await this.notify(runId, messageNames.granted, workflowId, stay)) this.doubted.delete(runId);
    else this.doubted.add(runId);
    this.watch(runId);
  }

  private ask({ runId, slots }: GateAsk): void {
    this.slots = slots;
    this.hasChanged = true;
    const isFree = this.queue.length === 0 && this.holders.length < slots;
    // Whoever asks again has not heard it.
    if (this.holds(runId)) this.untold.add(runId);
    else if (!this.queue.includes(runId)) {
      this.queue.push(runId);
      if (isFree) this.foundFree.add(runId);
    }
  }

  private letIn(runId: string): void {
    this.holders.push({ runId, since: now() });
    this.untold.add(runId);
  }

  private leave(runId: string): void {
    this.holders = this.holders.filter((holder) => holder.runId !== runId);
    this.queue = this.queue.filter((each) => each !== runId);
    this.untold.delete(runId);
    this.foundFree.delete(runId);
    this.doubted.delete(runId);
    this.endWatch(runId);
    this.hasChanged = true;
  }

  private async release(released: GateRelease): Promise<string> {
    const { runId, since, who, reason } = released;
    const { workflowId } = workflowInfo();
    await admitAnswer({ workflowId, name: gateMessages.release, message: released });
    // It was signed for this place: a repeat would take away a later one.
    const holder = this.holders.find((each) => each.runId === runId);
    if (holder === undefined || holder.since !== since) throw refuse(`${runId} holds no slot here`);
    this.leave(runId);
    const gate = workflowId;
    await this.notify(runId, messageNames.gateReleased, {
      ...{ gate, who, reason },
      release: released,
    } satisfies GateReleased);
    return `${runId} no longer holds ${gate}`;
  }

  private holds(runId: string): boolean {
    return this.holders.some((holder) => holder.runId === runId);
  }

  /** Whether the run has heard it. */
  private async notify(
    runId: string,
    signal: string,
    ...words: (string | GateReleased | GateStay)[]
  ): Promise<boolean> {
    try {
      await getExternalWorkflowHandle(runId).signal(signal, ...words);
      return true;
    } catch (thrown) {
      // Who cancels the gate ends no run.
      if (isCancellation(thrown)) throw thrown;
      return false;
    }
  }

  /** A holder that has ended, in whatever way, has left. */
  private watch(runId: string): void {
    if (!this.holds(runId) || this.watches.has(runId) || !this.isToBeWatched(runId)) return;
    const scope = new CancellationScope();
    this.watches.set(runId, scope);
    scope
      .run(() => untilOver(runId))
      .then(
        () => this.leave(runId),
        // Only a cancellation comes here.
        () => undefined,
      );
  }
}

/** Returns once a look finds that the run has ended. A failed look says nothing about that. */
async function untilOver(runId: string): Promise<void> {
  for (;;) {
    try {
      return await watching(`whether ${runId} is still open`).watchRun({ runId });
    } catch (thrown) {
      if (isCancellation(thrown)) throw thrown;
      await sleep(LOOKS_FAILED_MS);
    }
  }
}

const details = ({ slots, holders, queue }: GateState): string =>
  [
    `**${holders.length} of ${slots}** slots in use, ${queue.length} waiting`,
    '',
    ...holders.map(({ runId, since }) => `- holds a slot since ${since}: ${runId}`),
    ...queue.map((runId, index) => `- ${index + 1}. waiting: ${runId}`),
  ].join('\n');
