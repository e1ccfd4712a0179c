import { isCancellation } from '@temporalio/workflow';
import type { ErrorCode } from '../../model/errors/error-codes';
import type { PhaseName } from '../../model/run/phase';
import { shortRunId } from '../../model/run/run-id';
import { errorRecordOf, refusal } from './failure';
import { observe } from '../observers/observers';
import { answeredWithin, DECISION_TIMEOUT_MS, type Patience, patience } from './decision-timeout';
import type { Phase } from './phase';
import type { Run } from './run';

/** Decisions that were made, and what nobody can mend: these end a run. */
const endings: ReadonlySet<string> = new Set<ErrorCode>([
  'REJECTED',
  'APPROVAL_EXPIRED',
  'PLAN_CHANGED',
  'SAME_PORTAL',
  'PREVIEW_IGNORED',
  'PARK_EXPIRED',
  'SUPERSEDED',
]);

/** What is undecided, or needs an old secret, waits for a person even before anything is on the target. */
const alwaysParked: ReadonlySet<string> = new Set<ErrorCode>(['EXPORT_UNDECIDED', 'SECRET_CHANGED']);

/**
 * Whether a failure is left to a person instead of ending the run: once something of the run is on the target, all
 * of it would be lost.
 */
export function mayPark(run: Run, thrown: unknown): boolean {
  const { input, kind, route, traces } = run;
  if (!kind.parks || input.parks === false || route.options?.planOnly || isCancellation(thrown)) return false;
  const { code } = errorRecordOf(thrown, route);
  if (endings.has(code) || (code === 'CANCELLED' && run.scope.consideredCancelled)) return false;
  if (traces.isOnTarget) return true;
  // Before that the next night is the better answer.
  return alwaysParked.has(code) && input.scheduledBy === undefined;
}

/** Waits for a person's correction. Returns the phase to go on with; throws where nobody came, or a later run did. */
export async function park<R extends Run>(run: R, phase: Phase<R>, thrown: unknown): Promise<PhaseName> {
  const { state, input, kind } = run;
  const error = errorRecordOf(thrown, run.route);
  // A person is notified soon, also where the target is away; the run's end tries again.
  await observe('halted', run);
  await kind.rest?.(run);
  const looks = await kind.look?.(run, error);
  const patient = await patience(run.route.options?.decisionTimeoutMs ?? DECISION_TIMEOUT_MS, input);
  const short = shortRunId(input.runId);
  const next = resumePhase(run, phase, error.code);
  const at = new Date(Date.now()).toISOString();
  await run.park(error, {
    phase: phase.name,
    at,
    until: new Date(patient.until).toISOString(),
    code: error.code,
    reason: error.message,
    evidence: looks?.evidence ?? [],
    held: looks?.held ?? [],
    reuses: kind.reuses?.(run, next) ?? [],
    redoes: redoneFrom(
      next,
      state.phases.map(({ name }) => name),
    ),
    commands: [
      ...(kind.suggests?.(run) ?? []),
      `portolan run resume ${short}`,
      `portolan run cancel ${short}`,
    ],
    refusals: 0,
  });
  await observe('parked', run);
  const since = `parked since ${at} with ${error.code}: ${error.message}`;
  try {
    const goOn = await answer(run, patient, since);
    await run.goBackTo(goOn);
    await observe('resumed', run);
    await kind.rest?.(run);
    return goOn;
  } finally {
    run.endParking();
  }
}

/** The phase with which a run that is parked in this one goes on. */
export const resumePhase = <R extends Run>(run: R, phase: Phase<R>, code: string): PhaseName =>
  phase.resumesWith?.(run, code) ?? phase.name;

async function answer({ answers }: Run, patient: Patience, since: string): Promise<PhaseName> {
  const isAnswered = (): boolean => answers.goOnWith !== undefined || answers.superseded !== undefined;
  const { answered, next } = await answeredWithin(patient, isAnswered, 'until someone resumes or cancels it');
  if (answers.goOnWith !== undefined) return answers.goOnWith;
  if (next !== undefined) throw refusal('SUPERSEDED', `ended for the next run, due at ${next}, ${since}`);
  if (!answered) throw refusal('PARK_EXPIRED', `nobody resumed the run, ${since}`);
  throw refusal('SUPERSEDED', `superseded by ${answers.superseded?.by}, ${since}`);
}

/** What a resume does, in the words of the phases. */
const redoneFrom = (from: PhaseName, phases: readonly PhaseName[]): string[] =>
  phases
    .slice(phases.indexOf(from))
    .map((phase) => (phase === 'preview' ? 'preview; needs a new approval if the plan changed' : phase));
