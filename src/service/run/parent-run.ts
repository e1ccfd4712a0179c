import type { RunView } from '../../contract/runs';
import type { LedgerList } from '../../model/transfer/ledger-lists';
import type { Config } from '../../config/config';
import { resolveRoute } from '../../config/resolve-route';
import { admittedStart } from '../../domain/control/admitted-start';
import { isOneAddress } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { type RunInput, type SyncInput, correctedRoute } from '../../model/run/run-input';
import { INLINE_LIST_MAX } from '../../model/run/run-state';
import { ledger, type LedgerEntry } from '../../model/transfer/ledger';
import type { Route, RouteOptions } from '../../model/transfer/route';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { ClearWords } from '../../temporal/encryption/decrypt-history';
import type { TemporalClient } from '../../temporal/connection';
import { beginAgain, lookAt, ofSnapshots } from './next-commands';
import { awaitRecordedEnd } from './read-run';
import { readNote, type ReadContext } from './run-sources';
import { targetOf } from './run-view';

/** A run and its start options. */
export interface EndedRun {
  readonly record: RunRecord;
  /** It is open. */
  readonly open: boolean;
  /** Its start options; undefined if neither the store nor Temporal has them. */
  readonly input?: RunInput;
}

/** A sync run, with what a run in its place needs. */
export interface ParentRun extends EndedRun {
  /** As started, with the corrections made when it was resumed. */
  readonly route: Route;
  /** Notes about the route. */
  readonly notes: readonly string[];
}

/**
 * The run to repeat, with its start options. Throws `USAGE` if it has not ended.
 * @param mayBeOpen whether one that is not over will do
 */
export async function findEnded(
  sources: Required<ReadContext>,
  found: RunView,
  mayBeOpen: (record: RunRecord) => boolean = () => false,
): Promise<EndedRun> {
  const { record, open } = await awaitRecordedEnd(sources, found);
  if (open && !mayBeOpen(record)) throw stillOpen(record);
  return { record, open, input: await inputOf(sources, record) };
}

/** As a run that can be repeated from any phase. Throws `USAGE` for other kinds. */
export function asParent({ config }: ReadContext, ended: EndedRun): ParentRun {
  const { record, input } = ended;
  const { runId, kind, corrected } = record;
  if (ofSnapshots.has(kind)) {
    throw new PortolanError('USAGE', `${runId} is a ${kind}, which cannot be retried in part.`, {
      hint: `Start it again: ${beginAgain(record)}`,
    });
  }
  const notes = input
    ? []
    : [`the options of ${runId} are no longer known, so those of ${config.path} apply`];
  const route = (input as SyncInput | undefined)?.route ?? routeOfToday(config, record);
  if (!corrected) return { ...ended, route, notes };
  notes.push(`with the corrections made when it was resumed: ${Object.keys(corrected).join(', ')}`);
  return { ...ended, route: correctedRoute(route, corrected), notes };
}

/** The same, if it can be repeated in part. */
export const findParent = async (
  sources: Required<ReadContext>,
  found: RunView,
  mayBeOpen?: (record: RunRecord) => boolean,
): Promise<ParentRun> => asParent(sources, await findEnded(sources, found, mayBeOpen));

/** Its start options for another run. Throws `USAGE` if unknown: it would be a different run. */
export function requireInput({ store }: ReadContext, { record: { runId }, input }: EndedRun): RunInput {
  if (input) return input;
  throw new PortolanError(
    'USAGE',
    `${runId} cannot be started again unchanged: neither the store at ${store.where} nor Temporal has its options.`,
    { hint: `${lookAt(runId)}; start a new run with the options you want.` },
  );
}

