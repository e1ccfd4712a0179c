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
  const { runId } = run.input;
  return await awaitOpenings(
    run,
    name,
    () => reading('windows', asked.target.portal).askWindow({ runId, asked }),
    async (opening) => await untilOpen(run, opening),
  );
}

interface Opening {
  readonly until: string;
  readonly why: string;
  readonly inMs: number;
}

/**
 * Waits as long as `ask` names a later moment, and shows it. Returns whether it had to wait.
 * @param wait until that moment
 */
export async function awaitOpenings<R extends Run>(
  run: R,
  name: PhaseName,
  ask: () => Promise<Opening | undefined | null>,
  wait: (opening: Opening) => Promise<void>,
): Promise<boolean> {
  let opening = await ask();
  if (!opening) return false;
  try {
    for (; opening; opening = await ask()) {
      const { until, why } = opening;
      await run.kind.releaseSlots?.(run);
      await run.setWindow(name, { until, why });
      await wait(opening);
    }
  } finally {
    await run.setWindow(name, undefined);
  }
  return true;
}

async function untilOpen({ input }: Run, { until: opens, why, inMs }: Opening): Promise<void> {
  const { next } = await answeredWithin(
    untilOpening(await readDeadline(Date.now() + inMs, input)),
    input,
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
