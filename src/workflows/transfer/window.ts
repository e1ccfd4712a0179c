import type { PhaseName } from '../../model/run/phase';
import type { IntendedWrite } from '../../model/run/policy';
import { reading } from '../run/activity-options';
import { refusal } from '../run/failure';
import { answeredWithin, type DecisionDeadline, readDeadline } from '../run/decision-timeout';
import { intendedWriteOf } from './guards';
import type { Run } from '../run/run';
import type { TransferRun } from './transfer-run';

/**
 * Waits for a window of the target. Waiting holds neither a worker slot nor a portal slot. Returns whether it had to
 * wait; preflight checks must then be repeated.
 *
 * @throws SUPERSEDED if its schedule starts the next run first
 */
export async function awaitWindow(run: TransferRun, name: PhaseName): Promise<boolean> {
  return await awaitWindowFor(run, name, intendedWriteOf(run));
}

/** Waits for a window, for any kind of run. @param asked what it is about to write */
export async function awaitWindowFor<R extends Run>(
  run: R,
  name: PhaseName,
  asked: IntendedWrite,
): Promise<boolean> {
  if (!run.facts.ruling?.hasWindows) return false;
  const ask = () =>
    reading(`windows of ${asked.target.portal}`, asked.target.portal).askWindow({
      runId: run.input.runId,
      asked,
    });
  let window = await ask();
  if (!window) return false;
  try {
    for (; window; window = await ask()) {
      const { until, why, inMs } = window;
      await run.kind.releaseSlots?.(run);
      await run.setWindow(name, { until, why });
      await opening(run, inMs, window);
    }
  } finally {
    await run.setWindow(name, undefined);
  }
  return true;
}

interface Opening {
  readonly until: string;
  readonly why: string;
}

async function opening({ input }: Run, inMs: number, { until: opens, why }: Opening): Promise<void> {
  const { next } = await answeredWithin(
    untilOpening(await readDeadline(inMs, input)),
    () => false,
    // Temporal limits a summary to 400 bytes.
    `until ${opens}: ${why}`.slice(0, 100),
  );
  if (next !== undefined)
    throw refusal('SUPERSEDED', `ended for the next run, due at ${next}, before a window opens at ${opens}`);
}

/**
 * Limits the wait for a window by the schedule's next start, if that comes first: the next run has newer content. A
 * next run due only when the window opens will find this one done.
 */
export function untilOpening(patient: DecisionDeadline): DecisionDeadline {
  const { next, end } = patient;
  return next !== undefined && Date.parse(next) < end ? patient : { end, until: end };
}