function stillOpen({ runId, status, finishedAt }: RunRecord): PortolanError {
  const short = shortRunId(runId);
  if (finishedAt !== undefined) {
    return new PortolanError('USAGE', `${runId} is ${status}, but Temporal still has it open.`, {
      hint: `A worker ends it: portolan worker. Watch it: portolan run watch ${short}`,
    });
  }
  const next =
    status === 'parked'
      ? `Resume it: portolan run resume ${short}. Or end it: portolan run cancel ${short}`
      : `Cancel it first: portolan run cancel ${short}. Or watch it: portolan run watch ${short}`;
  return new PortolanError('USAGE', `${runId} is ${status} and has not ended.`, { hint: next });
}

/** The start options are stored beside the record as accepted, and in the history as long as that exists. */
async function inputOf(
  { store, temporal }: Required<ReadContext>,
  record: RunRecord,
): Promise<RunInput | undefined> {
  const { value: start } = await readNote(store, keys.start(record.runId), admittedStart);
  return (start?.input as RunInput | undefined) ?? (await inputInHistory(temporal, record));
}

/** The first event of the history holds the workflow's input. */
async function inputInHistory(
  { client, namespace }: TemporalClient,
  { temporal: { workflowId, runId } }: RunRecord,
): Promise<RunInput | undefined> {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
    return (await new ClearWords(client).first(payloads)) as RunInput | undefined;
  } catch (thrown) {
    if (thrown instanceof PortolanError) throw thrown;
    // Temporal has deleted it or cannot respond now.
    return undefined;
  }
}

/** The currently configured route of that name, if its source and target are unchanged. */
function routeOfToday(config: Config, record: RunRecord): Route {
  const { name, source } = record.route;
  const target = targetOf(record);
  const route = resolveRoute(
    config,
    config.routes.has(name)
      ? { route: name }
      : { from: source?.portal ?? '', group: source?.groupId ?? '', to: target.portal, into: target.groupId },
  );
  const isSame = (a: Route['source'], b: typeof source): boolean =>
    a.portal === b?.portal && a.groupId === b.groupId && isOneAddress(a.url, b.url);
  if (isSame(route.source, source) && isSame(route.target, target)) return { ...route, name };
  throw new PortolanError(
    'USAGE',
    `The options of ${record.runId} are no longer known, and the route "${name}" has a different source or target now.`,
    { hint: `${lookAt(record.runId)}; start a new run: portolan sync` },
  );
}

/** Items of a run that should be on the target and are not known to be. */
export async function itemsToRetry(store: Store, { runId, items }: RunRecord): Promise<LedgerEntry[]> {
  if (!items) {
    throw new PortolanError('USAGE', `${runId} ended before it knew its items, so there are none to retry.`, {
      hint: `Start it again: portolan run restart ${shortRunId(runId)} --from guard`,
    });
  }
  const lists = await Promise.all((['failed', 'notImported', 'unaccounted'] as const).map(wholeList));
  return lists.flat();

  async function wholeList(name: LedgerList): Promise<LedgerEntry[]> {
    const list = items?.[name] ?? [];
    if (!('count' in list)) return list;
    if (list.count === 0) return [];
    const whole = await store.readJson(list.ref, ledger);
    if (whole) return whole[name];
    throw new PortolanError(
      'STORE_BROKEN',
      `the results of ${runId} are missing from the store at ${store.where}`,
    );
  }
}

/** A route's options for these items only. */
export interface Limited {
  readonly options: RouteOptions;
  /** Stores a list that is too long to send, once, before the run starts. */
  readonly keep: () => Promise<void>;
}

/** @param runId of the run that is to work on these items only */
export function limitedTo(
  store: Store,
  runId: string,
  options: RouteOptions,
  itemIds: readonly string[],
): Limited {
  if (itemIds.length <= INLINE_LIST_MAX)
    return { options: { ...options, items: itemIds, itemList: undefined }, keep: () => Promise.resolve() };
  const key = keys.itemList(runId);
  const itemList = { key, from: 0, count: itemIds.length };
  return {
    options: { ...options, items: undefined, itemList },
    keep: () => store.writeJson(key, itemIds),
  };
}
