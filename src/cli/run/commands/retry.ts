import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { BisectInput } from '../../../model/run/bisect';
import { hasImportFailed } from '../../../model/run/import-failed';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import type { Reuse } from '../../../model/run/run-input';
import { bytesText } from '../../../model/text/bytes-text';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { durationArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import type { Output } from '../../terminal/output';
import { type GivenOptions, optionsText, waitOptions } from '../../terminal/typed-options';
import { countOf, shortId, portalsOf } from '../../../model/text/words';
import { cancelRun } from '../../../service/run/answers';
import { ApprovalDesk } from '../approval-desk';
import { followRequested, startAndFollow } from '../follow-run';
import { readRun } from '../../../service/run/read-run';
import { findPackageInStore, isInPackage } from '../../../service/run/leftover-package';
import { findParent, itemsToRetry, limitedTo, type ParentRun } from '../../../service/run/parent-run';
import { takeoverBlock } from '../render/run-header';
import { type ActingSources, type RunSources, withSources } from '../../../service/run/run-sources';
import { lengthOf, type Takeover } from '../../../service/run/run-view';
import { isOfRequest, runIdFor, startRun } from '../../../service/run/start-run';

/** While a parked run removes what it holds. */
const LOOK_EVERY_MS = 400;

/** `portolan run retry`: a new run for just those items of an earlier one that are not known to have arrived. */
export const runRetryCommand = () =>
  new Command('retry')
    .description(
      'Imports the failed and unaccounted items of a run that is over, as a new run of just these. With --bisect, where an import job fails as a whole: halves them, one import after the other, until the items at fault are known and all others are imported; a run that is parked since its import failed so is ended first.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--bisect', 'find the items with which an import fails as a whole, by halving')
    .option('--yes', 'approve the plan of a route that asks; with --bisect those of all its imports')
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .action((text, { bisect = false, yes = false, reason, requestId, wait, timeout }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const { store } = sources;
          const mayBeOpen = (record: RunRecord) =>
            isOfRequest(record, requestId) || (bisect && isParkedImport(record));
          const found = await findParent(sources, text, mayBeOpen);
          const { route: before, notes } = found;
          const approval = yes ? undefined : new ApprovalDesk(before.options.approval);
          const following = { wait, timeoutMs: timeout, approval };
          if (isOfRequest(found.record, requestId))
            return await followRequested(sources, output, found.record, { route: before, ...following });
          const given = { 'request-id': requestId, reason, ...waitOptions({ wait, timeout }) };
          if (bisect) requireYes(found, yes, given);
          const { record } = found.open ? await endParked(sources, found, reason, output) : found;
          const parent = record.runId;
          const itemIds = (await itemsToRetry(store, record)).map(({ itemId }) => itemId);
          if (itemIds.length === 0) {
            output.show({ runId: parent, items: [], started: false }, () => 'nothing to retry');
            return exitStatus.done;
          }
          const workers = await requireAbleWorkers(sources, portalsOf(before));
          const { reuse, ...takeover } = await lookBack(sources, record, itemIds, notes);
          output.note(`${takeoverBlock(takeover, output.side)}\n`);
          const runId = runIdFor(bisect ? 'bisect' : 'sync', before.name, requestId);
          const { options, keep } = limitedTo(store, runId, before.options, itemIds);
          const route = { ...before, options };
          const common = { runId, route, requestId, reason, parent, reuse };
          return startAndFollow(
            sources,
            output,
            (attended) =>
              bisect
                ? startRun<BisectInput>(
                    'bisect',
                    sources,
                    { ...common, yes: true, wholeFailed: hasWholeFailed(record, itemIds) },
                    keep,
                  )
                : startRun('sync', sources, { ...common, yes, attended }, keep),
            { route, workers, ...following },
          );
        });
      }),
    );

/** One yes has to do for all imports of a bisect: nobody would answer dozens of plans. */
function requireYes(
  { record: { runId }, route: { options, name } }: ParentRun,
  yes: boolean,
  given: GivenOptions,
): void {
  const retry = `portolan run retry ${shortRunId(runId)}`;
  if (options.approval === 'required') {
    throw new PortolanError(
      'USAGE',
      `The route "${name}" requires an approval of each plan, and a bisect makes many.`,
      { hint: `Retry without --bisect: ${retry}${optionsText({ yes, ...given })}` },
    );
  }
  if (options.approval === 'none' || yes) return;
  throw new PortolanError(
    'USAGE',
    `The route "${name}" asks for a yes, and a bisect makes many plans: give one for all of them with --yes.`,
    { hint: `${retry} --bisect --yes${optionsText(given)}` },
  );
}

/** A run that waits for a person since its import failed as a whole: a resume would do the same again. */
const isParkedImport = (record: RunRecord): boolean =>
  record.status === 'parked' && record.kind === 'sync' && hasImportFailed(record);

/** Ends a parked run in favour of the search for its items at fault, once nothing stands against that. */
async function endParked(
  sources: ActingSources,
  { record: { runId }, route }: ParentRun,
  reason: string | undefined,
  output: Output,
): Promise<ParentRun> {
  await requireAbleWorkers(sources, portalsOf(route));
  output.note(`ends ${runId}, which is parked, and searches its items`);
  const cancel = { reason: reason ?? 'its items at fault are searched for', now: false };
  await cancelRun(sources, runId, cancel);
  while ((await readRun(sources, runId)).open) await sleep(LOOK_EVERY_MS);
  return await findParent(sources, runId);
}

/** Whether the import of exactly these items is known to have failed as a whole: then it is not tried again. */
const hasWholeFailed = (record: RunRecord, itemIds: readonly string[]): boolean =>
  hasImportFailed(record) &&
  lengthOf(record.items?.imported ?? []) === 0 &&
  itemIds.length === (record.plan?.create ?? 0) + (record.plan?.overwrite ?? 0);

async function lookBack(
  { store }: RunSources,
  record: RunRecord,
  itemIds: readonly string[],
  said: readonly string[],
): Promise<Takeover & { readonly reuse?: Reuse }> {
  const left = await findPackageInStore(store, record);
  const holdsAll = left !== undefined && (await isInPackage(store, record, left, itemIds));
  const notes = [...said];
  if (!left) notes.push(`no package of ${record.runId} is in the store at ${store.where}: exported again`);
  else if (!holdsAll) notes.push('not all of these items are in the package of that run: exported again');
  return {
    parent: record,
    verb: `retries ${countOf(itemIds.length, 'item')} of`,
    reuses:
      left && holdsAll
        ? [
            `package of ${left.runId} in the store, ${bytesText(left.sizeBytes)}, sha256 ${shortId(left.sha256)}`,
          ]
        : [],
    redoes: left && holdsAll ? ['guard', 'upload', 'and all that follows'] : ['everything'],
    notes,
    reuse: left && holdsAll ? { runId: left.runId, sha256: left.sha256 } : undefined,
  };
}
