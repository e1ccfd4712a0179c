import type { runOperations } from '../../contract/runs';
import { PortolanError } from '../../model/errors/errors';
import { type RunRecord, runRecord } from '../../model/run/run';
import { isRunId } from '../../model/run/run-id';
import { oneLine } from '../../model/text/plain-text';
import { countOf } from '../../model/text/words';
import { isChanging, type Plan, type PlanAction, planActions, type PlanRow } from '../../model/transfer/plan';
import { matchesPlanHash } from '../../model/transfer/plan-summary';
import { keys } from '../../store/keys';
import type { Handlers } from '../context';
import { numberOfCursor } from '../pages';
import { findRun, resolveRun, seekGroupRun } from './find-run';
import { isOfQueue } from './lookup/recorded-runs';
import { readPlan } from './read-run';
import { readRunEvents } from './run-events';
import { runPage, withQueues } from './run-rows';
import { readNote, type ReadContext } from './run-sources';

export const runHandlers: Handlers<typeof runOperations> = {
  async listRuns(sources, { cursor, limit, from, until, ...filter }) {
    const untold: PortolanError[] = [];
    const before = Math.min(numberOfCursor(cursor) ?? Infinity, timeOf(until) ?? Infinity);
    const { rows, next, unread } = await runPage(sources, {
      ...filter,
      limit,
      from: timeOf(from),
      before: before === Infinity ? undefined : before,
      onUntold: (why) => void untold.push(why),
    });
    const [first] = untold;
    const notes = [
      ...(sources.temporal ? [] : ['cannot reach Temporal; showing the records in the store']),
      ...(first ? [`${countOf(untold.length, 'record')} not trusted: ${oneLine(first.plainMessage)}`] : []),
    ];
    return {
      runs: await withQueues(sources, rows),
      next: (next ?? unread)?.toString(),
      ...(next === undefined && unread !== undefined && { unread: true }),
      ...(notes.length > 0 && { notes }),
    };
  },

  readRun: async (sources, { run }) => (await resolveRun(sources, run)).record,

  viewRun: (sources, { run, ofGroup }) => (ofGroup ? seekGroupRun : resolveRun)(sources, run),

  async readPlan(sources, { run, plan: hash, cursor, limit = Infinity, ...filter }) {
    const recorded = hash === undefined ? undefined : await recordWith(sources, run, hash);
    const record = recorded ?? (await resolveRun(sources, run)).record;
    if (hash !== undefined && !(record.plan && matchesPlanHash(record.plan, hash)))
      throw noPlan(record.runId, hash);
    const { value, why } = await readPlan(sources.store, record);
    if (value === undefined) throw why ?? noPlan(record.runId);
    const rows = rowsOf(value, filter);
    const from = numberOfCursor(cursor) ?? 0;
    const end = from + limit;
    const next = end < rows.length ? String(end) : undefined;
    return { ...value, rows: rows.slice(from, end), total: rows.length, next };
  },

  readEvents: async (sources, { run }) => await readRunEvents(sources.temporal, await findRun(sources, run)),
};

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** The record in the store if it has this plan: what is known of one plan stays as it is. */
async function recordWith(
  { store, config }: ReadContext,
  runId: string,
  hash: string,
): Promise<RunRecord | undefined> {
  if (!isRunId(runId)) return undefined;
  const { value } = await readNote(store, keys.record(runId), runRecord);
  const isMeant =
    value?.plan && matchesPlanHash(value.plan, hash) && isOfQueue(value, config.temporal.taskQueue);
  return isMeant ? value : undefined;
}

interface PlanFilter {
  readonly action?: PlanAction;
  readonly changed: boolean;
  readonly search?: string;
  readonly byAction: boolean;
}

/** The rows of a plan that match, ignoring case. */
function rowsOf({ rows }: Plan, { action, changed, search, byAction }: PlanFilter): PlanRow[] {
  const sought = search?.toLowerCase();
  const found = rows.filter(
    (row) =>
      (action === undefined || row.action === action) &&
      (!changed || isChanging(row)) &&
      (sought === undefined ||
        [row.title, row.itemId, row.type, row.of ?? ''].some((each) => each.toLowerCase().includes(sought))),
  );
  const order = (row: PlanRow): number => planActions.indexOf(row.action);
  return byAction ? found.sort((one, other) => order(one) - order(other)) : found;
}

const noPlan = (runId: string, hash?: string): PortolanError =>
  new PortolanError(
    'NOT_FOUND',
    `${runId} has no plan${hash === undefined ? '' : ` ${hash}`} in the store.`,
    {
      hint: 'A plan is created in the phase "preview".',
    },
  );
