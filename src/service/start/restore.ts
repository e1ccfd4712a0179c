import type { RunView } from '../../contract/runs';
import type { StartInput } from '../../contract/starts';
import { resolveRestore } from '../../config/resolve-route';
import { findSnapshot } from '../../domain/resolve-id';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { PortolanError } from '../../model/errors/errors';
import type { RestoreInput, RollbackInput } from '../../model/run/run-input';
import { safeguardOf, targetOf } from '../run/run-view';
import type { RunStart } from '../run/start-run';
import type { PreparedRun, Starting } from './prepared-run';

/** Prepares a restore. Throws `SNAPSHOT_NOT_FOUND`, `PORTAL_NOT_FOUND`. */
export async function prepareRestore(
  { config, store, requestId }: Starting,
  { snapshot, yes, reason, ...asked }: StartInput<'startRestore'>,
): Promise<PreparedRun> {
  const snapshots = openSnapshots(config, store);
  const snapshotId = await findSnapshot(snapshots, snapshot);
  const { route: of, source } = await snapshots.read(snapshotId);
  const { portal, url, groupId } = source;
  const route = resolveRestore(config, { name: of, source: { portal, url, groupId } }, asked);
  const start: RunStart<RestoreInput> = { route, yes, requestId, reason, snapshotId };
  return { kind: 'restore', start };
}

/** Prepares a rollback of a run. Throws `USAGE` if there is nothing to roll back. */
export async function prepareRollback(
  { config, store, requestId }: Starting,
  { record, open }: RunView,
  { yes, deleteCreated, reason }: StartInput<'rollBackRun'>,
): Promise<PreparedRun> {
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
  const start: RunStart<RollbackInput> = {
    route,
    yes,
    snapshotId,
    parent: record.runId,
    requestId,
    reason,
    deleteCreated: deleteCreated === undefined ? undefined : true,
  };
  return { kind: 'rollback', start };
}
