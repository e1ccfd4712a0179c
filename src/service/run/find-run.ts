import { PortolanError } from '../../model/errors/errors';
import { wholeOfPart } from '../../model/run/run-id';
import { indexedEndingSo } from './lookup/indexed-runs';
import { lookAt } from './next-commands';
import { readRun } from './read-run';
import { RecordedRuns } from './lookup/recorded-runs';
import { runPage } from './run-rows';
import { notFound, type ReadContext } from './run-sources';
import type { RunRow, RunView } from './run-view';

/** Candidates that are named where an end of an id fits several runs. */
const namedCandidates = 10;

/** So many of the newest runs are looked at for `latest`, and more where none of them is meant. */
const latestAmong = [8, 200, Infinity] as const;

/** The id of the run that somebody means, of whatever kind: as `resolveRun`. */
export const findRun = async (sources: ReadContext, text: string): Promise<string> =>
  text === 'latest' ? await latestRun(sources, () => true) : (await resolveRun(sources, text)).record.runId;

/**
 * The run that somebody means: its id, an end of it that no other run of the task queue has, or `latest`.
 * Throws `RUN_NOT_FOUND`, and `USAGE` with the candidates where there are several.
 */
export async function resolveRun(sources: ReadContext, text: string): Promise<RunView> {
  if (text === 'latest') return await readRun(sources, await latestRun(sources, () => true));
  try {
    return await exactly(sources, text);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return await readRun(
      sources,
      await endingSo(sources, text).catch((none: unknown) => {
        // The first look may say why.
        throw isNotFound(none) ? thrown : none;
      }),
    );
  }
}

const isNotFound = (thrown: unknown): boolean => PortolanError.from(thrown).code === 'RUN_NOT_FOUND';

/**
 * The same for a run of a group. Throws `USAGE` for a change of a portal, which can neither be approved nor done
 * again in parts, and which `latest` passes over.
 */
export async function seekGroupRun(sources: ReadContext, text: string): Promise<RunView> {
  const isOfGroup = ({ operation }: Pick<RunRow, 'operation'>): boolean => operation === undefined;
  if (text === 'latest') return await readRun(sources, await latestRun(sources, isOfGroup));
  const view = await resolveRun(sources, text);
  if (isOfGroup(view.record)) return view;
  const { runId, kind } = view.record;
  throw new PortolanError('USAGE', `${runId} changes a whole portal (${kind}); it is not a run of a group.`, {
    hint: lookAt(runId),
  });
}

/** The run of that whole id, which costs one look at its record and one at Temporal. Throws `RUN_NOT_FOUND`. */
async function exactly(sources: ReadContext, text: string): Promise<RunView> {
  // What leads elsewhere in a store is no id.
  if (text.includes('/')) throw notFound(text);
  return await readRun(sources, text);
}

/** The run that was started last; one that is made of others stands for these, which are started after it. */
async function latestRun(sources: ReadContext, isMeant: (row: RunRow) => boolean): Promise<string> {
  for (const limit of latestAmong) {
    const { rows, next } = await runPage(sources, { limit });
    const latest = rows.find((row) => isMeant(row) && wholeOfPart(row.runId) === undefined);
    if (latest !== undefined) return latest.runId;
    if (next === undefined) break;
  }
  throw new PortolanError('RUN_NOT_FOUND', 'There are no runs yet.');
}

/** The id that ends so. Records are read where there are several, and what is over in Temporal where there is none. */
async function endingSo(sources: ReadContext, end: string): Promise<string> {
  const { config, temporal } = sources;
  const { taskQueue } = config.temporal;
  const records = new RecordedRuns(sources);
  const [recorded, open] = await Promise.all([
    records.endingSo(end),
    temporal ? indexedEndingSo(temporal, taskQueue, end, 'open') : [],
  ]);
  let fitting = [...new Set([...open, ...recorded])];
  if (fitting.length > 1) {
    const ours = await Promise.all(recorded.map(async (runId) => (await records.record(runId))?.runId));
    fitting = [...new Set([...open, ...ours.filter((runId) => runId !== undefined)])];
  }
  if (fitting.length === 0 && temporal) fitting = await indexedEndingSo(temporal, taskQueue, end, 'over');
  const [only, ...others] = fitting;
  if (only === undefined) throw notFound(end);
  if (others.length === 0) return only;
  const list = fitting.slice(0, namedCandidates).map((runId) => `  ${runId}`);
  throw new PortolanError('USAGE', `"${end}" matches ${fitting.length} runs:\n${list.join('\n')}`, {
    hint: 'Type more of the ID.',
  });
}
