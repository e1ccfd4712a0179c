import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { BisectInput } from '../../model/run/bisect';
import { hasImportFailed } from '../../model/run/import-failed';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { Reuse } from '../../model/run/run-input';
import { bytesText } from '../../model/text/bytes-text';
import { countOf, portalsOf, shortId } from '../../model/text/words';
import { requireAbleWorkers } from '../run/compatible-workers';
import { endRun } from '../run/send-decision';
import { findPackageInStore, isInPackage } from '../run/lookup/leftover-package';
import { findParent, itemsToRetry, limitedTo, type ParentRun } from '../run/parent-run';
import type { WriteContext, ReadContext } from '../run/run-sources';
import { lengthOf, type Takeover } from '../run/run-view';
import { isOfRequest, runIdFor, startRun } from '../run/start-run';
import { plannedStart, type PreparedRun, type Requested, type Say } from './prepared-run';

/** What trying items again may be asked. */
export const retryRequest = plannedStart.extend({
  bisect: z.boolean().default(false).describe('find the items that make an import fail, by halving'),
});
export type RetryRequest = z.input<typeof retryRequest>;

/** How a retry is asked for, besides what it is asked. */
interface Retrying extends Requested {
  readonly say?: Say;
  /** Options as they were typed, for the command that a hint names. @default none */
  readonly typed?: string;
}

/**
 * A new run for just those items of an earlier one that are not known to have arrived; undefined where there are none.
 * With `bisect`, a run that is parked since its import failed as a whole is ended first. Where the request id has started
 * it before, that one. Throws `RUN_NOT_FOUND`, `USAGE` where the run is not over or knows no items, and `NO_WORKER`.
 */
export async function prepareRetry(
  sources: WriteContext,
  text: string,
  { bisect = false, yes = false, reason }: RetryRequest,
  { requestId, say, typed = '' }: Retrying = {},
): Promise<PreparedRun | undefined> {
  const { store } = sources;
  const mayBeOpen = (record: RunRecord) =>
    isOfRequest(record, requestId) || (bisect && isParkedImport(record));
  const found = await findParent(sources, text, mayBeOpen);
  const { route: before, notes } = found;
  const approval = yes ? undefined : before.options.approval;
  if (isOfRequest(found.record, requestId)) {
    const { runId, kind } = found.record;
    const workers = await requireAbleWorkers(sources, portalsOf(before));
    return { kind, route: before, approval, workers, begin: () => Promise.resolve({ runId, isNew: false }) };
  }
  if (bisect) requireYes(found, yes, typed);
  const { record } = found.open ? await endParked(sources, found, reason, say) : found;
  const parent = record.runId;
  const itemIds = (await itemsToRetry(store, record)).map(({ itemId }) => itemId);
  if (itemIds.length === 0) return undefined;
  const workers = await requireAbleWorkers(sources, portalsOf(before));
  const { reuse, ...takeover } = await lookBack(sources, record, itemIds, notes);
  const kind = bisect ? 'bisect' : 'sync';
  const runId = runIdFor(kind, before.name, requestId);
  const { options, keep } = limitedTo(store, runId, before.options, itemIds);
  const route = { ...before, options };
  const common = { runId, route, requestId, reason, parent, reuse };
  const begin: PreparedRun['begin'] = (attended) =>
    bisect
      ? startRun<BisectInput>(
          'bisect',
          sources,
          { ...common, yes: true, wholeFailed: hasWholeFailed(record, itemIds) },
          keep,
        )
      : startRun('sync', sources, { ...common, yes, attended }, keep);
  return { kind, route, workers, approval, takeover, begin };
}

/** One yes has to do for all imports of a bisect: nobody would answer dozens of plans. */
function requireYes(
  { record: { runId }, route: { options, name } }: ParentRun,
  yes: boolean,
  typed: string,
): void {
  const retry = `portolan run retry ${shortRunId(runId)}`;
  if (options.approval === 'required') {
    throw new PortolanError(
      'USAGE',
      `The route "${name}" requires approval of each plan, but a bisect makes many plans.`,
      { hint: `Retry without --bisect: ${retry}${yes ? ' --yes' : ''}${typed}` },
    );
  }
  if (options.approval === 'none' || yes) return;
  throw new PortolanError(
    'USAGE',
    `The route "${name}" asks for approval, but a bisect makes many plans. Approve all of them with --yes.`,
    { hint: `${retry} --bisect --yes${typed}` },
  );
}

/** A run that waits for a person since its import failed as a whole: a resume would do the same again. */
const isParkedImport = (record: RunRecord): boolean =>
  record.status === 'parked' && record.kind === 'sync' && hasImportFailed(record);

/** Ends a parked run in favour of the search for its items at fault, once nothing stands against that. */
async function endParked(
  sources: WriteContext,
  { record: { runId }, route }: ParentRun,
  reason: string | undefined,
  say: Say | undefined,
): Promise<ParentRun> {
  await requireAbleWorkers(sources, portalsOf(route));
  say?.(`ends ${runId}, which is parked, and bisects its items`);
  await endRun(sources, runId, reason ?? 'superseded by a bisect of its items');
  return await findParent(sources, runId);
}

/** Whether the import of exactly these items is known to have failed as a whole: then it is not tried again. */
const hasWholeFailed = (record: RunRecord, itemIds: readonly string[]): boolean =>
  hasImportFailed(record) &&
  lengthOf(record.items?.imported ?? []) === 0 &&
  itemIds.length === (record.plan?.create ?? 0) + (record.plan?.overwrite ?? 0);

async function lookBack(
  { store }: ReadContext,
  record: RunRecord,
  itemIds: readonly string[],
  said: readonly string[],
): Promise<Takeover & { readonly reuse?: Reuse }> {
  const left = await findPackageInStore(store, record);
  const holdsAll = left !== undefined && (await isInPackage(store, record, left, itemIds));
  const notes = [...said];
  if (!left)
    notes.push(`the store at ${store.where} has no package of ${record.runId}, so it is exported again`);
  else if (!holdsAll)
    notes.push('the package of that run lacks some of these items, so they are exported again');
  return {
    parent: record,
    verb: `retries ${countOf(itemIds.length, 'item')} of`,
    reuses:
      left && holdsAll
        ? [
            `package of ${left.runId} in the store, ${bytesText(left.sizeBytes)}, sha256 ${shortId(left.sha256)}`,
          ]
        : [],
    redoes: left && holdsAll ? ['guard', 'upload', 'and all later phases'] : ['everything'],
    notes,
    reuse: left && holdsAll ? { runId: left.runId, sha256: left.sha256 } : undefined,
  };
}
