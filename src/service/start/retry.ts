import type { RunView } from '../../contract/runs';
import type { StartInput, Takeover } from '../../contract/starts';
import { PortolanError } from '../../model/errors/errors';
import type { Reuse, SyncInput } from '../../model/run/run-input';
import { hasImportFailed } from '../../model/run/run-state';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { bytesText, countOf, portalsOf, shortId } from '../../model/text/words';
import { requireAbleWorkers } from '../run/compatible-workers';
import { endRun } from '../run/send-decision';
import { findPackageInStore, isInPackage } from '../run/lookup/leftover-package';
import { readRun } from '../run/read-run';
import { findParent, itemsToRetry, limitedTo, type ParentRun } from '../run/parent-run';
import type { ReadContext } from '../run/run-sources';
import { lengthOf } from '../run/run-view';
import { isOfRequest, type RunStart, runIdFor } from '../run/start-run';
import type { PreparedRun, Starting } from './prepared-run';

/**
 * Prepares a run for the items of an earlier one that are not known to have arrived. With `bisect`, first ends a run that
 * is parked because its import failed as a whole. Finds the run this request ID started, if any. Throws
 * `NOTHING_TO_RETRY`, and `USAGE` if the run has not ended or has no item results.
 */
export async function prepareRetry(
  sources: Starting,
  run: RunView,
  { bisect, yes, reason }: StartInput<'retryRun'>,
): Promise<PreparedRun> {
  const { store, requestId } = sources;
  const mayBeOpen = (record: RunRecord) =>
    isOfRequest(record, requestId) || (bisect && isParkedImport(record));
  const found = await findParent(sources, run, mayBeOpen);
  const { route: before, notes } = found;
  if (isOfRequest(found.record, requestId)) {
    const { runId, kind } = found.record;
    return { kind, start: { route: before, yes }, begun: runId };
  }
  if (bisect) requireYes(found, yes);
  const { record } = found.open ? await endParked(sources, found, reason) : found;
  const parent = record.runId;
  const itemIds = (await itemsToRetry(store, record)).map(({ itemId }) => itemId);
  if (itemIds.length === 0)
    throw new PortolanError('NOTHING_TO_RETRY', 'There is nothing to retry: all items have arrived.');
  const { reuse, ...takeover } = await lookBack(sources, record, itemIds, notes);
  const kind = bisect ? 'bisect' : 'sync';
  const runId = runIdFor(kind, before.name, requestId);
  const { options, keep } = limitedTo(store, runId, before.options, itemIds);
  const route = { ...before, options };
  const start: RunStart<SyncInput> = {
    runId,
    route,
    yes: bisect || yes,
    requestId,
    reason,
    parent,
    reuse,
    ...(bisect && { wholeFailed: hasWholeFailed(record, itemIds) }),
  };
  return { kind, start, takeover, keep };
}

/** One approval covers all imports of a bisect: no one would review dozens of plans. */
function requireYes({ record: { runId }, route: { options, name } }: ParentRun, yes: boolean): void {
  const retry = `portolan run retry ${shortRunId(runId)}`;
  if (options.approval === 'required') {
    throw new PortolanError(
      'USAGE',
      `The route "${name}" requires approval of each plan, but a bisect makes many plans.`,
      { hint: `Retry without --bisect: ${retry}${yes ? ' --yes' : ''}` },
    );
  }
  if (options.approval === 'none' || yes) return;
  throw new PortolanError(
    'USAGE',
    `The route "${name}" asks for approval, but a bisect makes many plans. Approve all of them with --yes.`,
    { hint: `${retry} --bisect --yes` },
  );
}

/** A run parked because its import failed as a whole: resuming would repeat that. */
const isParkedImport = (record: RunRecord): boolean =>
  record.status === 'parked' && record.kind === 'sync' && hasImportFailed(record);

/** Ends a parked run in favor of a bisect, once nothing prevents that. */
async function endParked(
  sources: Starting,
  { record: { runId }, route }: ParentRun,
  reason: string | undefined,
): Promise<ParentRun> {
  await requireAbleWorkers(sources, portalsOf(route));
  sources.say?.(`ends ${runId}, which is parked, and bisects its items`);
  await endRun(sources, runId, reason ?? 'superseded by a bisect of its items');
  return await findParent(sources, await readRun(sources, runId));
}

/** Whether the import of exactly these items failed as a whole, so that it is not repeated. */
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
