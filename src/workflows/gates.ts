import { CancellationScope, condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { type Direction, gateId, gateMessages } from '../model/gate';
import { askGate } from './calls';
import type { Run } from './run';

/** A gate that is gone, with whoever ended it, has forgotten its line: asking again is asking once. */
const ASK_AGAIN_AFTER = '10 minutes';

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
    do await askGate({ gate, runId: run.input.runId, slots });
    while (!(await condition(() => run.granted.has(gate), ASK_AGAIN_AFTER)));
  } finally {
    run.state.queue = undefined;
  }
}

/** Makes room for the next one. */
export async function leave(run: Run, { side, direction }: Door): Promise<void> {
  const { taskQueue } = workflowInfo();
  await leaveGate(run, gateId({ taskQueue, portal: run.route[side].portal, direction }));
}

/** Leaves every gate at which the run stands, in it or in line. */
export async function leaveAll(run: Run): Promise<void> {
  await Promise.all([...run.asked].map((gate) => leaveGate(run, gate)));
}

async function leaveGate(run: Run, gate: string): Promise<void> {
  if (!run.asked.delete(gate)) return;
  run.granted.delete(gate);
  await CancellationScope.nonCancellable(() =>
    // A gate that is gone has nobody in it.
    getExternalWorkflowHandle(gate)
      .signal(gateMessages.leave, run.input.runId)
      .catch(() => undefined),
  );
}
