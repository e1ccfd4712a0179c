import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { HuntInput } from '../../model/run/bisect';
import type { RunState } from '../../model/run/run-state';
import type { Reuse } from '../../model/run/run-input';
import { tellTask } from '../run/task-notifier';
import { errorRecordOf, refusal } from '../run/failure';
import { HuntChild } from './bisect-child';
import {
  afterPart,
  countOf,
  firstParts,
  isHopeless,
  largerHalf,
  type Part,
  smallerHalf,
} from './bisect-parts';
import { actionOf, firstState } from '../run/first-state';
import { closeHunt, saveHunt } from './bisect-state';
import { isLong } from '../run/long-history';
import { cancelSignal, stateQuery } from '../run/messages';
import { tellEnd } from '../run/notify';
import { throwUnlessDone } from '../run/outcome';

/** How far a hunt is. */
interface Hunted {
  readonly state: RunState;
  /** What is still to be tried, the next part last. */
  readonly pending: readonly Part[];
  /** Runs of one item whose import failed, with the portal's words. */
  readonly poison: Readonly<Record<string, string>>;
}

/**
 * Finds the items with which an import fails as a whole, by halving. Each part is a sync of its own with one import,
 * so that what is not at fault is imported on the way. A failure of another kind ends the hunt: the next part would
 * fail of it as well.
 */
export async function hunt(input: HuntInput, carried?: Hunted): Promise<RunState> {
  const { options } = input.route;
  // A hunt is shown as any run, but for its phases: it has the runs of its parts instead.
  const state: RunState = carried?.state ?? { ...firstState('hunt', input), children: [] };
  const poison = { ...carried?.poison };
  const firstHalf = patched('smaller-half-first') ? smallerHalf : largerHalf;
  let pending = carried?.pending ?? firstParts(countOf(options), input.reuse, input.wholeFailed, firstHalf);
  let isCancelled = false;
  state.temporal.runId = workflowInfo().runId;
  const child = new HuntChild(input, state);
  setHandler(stateQuery, () => state);
  setHandler(cancelSignal, async (cancel) => {
    const { who, reason } = cancel;
    const what = cancel.now ? 'cancel --now' : 'cancel';
    state.actions.push(actionOf(who, what, reason));
    isCancelled = true;
    if (cancel.now) await child.cancel(cancel);
  });

  const told = { state, route: input.route, warn, save: () => saveHunt(state) };
  await saveHunt(state);
  if (!carried) await tellTask(told);
  for (let part = pending.at(-1); part !== undefined && !state.error; part = pending.at(-1)) {
    if (isCancelled) {
      state.error = errorRecordOf(refusal('CANCELLED', 'the hunt was cancelled'), input.route);
      break;
    }
    pending = pending.slice(0, -1);
    const end = await child.run(part);
    switch (end.kind) {
      case 'done':
        pending = afterPart(pending, part, false, firstHalf);
        break;
      case 'job-failed':
        if (part.count === 1) poison[end.state.runId] = end.state.error?.message ?? 'its import failed';
        pending = afterPart(pending, { ...part, reuse: part.reuse ?? leftBy(end.state) }, true, firstHalf);
        break;
      case 'failed':
        state.error = end.error;
    }
    if (isHopeless(pending, Object.keys(poison).length, hasArrived(state)))
      state.error = errorRecordOf(hopeless(poison), input.route);
    await saveHunt(state);
    if (pending.length > 0 && !state.error && isLong()) {
      await condition(allHandlersFinished);
      if (!isCancelled) await continueAsNew<typeof hunt>(input, { state, pending, poison });
    }
  }
  await CancellationScope.nonCancellable(async () => {
    await closeHunt(input, state, poison);
    await condition(allHandlersFinished);
    // Its parts tell nobody; the hunt does, once.
    await tellTask(told);
    await tellEnd(told);
  });
  return throwUnlessDone(state, state.error);

  function warn(warning: string | undefined): void {
    if (warning) state.warnings.push(warning);
  }

  /** The package of a part that failed holds both its halves, where the route lets it be kept. */
  function leftBy({ package: left, runId }: RunState): Reuse | undefined {
    return left && options.keep.failedMs > 0 ? { runId: left.of ?? runId, sha256: left.sha256 } : undefined;
  }
}

const hasArrived = ({ children = [] }: RunState): boolean =>
  children.some(({ status }) => status !== 'failed' && status !== 'cancelled');

function hopeless(poison: Hunted['poison']): Error {
  const words = Object.values(poison);
  return refusal(
    'JOB_FAILED',
    `${words.length} items failed one by one and none arrived, so the fault is not in single items; the last one: ${words.at(-1)}`,
  );
}
