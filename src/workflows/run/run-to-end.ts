import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  ContinueAsNew,
  isCancellation,
  workflowInfo,
  setWorkflowOptions,
  setHandler,
} from '@temporalio/workflow';
import type { PhaseName, RunStatus } from '../../model/run/phase';
import type { RunState } from '../../model/run/run-state';
import { reading, admitStart } from './activity-options';
import { continueRun, isLong, type Memory } from './memory';
import { cancellationOf, errorRecordOf, failureOf, refusal } from './failure';
import { listen } from './messages';
import { observe } from '../observers/observers';
import { shouldPark, park } from './parking';
import type { Phase, PhaseEnd, Kind } from './phase';
import type { Run } from './run';
import { kindOfType, type Signed } from '../../model/run/signature';
import { outcomeQuery } from './signed-answers';
import { firstState, now, stateQuery } from './state';

/** Makes the workflow of a kind of run. @param phases in order, by the run's input */
export function defineRun<Input extends Received & { readonly runId: string }, R extends Run>(
  kind: Kind<R>,
  RunOfKind: new (kind: Kind<R>, input: Input, memory?: Memory) => R,
  phases: (input: Input) => readonly Phase<R>[],
): (signed: Input, memory?: Memory) => Promise<RunState> {
  const workflow = async (signed: Input, claimed?: Memory): Promise<RunState> => {
    // Memory is not signed, so a starter could claim any; only a continued execution has some.
    const memory = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : claimed;
    const input = await authenticateStart(signed, memory?.state);
    const run = new RunOfKind(kind, input, memory);
    run.signed = signed;
    return await runToEnd(run, phases(input));
  };
  if (!kind.followsVersion) pinToVersion(workflow);
  return workflow;
}

/**
 * Pins runs to the worker version that started them, so that a deployment cannot change an import halfway. Runs that an
 * unversioned worker started are not pinned.
 *
 * Set for each execution, because an unversioned worker may set no versioning behavior.
 * @see https://docs.temporal.io/production-deployment/worker-deployments/worker-versioning
 */
const pinToVersion = (workflow: Parameters<typeof setWorkflowOptions>[1]): void =>
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
    workflow,
  );

/** The input a workflow received. A scheduled one has no run ID, because Temporal chooses it. */
type Received = Signed & { readonly runId?: string };

/**
 * Checks that a start was signed with the control key, before the workflow does anything else. Otherwise ends the run
 * with NOT_AUTHENTIC.
 *
 * @param before the state of the execution it continues, which queries return meanwhile
 */
export async function authenticateStart<Input extends Received>(
  given: Input,
  before?: RunState,
): Promise<Input & { readonly runId: string }> {
  const { workflowId, workflowType, firstExecutionRunId } = workflowInfo();
  // Anyone with access to Temporal can start it with any input.
  const input: Input = typeof given === 'object' ? { ...given } : ({} as Input);
  const { runId = workflowId } = input;
  let state = before ?? stateOf(workflowType, { ...input, runId });
  // Queries must be answered before the start is authenticated. The SDK keeps signals until they have handlers.
  setHandler(stateQuery, () => state);
  setHandler(outcomeQuery, () => undefined);
  try {
    await admitStart({ workflowType, workflowId, execution: firstExecutionRunId, input });
  } catch (thrown) {
    const error = errorRecordOf(thrown, {});
    // Nothing claimed by a start that is not authentic is shown.
    const told = error.code === 'NOT_AUTHENTIC' ? stateOf(workflowType, { runId }) : state;
    const wasCancelled = isCancellation(thrown);
    state = { ...told, status: wasCancelled ? 'cancelled' : 'failed', finishedAt: now(), error };
    throw wasCancelled ? cancellationOf(state) : failureOf(state);
  }
  return { ...input, runId };
}

/** The state of a run that has done nothing yet, as far as its input is readable. */
function stateOf(workflowType: string, input: Received & { readonly runId: string }): RunState {
  const kind = kindOfType(workflowType);
  const nothing = { startedBy: '', route: { name: '' } };
  try {
    return firstState(kind, { ...nothing, ...input });
  } catch {
    return firstState(kind, { ...nothing, runId: input.runId });
  }
}

/** Errors that are a person's decision: the run ends as cancelled. */
const decided: ReadonlySet<string> = new Set(['REJECTED', 'CANCELLED']);

/**
 * Runs all phases to the end of the run: waits for its portal jobs, completes its results and removes its packages,
 * however it ended. A failed or cancelled run also fails or is cancelled in Temporal.
 */
