import { hasImportFailed } from '../../model/run/import-failed';
import type { ErrorRecord } from '../../model/run/run';
import { partRunId } from '../../model/run/run-id';
import type { RunState } from '../../model/run/run-state';
import { countOf as formatCount } from '../../model/text/words';
import { runPart } from '../run/parts';
import { countOf, optionsFor, type Part } from './bisect-parts';
import type { BisectRun } from './bisect-run';

/** `job-failed`: the import of the part failed as a whole, so it is halved. */
export type ChildEnd =
  | { readonly kind: 'done' | 'job-failed'; readonly state: RunState }
  | { readonly kind: 'failed'; readonly error: ErrorRecord };

/** Runs the sync of a part to its end. */
export async function syncPart(run: BisectRun, part: Part): Promise<ChildEnd> {
  const { input, state: bisect } = run;
  const { route, startedBy, runId: parent } = input;
  const { count: items, reuse } = part;
  const sync = {
    runId: partRunId(parent, (bisect.children ?? []).length + 1),
    route: { ...route, options: optionsFor(route.options, part) },
    startedBy,
    // The starter of the bisect has approved all its imports.
    yes: true,
    parent,
    parks: false,
    reuse,
  };
  const ends = `${route.source.portal} → ${route.target.portal}`;
  const summary = `${formatCount(items, 'item')} of a bisect, ${route.name}: ${ends}`;
  const { state, error } = await runPart(run, 'sync', sync, { items, summary });
  if (state) note(run, state, part);
  if (!error) return { kind: 'done', state };
  if (state && hasImportFailed(state)) return { kind: 'job-failed', state };
  return { kind: 'failed', error };
}

function note(run: BisectRun, { target, leftRunning, package: used, runId }: RunState, part: Part): void {
  const { input, state: before } = run;
  if (target === 'changed' || before.target === 'untouched') run.show({ target });
  run.show({ leftRunning: [...before.leftRunning, ...leftRunning] });
  // A later run may reuse the package if it holds all items.
  if (used && (part.reuse === input.reuse || part.count === countOf(input.route.options)))
    run.show({ package: before.package ?? { ...used, of: used.of ?? runId } });
}
