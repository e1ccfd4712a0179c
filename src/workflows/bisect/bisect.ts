import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BisectInput } from '../../model/run/bisect';
import type { RunState } from '../../model/run/run-state';
import type { Reuse } from '../../model/run/run-input';
import { notifyTask } from '../run/task-notifier';
import { errorRecordOf, refusal } from '../run/failure';
import { BisectChild } from './bisect-child';
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
import { closeBisect, saveBisect } from './bisect-state';
import { isLong } from '../run/long-history';
import { cancelSignal, stateQuery } from '../run/messages';
import { notifyEnd } from '../run/notify';
import { throwUnlessDone } from '../run/outcome';

/** How far a bisect is. */
interface Bisected {
  readonly state: RunState;
  /** What is still to be tried, the next part last. */
  readonly pending: readonly Part[];
  /** Runs of one item whose import failed, with the portal's words. */
  readonly failing: Readonly<Record<string, string>>;
}

/**
 * Finds the items with which an import fails as a whole, by halving. Each part is a sync of its own with one import,
 * so that what is not at fault is imported on the way. A failure of another kind ends the bisect: the next part would
 * fail of it as well.
 */
export async function bisect(input: BisectInput, context?: Bisected): Promise<RunState> {
  const { options } = input.route;
  // A bisect is shown as any run, but for its phases: it has the runs of its parts instead.
  const state: RunState = context?.state ?? { ...firstState('bisect', input), children: [] };
  const failing = { ...context?.failing };
  const firstHalf = patched('smaller-half-first') ? smallerHalf : largerHalf;
  let pending = context?.pending ?? firstParts(countOf(options), input.reuse, input.wholeFailed, firstHalf);
  let isCancelled = false;
  state.temporal.runId = workflowInfo().runId;
  const child = new BisectChild(input, state);
  setHandler(stateQuery, () => state);
  setHandler(cancelSignal, async (cancel) => {
    const { who, reason } = cancel;
    const what = cancel.now ? 'cancel --now' : 'cancel';
    state.actions.push(actionOf(who, what, reason));
    isCancelled = true;
    if (cancel.now) await child.cancel(cancel);
  });

  const told = { state, route: input.route, warn, save: () => saveBisect(state) };
  await saveBisect(state);
  if (!context) await notifyTask(told);
  for (let part = pending.at(-1); part !== undefined && !state.error; part = pending.at(-1)) {
    if (isCancelled) {
      state.error = errorRecordOf(refusal('CANCELLED', 'the bisect was cancelled'), input.route);
      break;
    }
    pending = pending.slice(0, -1);
    const end = await child.run(part);
    switch (end.kind) {
      case 'done':
        pending = afterPart(pending, part, false, firstHalf);
        break;
      case 'job-failed':
        if (part.count === 1) failing[end.state.runId] = end.state.error?.message ?? 'its import failed';
        pending = afterPart(pending, { ...part, reuse: part.reuse ?? leftBy(end.state) }, true, firstHalf);
        break;
      case 'failed':
        state.error = end.error;
    }
    if (isHopeless(pending, Object.keys(failing).length, hasArrived(state)))
      state.error = errorRecordOf(hopeless(failing), input.route);
    await saveBisect(state);
    if (pending.length > 0 && !state.error && isLong()) {
      await condition(allHandlersFinished);
      if (!isCancelled) await continueAsNew<typeof bisect>(input, { state, pending, failing });
    }
  }
  await CancellationScope.nonCancellable(async () => {
    await closeBisect(input, state, failing);
    await condition(allHandlersFinished);
    // Its parts tell nobody; the bisect does, once.
    await notifyTask(told);
    await notifyEnd(told);
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

function hopeless(failing: Bisected['failing']): Error {
  const words = Object.values(failing);
  return refusal(
    'JOB_FAILED',
    `${words.length} items failed one by one and none arrived, so the fault is not in single items; the last one: ${words.at(-1)}`,
  );
}