async function runToEnd<R extends Run>(run: R, phases: readonly Phase<R>[]): Promise<RunState> {
  const { last } = run.kind;
  run.begin(last ? [...phases, last] : phases);
  listen(run);
  let thrown: unknown;
  try {
    if (!run.isContinued) await observe('started', run);
    await run.scope.run(async () => {
      if (!run.isContinued) await supersedeEarlier(run);
      await walk(run, phases);
    });
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    // A request that has been sent is waited for, and may fail for a reason of its own.
    const isOfCancelled = run.scope.consideredCancelled && error instanceof ActivityFailure;
    thrown = isOfCancelled ? new CancelledFailure('the run was cancelled') : error;
    run.fail(errorRecordOf(thrown, run.route));
  }
  const state = await CancellationScope.nonCancellable(async () => {
    await run.kind.settle?.(run, thrown);
    if (last) await step(run, last);
    await condition(allHandlersFinished);
    const closed = await run.close(verdict(run, isCancellation(thrown)));
    await observe('ended', run);
    await run.save(true);
    return closed;
  });
  return throwUnlessDone(run, state, thrown);
}

/**
 * Runs the phases in order until one says that nothing is left to do, starting where an earlier execution stopped. If
 * the history is long, continues as new.
 */
async function walk<R extends Run>(run: R, phases: readonly Phase<R>[]): Promise<void> {
  const { memory } = run;
  const indexOf = (name: PhaseName): number => {
    const index = phases.findIndex((each) => each.name === name);
    if (index < 0) throw refusal('INTERNAL', `a ${run.kind.name} has no phase ${name}`);
    return index;
  };
  let next = memory.at === undefined ? 0 : indexOf(memory.at);
  for (let phase = phases[next]; phase; phase = phases[next]) {
    memory.at = phase.name;
    const { then, error }: PhaseEnd = await stepOrPark(run, phase);
    if (error) run.fail(error);
    if (error || then === 'end') return;
    next = then ? indexOf(then) : next + 1;
    memory.at = phases[next]?.name;
    if (phases[next] && isLong()) await continueRun(run);
  }
}

/** Runs a phase. If it fails and a person can help, parks and returns the phase to resume with. */
async function stepOrPark<R extends Run>(run: R, phase: Phase<R>): Promise<PhaseEnd> {
  try {
    return await step(run, phase);
  } catch (thrown) {
    if (thrown instanceof ContinueAsNew || !shouldPark(run, thrown)) throw thrown;
    return { then: await park(run, phase, thrown) };
  }
}

/** Runs one phase, and saves the run's record at its end. */
async function step<R extends Run>(run: R, phase: Phase<R>): Promise<PhaseEnd> {
  const record = run.enterPhase(phase);
  try {
    const end = await phase.run(run);
    const { status = 'done', detail = record.detail } = end;
    await run.leavePhase(phase, { status, detail });
    return end;
  } catch (thrown) {
    // The next execution continues in this phase.
    if (thrown instanceof ContinueAsNew) throw thrown;
    const detail = isCancellation(thrown) ? 'cancelled' : errorRecordOf(thrown, run.route).message;
    await run.leavePhase(phase, { status: 'failed', detail });
    throw thrown;
  }
}

/** A scheduled run supersedes its parked predecessors, which nobody resumed. */
async function supersedeEarlier(run: Run): Promise<void> {
  const { scheduledBy, runId } = run.input;
  if (scheduledBy === undefined) return;
  const superseded = await reading('earlier parked runs').supersedeParked({
    runId,
    route: run.route.name,
    scheduledBy,
  });
  for (const earlier of superseded) run.warn(`replaces ${earlier}, which was parked`);
}

/** The status of a run that has ended. */
function verdict(run: Run, isCancelled: boolean): RunStatus {
  const { error } = run.state;
  if (isCancelled || (error && decided.has(error.code))) return 'cancelled';
  if (error) return 'failed';
  return run.kind.verdict(run);
}

/**
 * Ends a failed or cancelled run so in Temporal too, with its state. A child run that was cancelled fails instead,
 * because Temporal passes no details of a cancellation to the parent.
 */
function throwUnlessDone(run: Run, state: RunState, thrown: unknown): RunState {
  const isChild = workflowInfo().parent !== undefined;
  if (state.status === 'cancelled' && !isChild) throw cancellationOf(state);
  if (isCancellation(thrown) && !tellsItsParent(run)) throw thrown;
  const { error } = state;
  if (thrown === undefined && error === undefined) return state;
  throw failureOf(state);
}

/** Whether the parent must learn what a cancelled run had written: a stage may hold some of it. */
const tellsItsParent = ({ input }: Run): boolean => 'promotion' in input;
