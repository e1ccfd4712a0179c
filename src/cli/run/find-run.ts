import { PortolanError } from '../../model/errors/errors';
import { isPartOf } from '../../model/run/run-id';
import { lookAt } from './next-commands';
import { runRows } from './run-rows';
import { notFound, type RunSources } from './run-sources';
import type { RunRow } from './run-view';

/** Candidates that are named where an end of an id fits several runs. */
const namedCandidates = 10;

/** The run that was started last; a bisect stands for its parts, which are started after it. */
function newestOf(rows: readonly RunRow[]): RunRow | undefined {
  const bisects = rows.filter(({ kind }) => kind === 'bisect');
  return rows.find(({ runId }) => !bisects.some((bisect) => isPartOf(runId, bisect.runId)));
}

/**
 * The run of a group that somebody means, as `findRow`. Throws `USAGE` for a change of a portal, which takes no
 * answers, and which `latest` passes over.
 */
export async function findRun(sources: RunSources, text: string): Promise<string> {
  const { runId, kind, operation } = await findRow(sources, text, { takesChanges: false });
  if (operation === undefined) return runId;
  throw new PortolanError(
    'USAGE',
    `${runId} changes a portal as a whole (${kind}); that is no run of a group.`,
    {
      hint: lookAt(runId),
    },
  );
}

/**
 * The run that somebody means: its id, an end of it that no other run has, or `latest`.
 * Throws `RUN_NOT_FOUND`, and `USAGE` with the candidates where there are several.
 */
export async function findRow(
  sources: RunSources,
  text: string,
  { takesChanges = true }: { readonly takesChanges?: boolean } = {},
): Promise<RunRow> {
  const rows = await runRows(sources);
  if (text === 'latest') {
    const newest = newestOf(rows.filter(({ operation }) => takesChanges || operation === undefined));
    if (newest === undefined) throw new PortolanError('RUN_NOT_FOUND', 'There are no runs yet.');
    return newest;
  }
  const fitting = rows.filter(({ runId }) => runId.endsWith(text));
  const exact = fitting.find(({ runId }) => runId === text);
  if (exact !== undefined) return exact;
  const [only, ...others] = fitting;
  if (only === undefined) throw notFound(text);
  if (others.length === 0) return only;
  const list = fitting.slice(0, namedCandidates).map(({ runId }) => `  ${runId}`);
  throw new PortolanError('USAGE', `"${text}" fits ${fitting.length} runs:\n${list.join('\n')}`, {
    hint: 'Type more of the id.',
  });
}
