import {
  ApplicationFailure,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  type Workflow,
} from '@temporalio/workflow';
import { mapLimited } from '../../model/map-limited';
import { type ChangeInput, routeOfChange } from '../../model/portal-change/change';
import { partOf, type Which } from '../../model/release/promotion-input';
import { memoKey, shortRunId } from '../../model/run/run-id';
import { kindOfType } from '../../model/run/signature';
import type { ErrorRecord } from '../../model/run/run';
import type { Part, RunInput } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import type { StartMemo } from '../../model/run/start-memo';
import { signPart } from './activity-options';
import { continueRun, isLong } from './memory';
import { errorRecordOf, refusal } from './failure';
import type { Run } from './run';
import { kindKey, routeKey, sourceAndTarget } from './state';

/** How a child run ended; `state` if it reported it. */
export type ChildEnd = { readonly runId: string; readonly status: RunState['status'] } & (
  | { readonly state: RunState; readonly error?: undefined }
  | { readonly state?: RunState; readonly error: ErrorRecord }
);

/** How a child run is shown. */
interface ChildShown extends Pick<
  NonNullable<RunState['children']>[number],
  'name' | 'does' | 'groupId' | 'startedAt'
> {
  /** For Temporal's Web UI. */
  readonly summary: string;
  /** Number of items it is about. @default as it reports */
  readonly items?: number;
}

/** Runs a child run to its end, however it ends, and shows it. Cancelling the run cancels it. */
export async function runChild(run: Run, which: Which, shown: ChildShown): Promise<ChildEnd> {
  const { workflow, input } = partOf(run.kind.name, run.input, which);
  const proof = await signPart({ runId: run.input.runId, which });
  return await runSigned(run, { workflow, input: { ...input, proof } }, shown);
}

/** The same for a child run that is signed already. */
export async function runSigned(
  run: Run,
  { workflow, input }: Part,
  { summary, ...shown }: ChildShown,
): Promise<ChildEnd> {
  const { runId } = input;
  // A bisect lets what is under way end, so cancelling it does not cancel the signing.
  if (run.isCancelled) throw refusal('CANCELLED', `the ${run.kind.name} was cancelled`);
  run.noteChild({ runId, items: 0, status: 'running', ...shown });
  const end = await endOf(run, runId, async () => {
    const part = await startChildRun(workflow, input, summary);
    run.underWay.add(part);
    return await part.result().finally(() => run.underWay.delete(part));
  });
  const { state, status } = end;
  run.noteChild({ runId, items: itemsOf(state), status, ...shown });
  // A cancelled or terminated run may report no results.
  if (!state && shown.does !== 'plan') {
    if (run.state.target === 'untouched') run.show({ target: 'unknown' });
    run.warn(`results of ${runId}: portolan run show ${shortRunId(runId)}`);
  }
  return end;
}

/**
 * A run's record is saved whenever another 2 % of its children have ended, so after each of up to 50. It lists them all:
 * a save for each of a thousand would take as long as some of their work.
 */
const SAVED_SHARE = 0.02;

/**
 * Does the work of each item, up to `concurrency` at once. After an error, begins no more. If the history is long,
 * continues the run as new.
 *
 * @param work returns why the run cannot continue
 * @returns the first error
 */
export async function eachChild<Item>(
  run: Run,
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<ErrorRecord | void>,
): Promise<ErrorRecord | undefined> {
  const open = items[Symbol.iterator]();
  let error: ErrorRecord | undefined;
  let mayBegin = true;
  let hasBegun = false;
  let isLeft = false;
  let unsaved = 0;
  await mapLimited(Array.from({ length: concurrency }), concurrency, async () => {
    for (let next = open.next(); !next.done; next = open.next()) {
      // Each execution does at least one, or it would continue as new for ever.
      isLeft = !mayBegin || run.isCancelled || (hasBegun && isLong());
      if (isLeft) return;
      hasBegun = true;
      const found = await work(next.value).catch((thrown: unknown) => {
        mayBegin = false;
        throw thrown;
      });
      if (found) {
        error ??= found;
        mayBegin = false;
      }
      unsaved += 1;
      if (unsaved < run.children.length * SAVED_SHARE) continue;
      unsaved = 0;
      await run.save();
    }
  });
  if (error || !isLeft) return error;
  await continueRun(run);
  throw refusal('CANCELLED', `the ${run.kind.name} was cancelled`);
}

/** Starts a child run. If its parent is terminated, it still cleans up. */
async function startChildRun(
  workflow: string,
  input: RunInput | ChangeInput,
  summary: string,
): Promise<ChildWorkflowHandle<Workflow>> {
  const { runId, startedBy } = input;
  const { operation, scheduledBy } = input as Partial<ChangeInput & RunInput>;
  const route = sourceAndTarget('route' in input ? input.route : routeOfChange(input));
  const memo: StartMemo = { route, operation, startedBy, scheduledBy, fingerprint: runId };
  return await startChild(workflow, {
    workflowId: runId,
    args: [input],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    typedSearchAttributes: [
      { key: kindKey, value: kindOfType(workflow) },
      { key: routeKey, value: route.name },
    ],
    memo: { [memoKey]: memo },
    staticSummary: summary.slice(0, 150),
  });
}

async function endOf(run: Run, runId: string, result: () => Promise<unknown>): Promise<ChildEnd> {
  try {
    const state = (await result()) as RunState;
    return { runId, state, status: state.status };
  } catch (thrown) {
    const state = stateIn(thrown);
    const wasCancelled = isOfCancellation(thrown);
    const cause = wasCancelled ? refusal('CANCELLED', `${runId} was cancelled`) : thrown;
    return {
      runId,
      state,
      status: state?.status ?? (wasCancelled ? 'cancelled' : 'failed'),
      error: state?.error ?? errorRecordOf(cause, run.route),
    };
  }
}

const itemsOf = ({ items, plan, snapshot }: Partial<RunState> = {}): number =>
  items?.imported ?? (plan ? plan.create + plan.overwrite : (snapshot?.items ?? 0));

/** A cancelled run fails with whichever error the cancellation caused first. */
function isOfCancellation(thrown: unknown): boolean {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause)
    if (isCancellation(cause)) return true;
  return false;
}

/** A failed run carries its state in the failure. */
function stateIn(thrown: unknown): RunState | undefined {
  const cause = thrown instanceof ChildWorkflowFailure ? thrown.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const state = cause.details?.[0] as Partial<RunState> | undefined;
  return state?.phases ? (state as RunState) : undefined;
}
