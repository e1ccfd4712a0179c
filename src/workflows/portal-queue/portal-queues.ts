import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import {
  ASK_AGAIN_FIRST_MS,
  ASK_AGAIN_LATER_MS,
  type Direction,
  portalQueueId,
  type SlotStay,
  parsePortalQueueId,
} from '../../model/run/portal-queue';
import type { RouteEnd } from '../../model/transfer/route';
import { requestSlot, leaveQueue } from '../run/activity-options';

/** How a waiting run shows its state. */
interface Stand {
  /** Shows the portal queue in which it waits, if any. */
  show(fields: { readonly queue: { readonly id: string } | undefined }): void;
  waitsForSomebody(): void;
}

/** The portal queues in which a run holds a slot or waits. */
export class PortalQueues {
  /** Portal queue IDs by portal and direction. */
  private readonly asked = new Map<string, string>();
  /** Portal queues where the run holds a slot, with what it knows of that slot. */
  private readonly granted = new Map<string, Partial<SlotStay>>();
  /** The last slot in each portal queue the run has left. */
  private readonly left = new Map<string, Partial<SlotStay>>();

  constructor(
    private readonly runId: string,
    private readonly run: Stand,
  ) {}

  /** Portal queues where the run holds a slot. */
  get held(): readonly string[] {
    return [...this.granted.keys()];
  }

  /**
   * Waits for an export or import slot on a portal. Waiting holds no worker slot. Returns whether it had to wait.
   */
  async enter(
    { portal, concurrency = { exports: 1, imports: 1 } }: RouteEnd,
    direction: Direction,
  ): Promise<boolean> {
    const door = doorOf(portal, direction);
    if (this.granted.has(this.asked.get(door) ?? '')) return false;
    const slots = direction === 'export' ? concurrency.exports : concurrency.imports;
    const ask = { portal, direction, runId: this.runId, slots };
    // Set before asking, because the queue's signal can be handled before the activity's result.
    this.asked.set(door, portalQueueId({ taskQueue: workflowInfo().taskQueue, portal, direction }));
    const summary = `until ${portal} has a free ${direction} slot`;
    let hasStood = false;
    try {
      for (let pauseMs = ASK_AGAIN_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_LATER_MS)) {
        // Not cancelled, because a run that has asked must know the queue to leave it.
        const { queueId, isIn } = await CancellationScope.nonCancellable(() => requestSlot(ask));
        this.asked.set(door, queueId);
        if (isIn) this.granted.set(queueId, { foundFree: true });
        else this.run.show({ queue: { id: queueId } });
        hasStood ||= isIn === false;
        if (!isIn && !(await condition(() => this.granted.has(queueId), pauseMs, { summary }))) continue;
        hasStood ||= !this.granted.get(queueId)?.foundFree;
        if (hasStood) this.run.waitsForSomebody();
        return hasStood;
      }
    } finally {
      this.run.show({ queue: undefined });
    }
  }

  /** Frees the slot. */
  async leave({ portal }: Pick<RouteEnd, 'portal'>, direction: Direction): Promise<void> {
    await this.leaveDoor(doorOf(portal, direction));
  }

  /** Leaves every portal queue where the run holds a slot or waits. */
  async leaveAll(): Promise<void> {
    await Promise.all([...this.asked.keys()].map((door) => this.leaveDoor(door)));
  }

  /**
   * Accepts a slot from a portal queue, perhaps more than once. Frees a slot the run no longer needs: a queue that was
   * ended does not know that the run left.
   */
  async grant(queueId: string, stay: Partial<SlotStay> = {}): Promise<void> {
    if (stay.id !== undefined && this.left.get(queueId)?.id === stay.id) return;
    if ([...this.asked.values()].includes(queueId)) this.granted.set(queueId, stay);
    else if (isOwnQueue(queueId)) await leaveQueue({ queueId, runId: this.runId });
  }

  /** An operator freed the slot. */
  release(queueId: string): void {
    for (const [door, asked] of this.asked) if (asked === queueId) this.asked.delete(door);
    this.granted.delete(queueId);
  }

  private async leaveDoor(door: string): Promise<void> {
    const queueId = this.asked.get(door);
    if (queueId === undefined) return;
    this.left.set(queueId, this.granted.get(queueId) ?? {});
    this.asked.delete(door);
    this.granted.delete(queueId);
    await CancellationScope.nonCancellable(() => leaveQueue({ queueId, runId: this.runId }));
  }
}

/** Any workflow can claim to be a portal queue. */
const isOwnQueue = (queueId: string): boolean =>
  parsePortalQueueId(queueId)?.taskQueue === workflowInfo().taskQueue;

const doorOf = (portal: string, direction: Direction): string => `${portal}/${direction}`;
