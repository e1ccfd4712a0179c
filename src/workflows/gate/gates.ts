import type { Duration } from '@temporalio/common';
import { CancellationScope, condition } from '@temporalio/workflow';
import type { Direction } from '../../model/run/gate';
import { askGate, leaveGate } from '../run/calls';
import type { Run } from '../run/run';

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
export async function enter(run: Run, { side, direction }: Door): Promise<void> {
  if (!run.operators) return;
  const { portal, atOnce = { exports: 1, imports: 1 } } = run.end(side);
  const place = placeOf(portal, direction);
  if (run.granted.has(run.asked.get(place) ?? '')) return;
  const slots = direction === 'export' ? atOnce.exports : atOnce.imports;
  const ask = { portal, direction, runId: run.input.runId, slots };
  try {
    for (let pause: Duration = ASK_AGAIN_FIRST; ; pause = ASK_AGAIN_LATER) {
      // Whoever has asked stands in line, and must be able to leave it.
      const { gate, isIn } = await CancellationScope.nonCancellable(() => askGate(ask));
      run.asked.set(place, gate);
      if (isIn) run.granted.add(gate);
      else run.state.queue = { gate };
      if (isIn || (await condition(() => run.granted.has(gate), pause))) return;
    }
  } finally {
    run.state.queue = undefined;
  }
}

/** Makes room for the next one. */
export async function leave(run: Run, { side, direction }: Door): Promise<void> {
  await leavePlace(run, placeOf(run.end(side).portal, direction));
}

/** Leaves every gate at which the run stands, in it or in line. */
export async function leaveAll(run: Run): Promise<void> {
  await Promise.all([...run.asked.keys()].map((place) => leavePlace(run, place)));
}

const placeOf = (portal: string, direction: Direction): string => `${portal}/${direction}`;

async function leavePlace(run: Run, place: string): Promise<void> {
  const gate = run.asked.get(place);
  if (gate === undefined) return;
  run.asked.delete(place);
  run.granted.delete(gate);
  await CancellationScope.nonCancellable(() => leaveGate({ gate, runId: run.input.runId }));
}
