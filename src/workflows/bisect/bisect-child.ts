import {
  ApplicationFailure,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  patched,
  startChild,
} from '@temporalio/workflow';
import type { BisectInput } from '../../model/run/bisect';
import { hasImportFailed } from '../../model/run/import-failed';
import { memoKey } from '../../model/run/search-attributes';
import type { ErrorRecord } from '../../model/run/run';
import { partRunId, shortRunId } from '../../model/run/run-id';
import type { RunState } from '../../model/run/run-state';
import type { StartMemo } from '../../model/run/start-memo';
import type { Cancel, SyncInput } from '../../model/run/run-input';
import { errorRecordOf, refusal } from '../run/failure';
import type { Run } from '../run/run';
import { endOf } from '../run/state';
import { countOf, optionsFor, type Part } from './bisect-parts';
import { signPart } from '../run/calls';
import { cancelSignal } from '../run/messages';
import { kindKey, routeKey } from '../run/search-attributes';
import type { sync } from '../sync';

/** `job-failed`: the import of the part failed as a whole, and it is halved. */
export type ChildEnd =
  | { readonly kind: 'done' | 'job-failed'; readonly state: RunState }
  | { readonly kind: 'failed'; readonly error: ErrorRecord };

/** The run that imports a part of what is searched; one after the other. */
export class BisectChild {
  private handle: ChildWorkflowHandle<typeof sync> | undefined;

  constructor(
    private readonly bisect: Pick<Run, 'state' | 'show' | 'warn'> & { readonly input: BisectInput },
  ) {}

  /** Runs the sync of a part to its end, and notes it in the state of the bisect. */
  async run(part: Part): Promise<ChildEnd> {
    const { input, state: bisect } = this.bisect;
    const children = bisect.children ?? [];
    const runId = partRunId(input.runId, children.length + 1);
    const show = (status: RunState['status']): void =>
      this.bisect.show({ children: [...children, { runId, items: part.count, status }] });
    show('running');
    try {
      this.handle = await this.start(runId, part);
      const state = await this.handle.result();
      show(state.status);
      this.note(state, part);
      return { kind: 'done', state };
    } catch (thrown) {
      const state = stateIn(thrown);
      const wasCancelled = isOfCancellation(thrown);
      show(state?.status ?? (wasCancelled ? 'cancelled' : 'failed'));
      if (state) this.note(state, part);
      else this.noteUnseen(runId);
      if (state && hasImportFailed(state)) return { kind: 'job-failed', state };
      const cause = wasCancelled ? refusal('CANCELLED', `${runId} was cancelled`) : thrown;
      return { kind: 'failed', error: state?.error ?? errorRecordOf(cause, input.route) };
    } finally {
      this.handle = undefined;
    }
  }

  async cancel(cancel: Cancel): Promise<void> {
    await this.handle?.signal(cancelSignal, cancel);
  }

  private async start(runId: string, items: Part): Promise<ChildWorkflowHandle<typeof sync>> {
    const { route, startedBy, runId: parent } = this.bisect.input;
    const part: SyncInput & { readonly parent: string } = {
      runId,
      route: { ...route, options: optionsFor(route.options, items) },
      startedBy,
      // Whoever started the bisect has said yes to all of its imports.
      yes: true,
      parent,
      parks: false,
      reuse: items.reuse,
    };
    const input: SyncInput = patched('signed parts') ? { ...part, proof: await signPart(part) } : part;
    const { name, source, target } = route;
    const ends = { name, source: endOf(source), target: endOf(target) };
    const memo: StartMemo = { route: ends, startedBy, fingerprint: runId };
    return await startChild<typeof sync>('sync', {
      workflowId: runId,
      args: [input],
      // A bisect that is terminated must not take its run along before that has cleaned up.
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      typedSearchAttributes: [
        { key: kindKey, value: 'sync' },
        { key: routeKey, value: name },
      ],
      memo: { [memoKey]: memo },
      staticSummary: `${items.count} items of a bisect, ${name}: ${source.portal} -> ${target.portal}`.slice(
        0,
        150,
      ),
    });
  }

  /** A run that was cancelled or terminated tells nothing but that. */
  private noteUnseen(runId: string): void {
    if (this.bisect.state.target === 'untouched') this.bisect.show({ target: 'unknown' });
    this.bisect.warn(`what ${runId} has done is shown by: portolan run show ${shortRunId(runId)}`);
  }

  private note({ target, leftRunning, package: used, runId }: RunState, part: Part): void {
    const { input, state: before } = this.bisect;
    if (target === 'changed' || before.target === 'untouched') this.bisect.show({ target });
    this.bisect.show({ leftRunning: [...before.leftRunning, ...leftRunning] });
    // A later run may take over the package where it holds all of the items.
    if (used && (part.reuse === input.reuse || part.count === countOf(input.route.options)))
      this.bisect.show({ package: before.package ?? { ...used, of: used.of ?? runId } });
  }
}

/** A run that was cancelled fails with whatever of it the cancellation met first. */
function isOfCancellation(thrown: unknown): boolean {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause)
    if (isCancellation(cause)) return true;
  return false;
}

/** A run that failed carries its state in the failure. */
function stateIn(thrown: unknown): RunState | undefined {
  const cause = thrown instanceof ChildWorkflowFailure ? thrown.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const state = cause.details?.[0] as Partial<RunState> | undefined;
  return state?.phases ? (state as RunState) : undefined;
}
