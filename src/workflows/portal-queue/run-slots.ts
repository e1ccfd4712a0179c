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
import { requestSlot, leaveQueue } from '../run/activity-options';

/** A portal queue that a run has asked for a slot. */
interface QueueEntry {
  /** The run holds a slot or waits for one. */
  readonly isOpen: boolean;
  /** What the run knows of its slot, once it has one. */
  readonly grant?: Partial<SlotGrant>;
  /** ID of the last slot it left. */
  readonly left?: string;
}

/** The portal queues in which a run holds a slot, waits or was, by their IDs. */
export type QueueEntries = Record<string, QueueEntry>;

/** How a waiting run shows its state. */
interface WaitingRun {
  readonly input: { readonly runId: string };
  readonly memory: { readonly queues: QueueEntries; hasWaited: boolean };
  /** Shows the portal queue in which it waits, if any. */
  show(fields: { readonly queue: { readonly id: string } | undefined }): void;
}

/** The portal queues in which a run holds a slot or waits. */
export class RunSlots {
  constructor(private readonly run: WaitingRun) {}

  /** Portal queues where the run holds a slot. */
  get held(): string[] {
    return Object.keys(this.queues).filter((queueId) => this.holds(queueId));
  }

  /**
   * Waits for an export or import slot on a portal. Waiting holds no worker slot. Returns whether it had to wait.
   */
  async enter(
    { portal, concurrency = { exports: 1, imports: 1 } }: RouteEnd,
    direction: Direction,
  ): Promise<boolean> {
    const { run, queues } = this;
    const id = queueOf(portal, direction);
    if (this.holds(id)) return false;
    const slots = direction === 'export' ? concurrency.exports : concurrency.imports;
    const ask = { portal, direction, runId: run.input.runId, slots };
    // Set before asking, because the queue's signal can be handled before the activity's result.
    queues[id] = { isOpen: true, left: queues[id]?.left };
    run.show({ queue: { id } });
    const summary = `until ${portal} has a free ${direction} slot`;
    try {
      for (let pauseMs = ASK_AGAIN_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_LATER_MS)) {
        // Not cancelled, because a run that has asked must know the queue to leave it.
        await CancellationScope.nonCancellable(() => requestSlot(ask));
        if (!(await condition(() => this.holds(id), pauseMs, { summary }))) continue;
        const hasWaited = !queues[id]?.grant?.foundFree;
        if (hasWaited) run.memory.hasWaited = true;
        return hasWaited;
      }
    } finally {
      run.show({ queue: undefined });
    }
  }

  /** Frees the slot. */
  async leave({ portal }: Pick<RouteEnd, 'portal'>, direction: Direction): Promise<void> {
    await this.leaveQueue(queueOf(portal, direction));
  }

  /** Leaves every portal queue where the run holds a slot or waits. */
  async leaveAll(): Promise<void> {
    await Promise.all(Object.keys(this.queues).map((id) => this.leaveQueue(id)));
  }

  /**
   * Accepts a slot from a portal queue, perhaps more than once. Frees a slot the run no longer needs: a queue that was
   * ended does not know that the run left.
   */
  async grant(queueId: string, grant: Partial<SlotGrant> = {}): Promise<void> {
    const own = ownQueue(queueId);
    const { isOpen = false, left } = this.queues[own] ?? {};
    if (grant.id !== undefined && grant.id === left) return;
    if (isOpen) this.queues[own] = { isOpen, left, grant };
    else if (own === queueId) await leaveQueue({ queueId, runId: this.run.input.runId });
  }

  /** An operator freed the slot. */
  release(queueId: string): void {
    const own = ownQueue(queueId);
    const entry = this.queues[own];
    if (entry) this.queues[own] = { isOpen: false, left: entry.left };
  }

  private async leaveQueue(queueId: string): Promise<void> {
    const { isOpen, grant } = this.queues[queueId] ?? {};
    if (!isOpen) return;
    this.queues[queueId] = { isOpen: false, left: grant?.id };
    await CancellationScope.nonCancellable(() => leaveQueue({ queueId, runId: this.run.input.runId }));
  }

  private get queues(): QueueEntries {
    return this.run.memory.queues;
  }

  private holds(queueId: string): boolean {
    return this.queues[queueId]?.grant !== undefined;
  }
}

/**
 * The queue for the same portal and direction on the run's own task queue, which has another name in a replay. Any
 * workflow can claim to be a portal queue.
 */
function ownQueue(queueId: string): string {
  const address = parsePortalQueueId(queueId);
  return address ? queueOf(address.portal, address.direction) : '';
}

const queueOf = (portal: string, direction: Direction): string =>
  portalQueueId({ taskQueue: workflowInfo().taskQueue, portal, direction });
