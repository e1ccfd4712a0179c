import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { BisectInput, Reuse } from '../../model/run/run-input';
import { hasImportFailed } from '../../model/run/run-state';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { bytesText, countOf, portalsOf, shortId } from '../../model/text/words';
import { requireAbleWorkers } from '../run/compatible-workers';
import { endRun } from '../run/send-decision';
import { findPackageInStore, isInPackage } from '../run/lookup/leftover-package';
import { findParent, itemsToRetry, limitedTo, type ParentRun } from '../run/parent-run';
import type { WriteContext, ReadContext } from '../run/run-sources';
import { lengthOf, type Takeover } from '../run/run-view';
import { isOfRequest, runIdFor, startRun } from '../run/start-run';
import { plannedStart, type PreparedRun, type Requested, type Log } from './prepared-run';

/** Request for a retry. */
export const retryRequest = plannedStart.extend({
  bisect: z.boolean().default(false).describe('find the items that make an import fail, by halving'),
});
export type RetryRequest = z.input<typeof retryRequest>;

/** Options of a retry besides its request. */
interface Retrying extends Requested {
  readonly say?: Log;
  /** The typed options, for the command in a hint. @default none */
  readonly typed?: string;
}

/**
 * Prepares a run for the items of an earlier one that are not known to have arrived; undefined if there are none.
 * With `bisect`, first ends a run that is parked because its import failed as a whole. Finds the run this request ID
 * started, if any. Throws `RUN_NOT_FOUND`, `USAGE` if the run has not ended or has no item results, and `NO_WORKER`.
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

/** One approval covers all imports of a bisect: no one would review dozens of plans. */
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

/** A run parked because its import failed as a whole: resuming would repeat that. */
const isParkedImport = (record: RunRecord): boolean =>
  record.status === 'parked' && record.kind === 'sync' && hasImportFailed(record);

/** Ends a parked run in favor of a bisect, once nothing prevents that. */
async function endParked(
  sources: WriteContext,
  { record: { runId }, route }: ParentRun,
  reason: string | undefined,
  say: Log | undefined,
): Promise<ParentRun> {
  await requireAbleWorkers(sources, portalsOf(route));
  say?.(`ends ${runId}, which is parked, and bisects its items`);
  await endRun(sources, runId, reason ?? 'superseded by a bisect of its items');
  return await findParent(sources, runId);
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
