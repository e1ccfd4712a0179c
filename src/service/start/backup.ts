import { z } from 'zod';
import type { Config } from '../../config/config';
import { adhocBackup, resolveBackup, resolveDrill } from '../../config/resolve-route';
import { findSnapshot } from '../../domain/resolve-id';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { PortolanError } from '../../model/errors/errors';
import type { BackupInput, DrillInput } from '../../model/run/run-input';
import type { RunRoute } from '../../model/transfer/route';
import { requireAbleWorkers } from '../run/compatible-workers';
import type { WriteContext } from '../run/run-sources';
import { type RunStart, startRun } from '../run/start-run';
import { anyStart, boundTask, named, type PreparedRun, type Requested } from './prepared-run';

const name = z.string().min(1).max(200);

/** Request for a backup: the source of a route, or a group of a portal. */
export const backupRequest = anyStart.extend({
  route: name.optional().describe('route in portolan.yaml; its source is backed up'),
  from: name.optional().describe('portal, instead of a route'),
  group: name.optional().describe('group on that portal'),
  full: z.boolean().default(false).describe('export everything, changed or not'),
  allowShrink: z.boolean().default(false).describe('accept a group that shrank by more than half'),
  tags: z.array(z.string().min(1).max(200)).max(20).default([]).describe('tags of the snapshot'),
  taskRun: boundTask,
});
export type BackupRequest = z.input<typeof backupRequest>;

/** Prepares a backup. Throws `USAGE`, `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`, `NO_WORKER`. */
export async function prepareBackup(
  sources: WriteContext,
  { full: force = false, allowShrink = false, tags = [], reason, ...asked }: BackupRequest,
  { requestId }: Requested = {},
): Promise<PreparedRun> {
  const { config } = sources;
  const found = routeToBackUp(config, asked);
  const route = { ...found, options: { ...found.options, allowShrink } };
  const workers = await requireAbleWorkers(sources, [route.source.portal]);
  const { tags: always = [], fullEveryMs } = config.routes.get(route.name)?.backup ?? {};
  const start: RunStart<BackupInput> = {
    route,
    yes: false,
    requestId,
    reason,
    force,
    fullEveryMs,
    tags: [...always, ...tags],
  };
  return { kind: 'backup', route, workers, begin: () => startRun('backup', sources, start) };
}

/** A route by name, or by its source. Throws `USAGE` for neither, both, or an incomplete source. */
export function routeToBackUp(
  config: Config,
  { route: name, from, group, taskRun }: Pick<BackupRequest, 'route' | 'from' | 'group' | 'taskRun'>,
): RunRoute {
  const usage = (message: string) =>
    new PortolanError('USAGE', message, { hint: 'See: portolan backup create --help' });
  if (name !== undefined) {
    if (from !== undefined || group !== undefined)
      throw usage('Name a route, or --from and --group; not both.');
    return resolveBackup(config, name, { taskRun });
  }
  if (from !== undefined && group !== undefined) return adhocBackup(config, { from, group, taskRun });
  throw usage(
    from === undefined && group === undefined
      ? 'Name a route.'
      : '--from and --group must be given together.',
  );
}

/** Request for a drill. */
export const drillRequest = anyStart.extend({
  route: name.describe('route in portolan.yaml'),
  snapshot: named.optional().describe('a snapshot of the route, instead of the last good one'),
  import: z.boolean().default(false).describe('also import, then delete the imported items'),
});
export type DrillRequest = z.input<typeof drillRequest>;

/** Prepares a drill. Throws `ROUTE_NOT_FOUND`, `CONFIG_INVALID`, `SNAPSHOT_NOT_FOUND`, `NO_WORKER`. */
export async function prepareDrill(
  sources: WriteContext,
  { route: routeName, snapshot, import: imports = false, reason }: DrillRequest,
  { requestId }: Requested = {},
): Promise<PreparedRun> {
  const { config, store } = sources;
  const route = resolveDrill(config, routeName);
  const snapshotId = snapshot && (await findSnapshot(openSnapshots(config, store), snapshot));
  const workers = await requireAbleWorkers(sources, [route.target.portal]);
  const start: RunStart<DrillInput> = {
    route,
    yes: false,
    requestId,
    reason,
    snapshotId,
    import: imports,
  };
  return { kind: 'drill', route, workers, begin: () => startRun('drill', sources, start) };
}
