import type { BisectInput } from '../../model/run/bisect';
import { hasImportFailed } from '../../model/run/import-failed';
import type { ErrorRecord } from '../../model/run/run';
import { partRunId } from '../../model/run/run-id';
import type { RunState } from '../../model/run/run-state';
import type { SyncInput } from '../../model/run/run-input';
import { countOf as formatCount } from '../../model/text/words';
import type { Run } from '../run/run';
import { countOf, optionsFor, type Part } from './bisect-parts';
import { signPart } from '../run/activity-options';
import { endOfPart, noteUnseen, startPart } from '../run/part-run';

/** `job-failed`: the import of the part failed as a whole, so it is halved. */
export type ChildEnd =
  | { readonly kind: 'done' | 'job-failed'; readonly state: RunState }
  | { readonly kind: 'failed'; readonly error: ErrorRecord };

/** Runs the child runs of a bisect, one at a time. */
export class BisectChild {
  constructor(
    private readonly bisect: Pick<Run, 'state' | 'show' | 'warn' | 'underWay'> & {
      readonly input: BisectInput;
    },
  ) {}

  /** Runs the sync of a part to its end, and records it in the state of the bisect. */
  async run(part: Part): Promise<ChildEnd> {
    const { input, state: bisect } = this.bisect;
    const children = bisect.children ?? [];
    const runId = partRunId(input.runId, children.length + 1);
    const show = (status: RunState['status']): void =>
      this.bisect.show({ children: [...children, { runId, items: part.count, status }] });
    show('running');
    const { state, status, error } = await endOfPart({ runId, route: input.route }, async () => {
      const start = await this.startOf(runId, part);
      const handle = await startPart('sync', start, summaryOf(start, part));
      this.bisect.underWay.add(handle);
      return await handle.result().finally(() => this.bisect.underWay.delete(handle));
    });
    show(status);
    if (state) this.note(state, part);
    else noteUnseen(this.bisect, runId);
    if (!error) return { kind: 'done', state };
    if (state && hasImportFailed(state)) return { kind: 'job-failed', state };
    return { kind: 'failed', error };
  }

  private async startOf(runId: string, items: Part): Promise<SyncInput> {
    const { route, startedBy, runId: parent } = this.bisect.input;
    const part: SyncInput & { readonly parent: string } = {
      runId,
      route: { ...route, options: optionsFor(route.options, items) },
      startedBy,
      // The starter of the bisect has approved all its imports.
      yes: true,
      parent,
      parks: false,
      reuse: items.reuse,
    };
    return { ...part, proof: await signPart(part) };
  }

  private note({ target, leftRunning, package: used, runId }: RunState, part: Part): void {
    const { input, state: before } = this.bisect;
    if (target === 'changed' || before.target === 'untouched') this.bisect.show({ target });
    this.bisect.show({ leftRunning: [...before.leftRunning, ...leftRunning] });
    // A later run may reuse the package if it holds all items.
    if (used && (part.reuse === input.reuse || part.count === countOf(input.route.options)))
      this.bisect.show({ package: before.package ?? { ...used, of: used.of ?? runId } });
  }
}

const summaryOf = ({ route: { name, source, target } }: SyncInput, { count }: Part): string =>
  `${formatCount(count, 'item')} of a bisect, ${name}: ${source.portal} → ${target.portal}`;
