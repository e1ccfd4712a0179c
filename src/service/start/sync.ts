import type { StartInput } from '../../contract/starts';
import { resolveRoute, type RouteRequest } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import type { SyncInput } from '../../model/run/run-input';
import type { RunStart } from '../run/start-run';
import type { PreparedRun, Starting } from './prepared-run';

export type SyncRequest = StartInput<'startSync'>;

/**
 * Prepares a sync. Throws `USAGE` if neither a route nor both ends are named, `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`,
 * `SAME_PORTAL`.
 */
export function prepareSync(
  { config, requestId }: Starting,
  { yes, reason, scheduledBy, ...asked }: SyncRequest,
): PreparedRun {
  const route = resolveRoute(config, sourceAndTarget(asked), asked);
  const start: RunStart<SyncInput> = { route, yes, requestId, reason, scheduledBy };
  return { kind: 'sync', start };
}

/** Throws `USAGE` unless there is either a name or both ends. */
export function sourceAndTarget({ route, from, group, to, into }: Partial<SyncRequest>): RouteRequest {
  const isGiven = [from, group, to, into].some((each) => each !== undefined);
  if (route !== undefined) {
    if (isGiven) throw usage('Name a route, or --from, --group, --to and --into; not both.');
    return { route };
  }
  if (from !== undefined && group !== undefined && to !== undefined && into !== undefined)
    return { from, group, to, into };
  throw usage(isGiven ? '--from, --group, --to and --into must be given together.' : 'Name a route.');
}

const usage = (message: string): PortolanError =>
  new PortolanError('USAGE', message, { hint: 'See: portolan sync --help' });
