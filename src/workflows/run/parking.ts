import { CancellationScope, isCancellation, patched } from '@temporalio/workflow';
import { bytesText } from '../../model/text/bytes-text';
import type { ErrorCode } from '../../model/errors/error-codes';
import type { PhaseName } from '../../model/run/phase';
import type { ErrorRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { takeBannerDown } from './banner';
import { notifyTask } from './task-notifier';
import { bestEffort } from './calls';
import { errorRecordOf, refusal } from './failure';
import { leave } from '../gate/gates';
import { goesOnWith, redoneFrom, reusedFrom } from './parked-phases';
import { notify } from './notify';
import { answeredWithin, type Patience, patience } from './patience';
import type { Run } from './run';

/** Decisions that were made, and what nobody can mend: these end a run. */
const endings: ReadonlySet<string> = new Set<ErrorCode>([
  'REJECTED',
  'APPROVAL_EXPIRED',
  'SAME_PORTAL',
  'PREVIEW_IGNORED',
  'PARK_EXPIRED',
  'SUPERSEDED',
]);

/** What is undecided, or needs an old secret, waits for a person even before anything is on the target. */
const alwaysParked: ReadonlySet<string> = new Set<ErrorCode>(['EXPORT_UNDECIDED', 'SECRET_CHANGED']);

/** How long a run waits for a person where its route does not say. */
export const ANSWER_WITHIN_MS = 7 * 24 * 3_600_000;

/**
 * Whether a failure is left to a person instead of ending the run: once something of the run is on the target, all
 * of it would be lost.
 */
export function mayPark(run: Run, thrown: unknown): boolean {
  if (!run.operators || isCancellation(thrown)) return false;
  if (run.input.parks === false || run.route.options.planOnly) return false;
  // What a drill leaves is removed at once; the next one begins anew.
  if (run.state.kind === 'drill') return false;
  const { code } = errorRecordOf(thrown, run.route);
  if (endings.has(code)) return false;
  if (run.context.isOnTarget) return true;
  // Before that the next night is the better answer, except for runs that were parked already by an earlier version.
  return alwaysParked.has(code) && !(run.input.scheduledBy !== undefined && patched('nights'));
}

/** Waits for a person's correction. Returns the phase to go on with; throws where nobody came, or a later run did. */
export async function park(run: Run, phase: PhaseName, thrown: unknown): Promise<PhaseName> {
  const { state, input } = run;
  const error = errorRecordOf(thrown, run.route);
  const waitMs = run.route.options.answerWithinMs ?? ANSWER_WITHIN_MS;
  // A person is told soon, also where the target is away; the run's end tries again.
  await takeBannerDown(run, bestEffort);
  await leaveIdleGates(run);
  const evidence = await look(run, error);
  const patient = await patience(waitMs);
  const short = shortRunId(input.runId);
  const next = goesOnWith(run, phase, error.code);
  const at = Date.now();
  state.error = error;
  state.parked = {
    phase,
    at: new Date(at).toISOString(),
    until: new Date(patient.until).toISOString(),
    count: (run.context.parks += 1),
    code: error.code,
    reason: error.message,
    evidence,
    held: holdings(run),
    reuses: reusedFrom(run, next),
    redoes: redoneFrom(
      next,
      state.phases.map(({ name }) => name),
    ),
    commands: [`portolan run resume ${short}`, `portolan run cancel ${short}`],
    refusals: 0,
  };
  run.answers.goOnWith = undefined;
  await run.parkAt(phase);
  await notifyTask(run);
  await notify(run, 'parked');
  const since = `parked since ${state.parked.at} with ${error.code}: ${error.message}`;
  try {
    const goOn = await answer(run, patient, since);
    state.error = undefined;
    await run.goBackTo(goOn);
    await notifyTask(run);
    await leaveIdleGates(run);
    return goOn;
  } finally {
    run.endParking();
  }
}

async function answer({ answers }: Run, patient: Patience, since: string): Promise<PhaseName> {
  const isAnswered = (): boolean => answers.goOnWith !== undefined || answers.superseded !== undefined;
  const { answered, next } = await answeredWithin(patient, isAnswered);
  if (answers.goOnWith !== undefined) return answers.goOnWith;
  if (next !== undefined)
    throw refusal('SUPERSEDED', `makes room for the next run, due at ${next}, ${since}`);
  if (!answered) throw refusal('PARK_EXPIRED', `nobody resumed the run, ${since}`);
  throw refusal('SUPERSEDED', `superseded by ${answers.superseded?.by}, ${since}`);
}

/** A parked run holds no gate, except where a job of it may still run behind it. */
async function leaveIdleGates(run: Run): Promise<void> {
  for (const side of run.route.target ? (['source', 'target'] as const) : (['source'] as const)) {
    for (const direction of ['export', 'import'] as const) {
      const isOpen = run.context.openJobs.some(
        (open) => open.side === side && (open.name === 'import') === (direction === 'import'),
      );
      if (!isOpen) await leave(run, { side, direction });
    }
  }
}

/** What a person wants to know besides the reason; what cannot be seen now is left out. */
async function look(run: Run, error: ErrorRecord): Promise<string[]> {
  const { context, route } = run;
  const { target } = context;
  const seen: string[] = [];
  if (context.targetSeen !== undefined) seen.push(context.targetSeen);
  const { importsBegun: begun } = context;
  seen.push(begun === 0 ? 'no import has begun' : `${begun} import${begun > 1 ? 's' : ''} so far`);
  for (const { name, side, jobId } of context.openJobs)
    seen.push(`the ${name} job ${jobId ?? 'whose answer was lost'} may still run on ${run.end(side).portal}`);
  if (target && error.origin !== 'config') {
    const minBytes = route.options.limits.freeDiskBytes;
    await CancellationScope.nonCancellable(() =>
      bestEffort(`disk on ${target.name}`).checkDisk({ portal: target, minBytes }),
    ).then(
      (results) =>
        seen.push(
          ...results.map(
            ({ name, saw, needs, verdict }) =>
              `${name}: ${saw}${verdict === 'refuse' ? `; needed: ${needs ?? ''}` : ''}`,
          ),
        ),
      () => undefined,
    );
  }
  return seen;
}

/** What is kept while the run is parked. */
function holdings(run: Run): string[] {
  const { context } = run;
  const held = context.packages.map(({ side, itemId }) => `on ${run.end(side).portal}: package ${itemId}`);
  if (context.package) held.push(`in the store: the package, ${bytesText(context.package.sizeBytes)}`);
  if (run.state.safeguard) held.push(`in the store: safeguard ${run.state.safeguard.id}`);
  held.push(...[...run.granted].map((gate) => `${gate}, since a job may still run behind it`));
  return held;
}
