import type { PhaseName } from '../../model/run/phase';
import type { IntendedWrite } from '../../model/run/policy';
import { reading } from '../run/activity-options';
import { refusal } from '../run/failure';
import { answeredWithin, type Patience, patience } from '../run/decision-timeout';
import { asking } from './guards';
import type { Run } from '../run/run';
import type { TransferRun } from './transfer-run';

/**
 * Waits until the windows of the target let its import begin. Holds neither a worker nor a slot while it waits. Returns
 * whether it had to; then the guards have to be asked again.
 *
 * @throws what ends the run where its schedule starts the next one before
 */
export async function awaitWindow(
  run: TransferRun,
  name: PhaseName,
  asked: IntendedWrite = asking(run),
): Promise<boolean> {
  return await awaitWindowFor(run, name, asked);
}

/** The same, of any run: `asked` is what it is about to write. */
export async function awaitWindowFor<R extends Run>(
  run: R,
  name: PhaseName,
  asked: IntendedWrite,
): Promise<boolean> {
  if (!run.facts.ruling?.hasWindows) return false;
  const ask = () => reading('windows', asked.target.portal).askWindow({ runId: run.input.runId, asked });
  let window = await ask();
  if (!window) return false;
  try {
    for (; window; window = await ask()) {
      const { until, why, inMs } = window;
      await run.kind.rest?.(run);
      await run.awaits(name, { until, why });
      await opening(run, inMs, window);
    }
  } finally {
    await run.awaits(name, undefined);
  }
  return true;
}

interface Opening {
  readonly until: string;
  readonly why: string;
}

async function opening({ input }: Run, inMs: number, { until: opens, why }: Opening): Promise<void> {
  const { next } = await answeredWithin(
    untilOpening(await patience(inMs, input)),
    () => false,
    // Temporal takes no summary of more than 400 bytes.
    `until ${opens}: ${why}`.slice(0, 100),
  );
  if (next !== undefined)
    throw refusal('SUPERSEDED', `ended for the next run, due at ${next}, before a window opens at ${opens}`);
}

/**
 * How long a run waits for a window that opens at the end of its patience: to its next start, if that comes before. A
 * later run of the schedule has newer content, and waits itself; one that is due only then would find this one done.
 */
export function untilOpening(patient: Patience): Patience {
  const { next, end } = patient;
  return next !== undefined && Date.parse(next) < end ? patient : { end, until: end };
}
