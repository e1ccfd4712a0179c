import type { RunRow } from '../../contract/run-row';
import type { RunView } from '../../contract/runs';
import { PortolanError } from '../../model/errors/errors';
import { wholeOfPart } from '../../model/run/run-id';
import { indexedEndingSo } from './lookup/indexed-runs';
import { lookAt } from './next-commands';
import { readRun } from './read-run';
import { RecordedRuns } from './lookup/recorded-runs';
import { runPage } from './run-rows';
import { notFound, type ReadContext } from './run-sources';

/** Candidates listed if several runs match. */
const namedCandidates = 10;

/** Newest runs checked for `latest`; more if none of them fits. */
const latestAmong = [8, 200, Infinity] as const;

/** The ID of a run of any kind, as `resolveRun`. */
export const findRun = async (sources: ReadContext, text: string): Promise<string> =>
  text === 'latest' ? await latestRun(sources, () => true) : (await resolveRun(sources, text)).record.runId;

/**
 * Finds a run by its ID, an end of it that is unique in the task queue, or `latest`. Throws `RUN_NOT_FOUND`, and
 * `USAGE` with the candidates if several match.
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
        // The first lookup may report why.
        throw isNotFound(none) ? thrown : none;
      }),
    );
  }
}

const isNotFound = (thrown: unknown): boolean => PortolanError.from(thrown).code === 'RUN_NOT_FOUND';

/**
 * Finds a run of a group. Throws `USAGE` for a portal change, which cannot be approved or retried; `latest` skips
 * those.
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

/** The run of a whole ID, with one lookup of its record and one in Temporal. Throws `RUN_NOT_FOUND`. */
async function exactly(sources: ReadContext, text: string): Promise<RunView> {
  // A path is not an ID.
  if (text.includes('/')) throw notFound(text);
  return await readRun(sources, text);
}

/** The newest run; child runs, which start later, count as their parent. */
async function latestRun(sources: ReadContext, isMeant: (row: RunRow) => boolean): Promise<string> {
  for (const limit of latestAmong) {
    const { rows, next } = await runPage(sources, { limit });
    const latest = rows.find((row) => isMeant(row) && wholeOfPart(row.runId) === undefined);
    if (latest !== undefined) return latest.runId;
    if (next === undefined) break;
  }
  throw new PortolanError('RUN_NOT_FOUND', 'There are no runs yet.');
}

/** The ID with that end. Reads records if several match, and ended runs of Temporal if none does. */
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
