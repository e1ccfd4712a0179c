import { z } from 'zod';
import type { RunView } from '../../contract/runs';
import { resolveRestore } from '../../config/resolve-route';
import { findSnapshot } from '../../domain/resolve-id';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { PortolanError } from '../../model/errors/errors';
import type { RunKind, RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { RestoreInput, RollbackInput } from '../../model/run/run-input';
import { requireAbleWorkers } from '../run/compatible-workers';
import type { WriteContext } from '../run/run-sources';
import { targetOf } from '../run/run-view';
import { type RunStart, startRun } from '../run/start-run';
import { boundTask, itemIds, named, plannedStart, type PreparedRun, type Requested } from './prepared-run';

const name = z.string().min(1).max(200);

/** Request for a restore. */
export const restoreRequest = plannedStart.extend({
  snapshot: named.describe('ID, a unique suffix of it, `latest` or `latest:ROUTE`'),
  to: name.describe('target portal'),
  into: name.describe('target group'),
  items: itemIds.optional().describe('only these items'),
  overwrite: z.boolean().optional().describe('overwrite existing items'),
  data: z.enum(['keep', 'replace']).optional().describe('data of existing hosted layers'),
  take: itemIds.optional().describe('import these items even if blocked'),
  folder: name.optional().describe('ID of the folder for new items'),
  folderOwner: name.optional().describe('owner of the folder'),
  planOnly: z.boolean().optional().describe('stop after the plan'),
  taskRun: boundTask,
});
export type RestoreRequest = z.input<typeof restoreRequest>;

/** Prepares a restore. Throws `SNAPSHOT_NOT_FOUND`, `PORTAL_NOT_FOUND`, `NO_WORKER`. */
export async function prepareRestore(
  sources: WriteContext,
  { snapshot, yes = false, reason, ...asked }: RestoreRequest,
  { requestId }: Requested = {},
): Promise<PreparedRun> {
  const { config, store } = sources;
  const snapshots = openSnapshots(config, store);
  const snapshotId = await findSnapshot(snapshots, snapshot);
  const { route: of, source } = await snapshots.read(snapshotId);
  const { portal, url, groupId } = source;
  const route = resolveRestore(config, { name: of, source: { portal, url, groupId } }, asked);
  const workers = await requireAbleWorkers(sources, [route.target.portal]);
  const start: RunStart<RestoreInput> = { route, yes, requestId, reason, snapshotId };
  return {
    kind: 'restore',
    route,
    workers,
    approval: yes ? undefined : route.options.approval,
    begin: (attended) => startRun('restore', sources, { ...start, attended }),
  };
}

/** Request for a rollback of a run. */
export const rollbackRequest = plannedStart.extend({
  deleteCreated: z
    .string()
    .max(200)
    .optional()
    .describe('name of the target portal: delete items the run created, if unchanged since'),
});
export type RollbackRequest = z.input<typeof rollbackRequest>;

/** Prepares a rollback of a run. Throws `USAGE` if there is nothing to roll back, and `NO_WORKER`. */
export async function prepareRollback(
  sources: WriteContext,
  { record, open }: RunView,
  { yes = false, deleteCreated, reason }: RollbackRequest,
  { requestId }: Requested = {},
): Promise<PreparedRun> {
  const { config, store } = sources;
  const snapshotId = safeguardOf(record, open);
  const target = targetOf(record);
  const { portal: to, groupId: into } = target;
  if (deleteCreated !== undefined && deleteCreated !== to)
    throw new PortolanError('USAGE', `The created items are on ${to}, not on "${deleteCreated}".`, {
      hint: `To delete them, type that portal's name: ${to}`,
    });
  // Without a safeguard nothing is imported.
  const from = snapshotId && (await openSnapshots(config, store).read(snapshotId)).source;
  const { portal, url, groupId } = from || target;
  const route = resolveRestore(
    config,
    { name: record.route.name, source: { portal, url, groupId } },
    { to, into, overwrite: true, data: 'replace' },
  );
  const workers = await requireAbleWorkers(sources, [route.target.portal]);
  const parent = record.runId;
  const start: RunStart<RollbackInput> = {
    route,
    yes,
    snapshotId,
    parent,
    requestId,
    reason,
    deleteCreated: deleteCreated === undefined ? undefined : true,
  };
  return {
    kind: 'rollback',
    route,
    workers,
    approval: yes ? undefined : route.options.approval,
    begin: (attended) => startRun('rollback', sources, { ...start, attended }),
  };
}

/** Kinds of runs that can create items without overwriting any, and then have no safeguard. */
const creating: ReadonlySet<RunKind> = new Set(['sync', 'restore', 'rollback']);

/** Undefined for a run that only created items. Throws `USAGE` if there is nothing to roll back, or not yet. */
export function safeguardOf(
  { runId, kind, safeguard, snapshot, target }: RunRecord,
  open: boolean,
): string | undefined {
  const short = shortRunId(runId);
  const usage = (message: string, hint: string) => new PortolanError('USAGE', message, { hint });
  if (open) throw usage(`${runId} has not ended.`, `Cancel it first: portolan run cancel ${short}`);
  const id = safeguard?.id ?? (kind === 'sync' ? snapshot?.id : undefined);
  if (id !== undefined || (creating.has(kind) && target !== 'untouched')) return id;
  throw usage(
    `${runId} did not overwrite anything, so it has no safeguard.`,
    `See what it did: portolan run show ${short}`,
  );
}
