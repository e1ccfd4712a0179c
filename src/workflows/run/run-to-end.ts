import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  ContinueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { PhaseName, RunStatus } from '../../model/run/phase';
import type { RunState } from '../../model/run/run-state';
import { reading } from './activity-options';
import { continueRun, isLong } from './memory';
import { cancellationOf, errorRecordOf, failureOf, refusal } from './failure';
import { listen } from './messages';
import { observe } from '../observers/observers';
import { shouldPark, park } from './parking';
import type { Phase, PhaseEnd } from './phase';
import type { Run } from './run';

/** Errors that are a person's decision: the run ends as cancelled. */
const decided: ReadonlySet<string> = new Set(['REJECTED', 'CANCELLED']);

/**
 * Runs all phases to the end of the run: waits for its portal jobs, completes its results and removes its packages,
 * however it ended. A failed or cancelled run also fails or is cancelled in Temporal.
 */
export async function runToEnd<R extends Run>(run: R, phases: readonly Phase<R>[]): Promise<RunState> {
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
