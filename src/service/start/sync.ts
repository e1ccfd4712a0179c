import { z } from 'zod';
import { resolveRoute, type RouteRequest } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import { portalsOf } from '../../model/text/words';
import { requireAbleWorkers } from '../run/compatible-workers';
import type { WriteContext } from '../run/run-sources';
import { startRun } from '../run/start-run';
import { boundTask, itemIds, plannedStart, type PreparedRun, type Requested } from './prepared-run';

const name = z.string().min(1).max(200);
const words = z.array(name).max(1_000).readonly().optional();

/** Request for a sync: a route, or its two ends, with options that override the route. */
export const syncRequest = plannedStart.extend({
  route: name.optional().describe('route in portolan.yaml'),
  from: name.optional().describe('source portal, instead of a route'),
  group: name.optional().describe('source group'),
  to: name.optional().describe('target portal'),
  into: name.optional().describe('target group'),
  items: itemIds.optional().describe('only these items'),
  exclude: z
    .strictObject({ items: itemIds.optional(), types: words, tags: words })
    .optional()
    .describe('excluded in addition to those the route excludes'),
  overwrite: z.boolean().optional().describe('overwrite existing items'),
  data: z.enum(['keep', 'replace']).optional().describe('data of existing hosted layers'),
  take: itemIds.optional().describe('import these items even if blocked'),
  full: z.boolean().optional().describe('transfer unchanged items too'),
  allowShrink: z.boolean().optional().describe('accept a group that shrank by more than half'),
  planOnly: z.boolean().optional().describe('stop after the plan'),
  scheduledBy: name.optional().describe('the schedule or job that starts this route'),
  taskRun: boundTask,
});
export type SyncRequest = z.input<typeof syncRequest>;

/**
 * Prepares a sync. Throws `USAGE` if neither a route nor both ends are named, `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`,
 * `SAME_PORTAL`, and `NO_WORKER` if no worker would take it.
 */
export async function prepareSync(
  sources: WriteContext,
  { yes = false, reason, scheduledBy, ...asked }: SyncRequest,
  { requestId }: Requested = {},
): Promise<PreparedRun> {
  const route = resolveRoute(sources.config, sourceAndTarget(asked), asked);
  const workers = await requireAbleWorkers(sources, portalsOf(route));
  const start = { route, yes, requestId, reason, scheduledBy };
  return {
    kind: 'sync',
    route,
    workers,
    approval: yes ? undefined : route.options.approval,
    begin: (attended) => startRun('sync', sources, { ...start, attended }),
  };
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
