import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import {
  ASK_AGAIN_FIRST_MS,
  ASK_AGAIN_LATER_MS,
  type Direction,
  gateId,
  type GateStay,
  partsOfGateId,
} from '../../model/run/gate';
import type { RouteEnd } from '../../model/transfer/route';
import { askGate, leaveGate } from '../run/calls';

/** What a run says of itself while it stands at a gate. */
interface Stand {
  /** At which gate it stands outside, if at any. */
  show(fields: { readonly queue: { readonly gate: string } | undefined }): void;
  waitsForSomebody(): void;
}

/** The gates at which a run stands, in or in the queue. */
export class Gates {
  /** Gates by portal and direction. */
  private readonly asked = new Map<string, string>();
  /** Gates where the run holds a slot; what it knows of its stay. */
  private readonly granted = new Map<string, Partial<GateStay>>();
  /** The last stay at each gate that it has left. */
  private readonly left = new Map<string, Partial<GateStay>>();

  constructor(
    private readonly runId: string,
    private readonly run: Stand,
  ) {}

  /** Gates that have let the run in. */
  get held(): readonly string[] {
    return [...this.granted.keys()];
  }

  /**
   * Waits until the run may start an export, or an import, on a portal. Holds no worker while it waits. Returns
   * whether it had to.
   */
  async enter(
    { portal, atOnce = { exports: 1, imports: 1 } }: RouteEnd,
    direction: Direction,
  ): Promise<boolean> {
    const door = doorOf(portal, direction);
    if (this.granted.has(this.asked.get(door) ?? '')) return false;
    const slots = direction === 'export' ? atOnce.exports : atOnce.imports;
    const ask = { portal, direction, runId: this.runId, slots };
    // The signal of the gate may come in one task with the end of the asking, and then before it.
    this.asked.set(door, gateId({ taskQueue: workflowInfo().taskQueue, portal, direction }));
    let hasStood = false;
    try {
      for (let pauseMs = ASK_AGAIN_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_LATER_MS)) {
        // Whoever has asked stands in the queue, and must be able to leave it.
        const { gate, isIn } = await CancellationScope.nonCancellable(() => askGate(ask));
        this.asked.set(door, gate);
        if (isIn) this.granted.set(gate, { foundFree: true });
        else this.run.show({ queue: { gate } });
        hasStood ||= isIn === false;
        if (!isIn && !(await condition(() => this.granted.has(gate), pauseMs))) continue;
        hasStood ||= !this.granted.get(gate)?.foundFree;
        if (hasStood) this.run.waitsForSomebody();
        return hasStood;
      }
    } finally {
      this.run.show({ queue: undefined });
    }
  }

  /** Makes room for the next one. */
  async leave({ portal }: Pick<RouteEnd, 'portal'>, direction: Direction): Promise<void> {
    await this.leaveDoor(doorOf(portal, direction));
  }

  /** Leaves every gate at which the run stands, in it or in its queue. */
  async leaveAll(): Promise<void> {
    await Promise.all([...this.asked.keys()].map((door) => this.leaveDoor(door)));
  }

  /**
   * A gate has let the run in, and may say so several times. A place that nobody asks for is given back: a gate that was
   * ended did not hear that it was left.
   */
  async grant(gate: string, stay: Partial<GateStay> = {}): Promise<void> {
    if (stay.id !== undefined && this.left.get(gate)?.id === stay.id) return;
    if ([...this.asked.values()].includes(gate)) this.granted.set(gate, stay);
    else if (isOurs(gate)) await leaveGate({ gate, runId: this.runId });
  }

  /** Somebody has taken the run's place at the gate away. */
  release(gate: string): void {
    for (const [door, asked] of this.asked) if (asked === gate) this.asked.delete(door);
    this.granted.delete(gate);
  }

  private async leaveDoor(door: string): Promise<void> {
    const gate = this.asked.get(door);
    if (gate === undefined) return;
    this.left.set(gate, this.granted.get(gate) ?? {});
    this.asked.delete(door);
    this.granted.delete(gate);
    await CancellationScope.nonCancellable(() => leaveGate({ gate, runId: this.runId }));
  }
}

/** Anybody can say that they are a gate. */
const isOurs = (gate: string): boolean => partsOfGateId(gate)?.taskQueue === workflowInfo().taskQueue;

const doorOf = (portal: string, direction: Direction): string => `${portal}/${direction}`;
