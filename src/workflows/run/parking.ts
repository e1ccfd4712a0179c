import { isCancellation } from '@temporalio/workflow';
import type { ErrorCode } from '../../model/errors/error-codes';
import type { PhaseName } from '../../model/run/phase';
import { shortRunId } from '../../model/run/run-id';
import { errorRecordOf, refusal } from './failure';
import { observe } from '../observers/observers';
import { answeredWithin, DECISION_TIMEOUT_MS, type DecisionDeadline, readDeadline } from './decision-timeout';
import type { Phase } from './phase';
import type { Run } from './run';

/** Decisions, and errors nobody can fix: these end a run. */
const endings: ReadonlySet<string> = new Set<ErrorCode>([
  'REJECTED',
  'APPROVAL_EXPIRED',
  'PLAN_CHANGED',
  'SAME_PORTAL',
  'PREVIEW_IGNORED',
  'PARK_EXPIRED',
  'SUPERSEDED',
]);

/** What is undecided, or needs an old secret, waits for a person even if nothing is on the target yet. */
const alwaysParked: ReadonlySet<string> = new Set<ErrorCode>(['EXPORT_UNDECIDED', 'SECRET_CHANGED']);

/**
 * Whether a failure parks the run instead of ending it. Once part of the run is on the target, ending it would lose
 * that work.
 */
export function shouldPark(run: Run, thrown: unknown): boolean {
  const { input, kind, route } = run;
  if (!kind.parks || input.parks === false || route.options?.planOnly || isCancellation(thrown)) return false;
  const { code } = errorRecordOf(thrown, route);
  if (endings.has(code) || (code === 'CANCELLED' && run.scope.consideredCancelled)) return false;
  if (run.work.isOnTarget) return true;
  // Before that, the schedule's next run is the better remedy.
  return alwaysParked.has(code) && input.scheduledBy === undefined;
}

/** Parks a run. Returns the phase to resume with; throws if nobody resumes it or a later run replaces it. */
export async function park<R extends Run>(run: R, phase: Phase<R>, thrown: unknown): Promise<PhaseName> {
  const { state, input, kind } = run;
  const error = errorRecordOf(thrown, run.route);
  // People are notified soon even if the target is down; the end of the run tries again.
  await observe('halted', run);
  await kind.releaseSlots?.(run);
  const looks = await kind.describeParked?.(run, error);
  const waitMs = run.route.options?.decisionTimeoutMs ?? DECISION_TIMEOUT_MS;
  const patient = await readDeadline(Date.now() + waitMs, input);
  const short = shortRunId(input.runId);
  const next = resumePhase(run, phase, error.code);
  const at = new Date(Date.now()).toISOString();
  await run.markParked(error, {
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
    await kind.releaseSlots?.(run);
    return goOn;
  } finally {
    run.endParking();
  }
}

/** The phase that a run parked in `phase` resumes with. */
export const resumePhase = <R extends Run>(run: R, phase: Phase<R>, code: string): PhaseName =>
  phase.resumesWith?.(run, code) ?? phase.name;

async function answer({ answers, input }: Run, patient: DecisionDeadline, since: string): Promise<PhaseName> {
  const isAnswered = (): boolean => answers.goOnWith !== undefined || answers.superseded !== undefined;
  const { answered, next } = await answeredWithin(
    patient,
    input,
    isAnswered,
    'until someone resumes or cancels the run',
  );
  if (answers.goOnWith !== undefined) return answers.goOnWith;
  if (next !== undefined) throw refusal('SUPERSEDED', `ended for the next run, due at ${next}, ${since}`);
  if (!answered) throw refusal('PARK_EXPIRED', `nobody resumed the run, ${since}`);
  throw refusal('SUPERSEDED', `superseded by ${answers.superseded?.by}, ${since}`);
}

/** What a resume repeats, for people. */
const redoneFrom = (from: PhaseName, phases: readonly PhaseName[]): string[] =>
  phases
    .slice(phases.indexOf(from))
    .map((phase) => (phase === 'preview' ? 'preview; needs a new approval if the plan changed' : phase));
