import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import {
  ASK_AGAIN_FIRST_MS,
  ASK_AGAIN_LATER_MS,
  type Direction,
  portalQueueId,
  type SlotGrant,
  parsePortalQueueId,
} from '../../model/run/portal-queue';
import type { RouteEnd } from '../../model/transfer/route';
import { requestSlot, leaveQueue as leave } from '../run/activity-options';

/** A portal queue that a run has asked for a slot. */
export interface QueueEntry {
  /** Portal and direction. */
  readonly name: string;
  readonly queueId: string;
  /** What the run knows of its slot, once it has one. */
  readonly grant?: Partial<SlotGrant> | undefined;
  readonly hasLeft?: boolean;
}

/** How a waiting run shows its state. */
interface WaitingRun {
  readonly input: { readonly runId: string };
  readonly memory: { queueEntries: readonly QueueEntry[]; hasWaited: boolean };
  /** Shows the portal queue in which it waits, if any. */
  show(fields: { readonly queue: { readonly id: string } | undefined }): void;
}

/** The portal queues in which a run holds a slot or waits. */
export class RunSlots {
  constructor(private readonly run: WaitingRun) {}

  /** Portal queues where the run holds a slot. */
  get held(): readonly string[] {
    return this.open.flatMap(({ queueId, grant }) => (grant ? [queueId] : []));
  }

  /**
   * Waits for an export or import slot on a portal. Waiting holds no worker slot. Returns whether it had to wait.
   */
  async enter(
    { portal, concurrency = { exports: 1, imports: 1 } }: RouteEnd,
    direction: Direction,
  ): Promise<boolean> {
    const name = queueNameOf(portal, direction);
    if (this.at(name)?.grant) return false;
    const slots = direction === 'export' ? concurrency.exports : concurrency.imports;
    const ask = { portal, direction, runId: this.run.input.runId, slots };
    // Set before asking, because the queue's signal can be handled before the activity's result.
    this.note({ name, queueId: portalQueueId({ taskQueue: workflowInfo().taskQueue, portal, direction }) });
    const summary = `until ${portal} has a free ${direction} slot`;
    try {
      for (let pauseMs = ASK_AGAIN_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_LATER_MS)) {
        // Not cancelled, because a run that has asked must know the queue to leave it.
        const { queueId } = await CancellationScope.nonCancellable(() => requestSlot(ask));
        this.note({ name, queueId, grant: this.at(name)?.grant });
        this.run.show({ queue: { id: queueId } });
        if (!(await condition(() => this.at(name)?.grant !== undefined, pauseMs, { summary }))) continue;
        const hasWaited = !this.at(name)?.grant?.foundFree;
        if (hasWaited) this.run.memory.hasWaited = true;
        return hasWaited;
      }
    } finally {
      this.run.show({ queue: undefined });
    }
  }

  /** Frees the slot. */
  async leave({ portal }: Pick<RouteEnd, 'portal'>, direction: Direction): Promise<void> {
    await this.leaveQueue(queueNameOf(portal, direction));
  }

  /** Leaves every portal queue where the run holds a slot or waits. */
  async leaveAll(): Promise<void> {
    await Promise.all(this.open.map(({ name }) => this.leaveQueue(name)));
  }

  /**
   * Accepts a slot from a portal queue, perhaps more than once. Frees a slot the run no longer needs: a queue that was
   * ended does not know that the run left.
   */
  async grant(queueId: string, grant: Partial<SlotGrant> = {}): Promise<void> {
    const { queueEntries } = this.run.memory;
    const isOneLeft = (entry: QueueEntry): boolean =>
      entry.hasLeft === true && entry.queueId === queueId && entry.grant?.id === grant.id;
    if (grant.id !== undefined && queueEntries.some(isOneLeft)) return;
    const entry = this.open.find((each) => each.queueId === queueId);
    if (entry) this.note({ ...entry, grant });
    else if (isOwnQueue(queueId)) await leave({ queueId, runId: this.run.input.runId });
  }

  /** An operator freed the slot. */
  release(queueId: string): void {
    const { memory } = this.run;
    memory.queueEntries = memory.queueEntries.filter((entry) => entry.queueId !== queueId || entry.hasLeft);
  }

  private async leaveQueue(name: string): Promise<void> {
    const entry = this.at(name);
    if (!entry) return;
    const { queueId } = entry;
    this.note({ ...entry, hasLeft: true });
    await CancellationScope.nonCancellable(() => leave({ queueId, runId: this.run.input.runId }));
  }

  private get open(): readonly QueueEntry[] {
    return this.run.memory.queueEntries.filter(({ hasLeft }) => !hasLeft);
  }

  private at(name: string): QueueEntry | undefined {
    return this.open.find((entry) => entry.name === name);
  }

  /** Replaces what is known of this entry: the one asked, or the last one left. */
  private note(entry: QueueEntry): void {
    const { memory } = this.run;
    const isReplaced = ({ name, hasLeft }: QueueEntry): boolean =>
      name === entry.name && (entry.hasLeft || !hasLeft);
    memory.queueEntries = [...memory.queueEntries.filter((each) => !isReplaced(each)), entry];
  }
}

/** Any workflow can claim to be a portal queue. */
const isOwnQueue = (queueId: string): boolean =>
  parsePortalQueueId(queueId)?.taskQueue === workflowInfo().taskQueue;

const queueNameOf = (portal: string, direction: Direction): string => `${portal}/${direction}`;
