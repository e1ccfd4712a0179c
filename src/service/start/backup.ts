import type { Config } from '../../config/config';
import type { StartInput } from '../../contract/starts';
import { adhocBackup, resolveBackup, resolveDrill } from '../../config/resolve-route';
import { findSnapshot } from '../../domain/resolve-id';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { PortolanError } from '../../model/errors/errors';
import type { BackupInput, DrillInput } from '../../model/run/run-input';
import type { RunRoute } from '../../model/transfer/route';
import type { RunStart } from '../run/start-run';
import type { PreparedRun, Starting } from './prepared-run';

/**
 * Prepares a backup. Throws `USAGE`, `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`.
 *
 * @param after a run for whose end it waits
 */
export function prepareBackup(
  { config, requestId }: Starting,
  { full: force, allowShrink, tags, reason, ...asked }: StartInput<'startBackup'>,
  after?: string,
): PreparedRun {
  const found = routeToBackUp(config, asked);
  const route = { ...found, options: { ...found.options, allowShrink } };
  const { tags: always = [], fullEveryMs } = config.routes.get(route.name)?.backup ?? {};
  const start: RunStart<BackupInput> = {
    route,
    yes: false,
    requestId,
    reason,
    force,
    fullEveryMs,
    after,
    tags: [...always, ...tags],
  };
  return { kind: 'backup', start };
}

/** A route by name, or by its source. Throws `USAGE` for neither, both, or an incomplete source. */
export function routeToBackUp(
  config: Config,
  {
    route: name,
    from,
    group,
    taskRun,
  }: Pick<StartInput<'startBackup'>, 'route' | 'from' | 'group' | 'taskRun'>,
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

/** Prepares a drill. Throws `ROUTE_NOT_FOUND`, `CONFIG_INVALID`, `SNAPSHOT_NOT_FOUND`. */
export async function prepareDrill(
  { config, store, requestId }: Starting,
  { route: routeName, snapshot, import: imports, reason }: StartInput<'startDrill'>,
): Promise<PreparedRun> {
  const route = resolveDrill(config, routeName);
  const snapshotId = snapshot && (await findSnapshot(openSnapshots(config, store), snapshot));
  const start: RunStart<DrillInput> = { route, yes: false, requestId, reason, snapshotId, import: imports };
  return { kind: 'drill', start };
}
