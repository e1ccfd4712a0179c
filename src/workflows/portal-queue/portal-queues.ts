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

/** A portal queue that a run has asked for a slot. */
export interface Place {
  /** Portal and direction. */
  readonly door: string;
  readonly queueId: string;
  /** What the run knows of its slot, once it has one. */
  readonly stay?: Partial<SlotStay> | undefined;
  readonly hasLeft?: boolean;
}

/** How a waiting run shows its state. */
interface Stand {
  readonly input: { readonly runId: string };
  readonly memory: { places: readonly Place[] };
  /** Shows the portal queue in which it waits, if any. */
  show(fields: { readonly queue: { readonly id: string } | undefined }): void;
  noteWait(): void;
}

/** The portal queues in which a run holds a slot or waits. */
export class PortalQueues {
  constructor(private readonly run: Stand) {}

  /** Portal queues where the run holds a slot. */
  get held(): readonly string[] {
    return this.open.flatMap(({ queueId, stay }) => (stay ? [queueId] : []));
  }

  /**
   * Waits for an export or import slot on a portal. Waiting holds no worker slot. Returns whether it had to wait.
   */
  async enter(
    { portal, concurrency = { exports: 1, imports: 1 } }: RouteEnd,
    direction: Direction,
  ): Promise<boolean> {
    const door = doorOf(portal, direction);
    if (this.at(door)?.stay) return false;
    const slots = direction === 'export' ? concurrency.exports : concurrency.imports;
    const ask = { portal, direction, runId: this.run.input.runId, slots };
    // Set before asking, because the queue's signal can be handled before the activity's result.
    this.note({ door, queueId: portalQueueId({ taskQueue: workflowInfo().taskQueue, portal, direction }) });
    const summary = `until ${portal} has a free ${direction} slot`;
    try {
      for (let pauseMs = ASK_AGAIN_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_LATER_MS)) {
        // Not cancelled, because a run that has asked must know the queue to leave it.
        const { queueId } = await CancellationScope.nonCancellable(() => requestSlot(ask));
        this.note({ door, queueId, stay: this.at(door)?.stay });
        this.run.show({ queue: { id: queueId } });
        if (!(await condition(() => this.at(door)?.stay !== undefined, pauseMs, { summary }))) continue;
        const hasStood = !this.at(door)?.stay?.foundFree;
        if (hasStood) this.run.noteWait();
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
    await Promise.all(this.open.map(({ door }) => this.leaveDoor(door)));
  }

  /**
   * Accepts a slot from a portal queue, perhaps more than once. Frees a slot the run no longer needs: a queue that was
   * ended does not know that the run left.
   */
  async grant(queueId: string, stay: Partial<SlotStay> = {}): Promise<void> {
    const { places } = this.run.memory;
    const isTheOneLeft = (place: Place): boolean =>
      place.hasLeft === true && place.queueId === queueId && place.stay?.id === stay.id;
    if (stay.id !== undefined && places.some(isTheOneLeft)) return;
    const place = this.open.find((each) => each.queueId === queueId);
    if (place) this.note({ ...place, stay });
    else if (isOwnQueue(queueId)) await leaveQueue({ queueId, runId: this.run.input.runId });
  }

  /** An operator freed the slot. */
  release(queueId: string): void {
    const { memory } = this.run;
    memory.places = memory.places.filter((place) => place.queueId !== queueId || place.hasLeft);
  }

  private async leaveDoor(door: string): Promise<void> {
    const place = this.at(door);
    if (!place) return;
    const { queueId } = place;
    this.note({ ...place, hasLeft: true });
    await CancellationScope.nonCancellable(() => leaveQueue({ queueId, runId: this.run.input.runId }));
  }

  private get open(): readonly Place[] {
    return this.run.memory.places.filter(({ hasLeft }) => !hasLeft);
  }

  private at(door: string): Place | undefined {
    return this.open.find((place) => place.door === door);
  }

  /** Replaces what is known of this place: the one asked, or the last one left. */
  private note(place: Place): void {
    const { memory } = this.run;
    const isReplaced = ({ door, hasLeft }: Place): boolean =>
      door === place.door && (place.hasLeft || !hasLeft);
    memory.places = [...memory.places.filter((each) => !isReplaced(each)), place];
  }
}

/** Any workflow can claim to be a portal queue. */
const isOwnQueue = (queueId: string): boolean =>
  parsePortalQueueId(queueId)?.taskQueue === workflowInfo().taskQueue;

const doorOf = (portal: string, direction: Direction): string => `${portal}/${direction}`;
