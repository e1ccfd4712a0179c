import type { Duration } from '@temporalio/common';
import { CancellationScope, condition } from '@temporalio/workflow';
import type { Direction } from '../../model/run/gate';
import type { RouteEnd } from '../../model/transfer/route';
import { askGate, leaveGate } from '../run/calls';

/**
 * A gate that is gone, with whoever ended it, has forgotten its queue, and one that was slow to answer may have let the
 * run in unheard: asking again is asking once.
 */
const ASK_AGAIN_FIRST = '5 seconds';
const ASK_AGAIN_LATER = '10 minutes';

/** The gates at which a run stands, in or in the queue. */
export class Gates {
  /** Gates by portal and direction. */
  private readonly asked = new Map<string, string>();
  private readonly granted = new Set<string>();

  /** @param showQueue says in the run's record at which gate it waits, if at any */
  constructor(
    private readonly runId: string,
    private readonly showQueue: (queue: { readonly gate: string } | undefined) => void,
  ) {}

  /** Gates that have let the run in. */
  get held(): readonly string[] {
    return [...this.granted];
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
    try {
      for (let pause: Duration = ASK_AGAIN_FIRST, waited = false; ; pause = ASK_AGAIN_LATER, waited = true) {
        // Whoever has asked stands in the queue, and must be able to leave it.
        const { gate, isIn } = await CancellationScope.nonCancellable(() => askGate(ask));
        this.asked.set(door, gate);
        if (isIn) this.granted.add(gate);
        else this.showQueue({ gate });
        if (isIn) return waited;
        if (await condition(() => this.granted.has(gate), pause)) return true;
      }
    } finally {
      this.showQueue(undefined);
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

  /** The gate has let the run in. */
  grant(gate: string): void {
    if ([...this.asked.values()].includes(gate)) this.granted.add(gate);
  }

  /** Somebody has taken the run's place at the gate away. */
  release(gate: string): void {
    for (const [door, asked] of this.asked) if (asked === gate) this.asked.delete(door);
    this.granted.delete(gate);
  }

  private async leaveDoor(door: string): Promise<void> {
    const gate = this.asked.get(door);
    if (gate === undefined) return;
    this.asked.delete(door);
    this.granted.delete(gate);
    await CancellationScope.nonCancellable(() => leaveGate({ gate, runId: this.runId }));
  }
}

const doorOf = (portal: string, direction: Direction): string => `${portal}/${direction}`;
