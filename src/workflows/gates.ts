import type { Duration } from '@temporalio/common';
import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import { type Direction, gateId } from '../model/gate';
import { askGate, leaveGate } from './calls';
import type { Run } from './run';

/**
 * A gate that is gone, with whoever ended it, has forgotten its line, and one that was slow to answer may have let the
 * run in unheard: asking again is asking once.
 */
const ASK_AGAIN_FIRST = '5 seconds';
const ASK_AGAIN_LATER = '10 minutes';

export interface Door {
  readonly side: 'source' | 'target';
  readonly direction: Direction;
}

/** Waits until the run may start an export, or an import, on a portal. Holds no worker while it waits. */
export async function enter(run: Run, door: Door): Promise<void> {
  if (!run.operators) return;
  const { portal, atOnce = { exports: 1, imports: 1 } } = run.route[door.side];
  const { direction } = door;
  const gate = gateId({ taskQueue: workflowInfo().taskQueue, portal, direction });
  if (run.granted.has(gate)) return;
  const slots = direction === 'export' ? atOnce.exports : atOnce.imports;
  run.asked.add(gate);
  run.state.queue = { gate };
  try {
    let pause: Duration = ASK_AGAIN_FIRST;
    while (!run.granted.has(gate)) {
      if (await askGate({ gate, runId: run.input.runId, slots })) run.granted.add(gate);
      else await condition(() => run.granted.has(gate), pause);
      pause = ASK_AGAIN_LATER;
    }
  } finally {
    run.state.queue = undefined;
  }
}

/** Makes room for the next one. */
export async function leave(run: Run, { side, direction }: Door): Promise<void> {
  const { taskQueue } = workflowInfo();
  await leaveOne(run, gateId({ taskQueue, portal: run.route[side].portal, direction }));
}

/** Leaves every gate at which the run stands, in it or in line. */
export async function leaveAll(run: Run): Promise<void> {
  await Promise.all([...run.asked].map((gate) => leaveOne(run, gate)));
}

async function leaveOne(run: Run, gate: string): Promise<void> {
  if (!run.asked.delete(gate)) return;
  run.granted.delete(gate);
  await CancellationScope.nonCancellable(() => leaveGate({ gate, runId: run.input.runId }));
}
