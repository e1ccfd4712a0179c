import { PortolanError } from '../../model/errors/errors';
import { isPartOf } from '../../model/run/run-id';
import { lookAt } from './next-commands';
import { readRun } from './read-run';
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

/** The id of the run that somebody means, of whatever kind, as `rowOf`. */
export const findRun = async (sources: RunSources, text: string): Promise<string> =>
  (await meant(sources, await runRows(sources), text)).runId;

/**
 * The same for a run of a group. Throws `USAGE` for a change of a portal, which can neither be approved nor done
 * again in parts, and which `latest` passes over.
 */
export async function findGroupRun(sources: RunSources, text: string): Promise<string> {
  const rows = await runRows(sources);
  const isOfGroup = ({ operation }: Meant): boolean => operation === undefined;
  const row = await meant(sources, text === 'latest' ? rows.filter(isOfGroup) : rows, text);
  if (isOfGroup(row)) return row.runId;
  const { runId, kind } = row;
  throw new PortolanError(
    'USAGE',
    `${runId} changes a portal as a whole (${kind}); that is no run of a group.`,
    { hint: lookAt(runId) },
  );
}

type Meant = Pick<RunRow, 'runId' | 'kind' | 'operation'>;

/** As `rowOf`. A run that was started this moment is in no list yet: Temporal knows it by its whole id. */
async function meant(sources: RunSources, rows: readonly RunRow[], text: string): Promise<Meant> {
  try {
    return rowOf(rows, text);
  } catch (thrown) {
    if (PortolanError.from(thrown).code !== 'RUN_NOT_FOUND' || text === 'latest') throw thrown;
    return (await readRun(sources, text)).record;
  }
}

/**
 * The run that somebody means: its id, an end of it that no other run has, or `latest`.
 * Throws `RUN_NOT_FOUND`, and `USAGE` with the candidates where there are several.
 */
function rowOf(rows: readonly RunRow[], text: string): RunRow {
  if (text === 'latest') {
    const newest = newestOf(rows);
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
