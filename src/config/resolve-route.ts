import { portalIdentities } from '../model/identity';
import { PortolanError } from '../model/errors/errors';
import {
  type DataPolicy,
  type Route,
  type RouteEnd,
  type RouteOptions,
  type RunRoute,
  type Exclusion,
  joinExclusions,
} from '../model/transfer/route';
import type { TaskAddress, TaskRef } from '../model/portal-change/task-run';
import type { Config, PortalConfig, RouteConfig } from './config';
import { route as routeSchema } from './file/route-schema';

/** A route named on the command line, or given by its two ends. */
export type RouteRequest =
  | { readonly route: string }
  | { readonly from: string; readonly group: string; readonly to: string; readonly into: string };

/** Command-line changes to a route for one run. */
export interface RouteFlags {
  readonly items?: readonly string[];
  readonly overwrite?: boolean;
  readonly data?: DataPolicy;
  readonly take?: readonly string[];
  /** In addition to the route's exclusions. */
  readonly exclude?: Exclusion;
  readonly planOnly?: boolean;
  /** Transfer unchanged items too. */
  readonly full?: boolean;
  readonly allowShrink?: boolean;
  readonly taskRun?: TaskRef;
}

const anyEnd = { portal: 'any', group: 'any' };
/** A route that sets nothing but its ends. */
const defaults = routeSchema.parse({ source: anyEnd, target: anyEnd });

/**
 * The route of one run, with both URLs in this configuration. Throws `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`,
 * `SAME_PORTAL`.
 */
export function resolveRoute(config: Config, request: RouteRequest, flags: RouteFlags = {}): Route {
  const { name, source, target, options, taskRun } =
    'route' in request ? findRoute(config, request.route) : adhocRoute(request);
  refuseSamePortal(config, source.portal, target.portal);
  const { folder: folderId, folderOwner } = target;
  return {
    name,
    source: endOf(config, source.portal, source.group),
    target: { ...endOf(config, target.portal, target.group), folderId, folderOwner },
    options: optionsOf(config, options, { ...flags, taskRun: flags.taskRun ?? taskRun }),
  };
}

/** The route of a backup, which has no target. Throws `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`. */
export function resolveBackup(
  config: Config,
  name: string,
  flags: Pick<RouteFlags, 'taskRun'> = {},
): RunRoute {
  const { source, options, taskRun } = findRoute(config, name);
  return {
    name,
    source: endOf(config, source.portal, source.group),
    options: optionsOf(config, wholeGroup(options), { taskRun: flags.taskRun ?? taskRun }),
  };
}

/**
 * The route of a drill: source of the snapshots, and target for drills. Throws `CONFIG_INVALID` if the route sets no
 * drill target, and as `resolveRoute`.
 */
export function resolveDrill(config: Config, name: string): Route {
  const { source, options, backup } = findRoute(config, name);
  if (backup.drill === undefined)
    throw new PortolanError('CONFIG_INVALID', `routes.${name}.backup.drill in ${config.path} is not set.`, {
      hint: 'Set a portal and a group there: drill: { portal: NAME, group: ID }',
    });
  refuseSamePortal(config, source.portal, backup.drill.portal);
  return {
    name,
    source: endOf(config, source.portal, source.group),
    target: endOf(config, backup.drill.portal, backup.drill.group),
    // No one works on a scratch portal, so it needs no banner.
    options: { ...optionsOf(config, wholeGroup(options), {}), banner: undefined },
  };
}

/** A backup of any group, without a route. Throws `PORTAL_NOT_FOUND`. */
export const adhocBackup = (
  config: Config,
  { from, group, taskRun }: { from: string; group: string; taskRun?: TaskRef },
): RunRoute => ({
  name: 'adhoc',
  source: endOf(config, from, group),
  options: optionsOf(config, defaults.options, { taskRun }),
});

/** The route of a restore, from the source of its snapshot. Throws `PORTAL_NOT_FOUND`. */
export const resolveRestore = (
  config: Config,
  from: { readonly name: string; readonly source: RouteEnd },
  { to, into, folder: folderId, folderOwner, ...flags }: RouteFlags & RestoreEnd,
): Route => ({
  ...from,
  target: { ...endOf(config, to, into), folderId, folderOwner },
  options: optionsOf(config, defaults.options, flags),
});

/** Target of a restore. */
interface RestoreEnd {
  readonly to: string;
  readonly into: string;
  /** ID of the folder for new items. @default the portal chooses */
  readonly folder?: string;
  /** Owner of that folder. @default the account that is signed in */
  readonly folderOwner?: string;
}

/** A portal task with the portal's URL in this configuration. Throws `PORTAL_NOT_FOUND`. */
export const taskAddress = (config: Config, task: TaskRef): TaskAddress => ({
  ...task,
  url: findPortal(config, task.portal).url,
});

function endOf(config: Config, portal: string, groupId: string): RouteEnd {
  const { url, concurrency } = findPortal(config, portal);
  return { portal, url, groupId, concurrency };
}

/** Throws `PORTAL_NOT_FOUND` with the defined names. */
export const findPortal = (config: Config, name: string): PortalConfig =>
  named(config, 'portal', config.portals, name);

const findRoute = (config: Config, name: string): RouteConfig => named(config, 'route', config.routes, name);

/** Looks up a name. Throws the given code with the defined names. */
export function named<T>(
  { path }: Config,
  what: keyof typeof absent,
  all: ReadonlyMap<string, T>,
  name: string,
): T {
  const found = all.get(name);
  if (found !== undefined) return found;
  const known = [...all.keys()].join(', ') || 'none';
  throw new PortolanError(absent[what], `${path} has no ${what} "${name}"; defined: ${known}.`);
}

const absent = {
  portal: 'PORTAL_NOT_FOUND',
  route: 'ROUTE_NOT_FOUND',
  pipeline: 'PIPELINE_NOT_FOUND',
} as const;

const adhocRoute = (request: Exclude<RouteRequest, { route: string }>): RouteConfig => ({
  ...defaults,
  name: 'adhoc',
  source: { portal: request.from, group: request.group },
  target: { portal: request.to, group: request.into },
});

/** Exclusions and forced items apply to syncs only: a backup saves everything, and a drill tests everything. */
const wholeGroup = (options: RouteConfig['options']): RouteConfig['options'] => ({
  ...options,
  take: [],
  exclude: undefined,
});

const optionsOf = (config: Config, given: RouteConfig['options'], flags: RouteFlags): RouteOptions => ({
  ...given,
  overwrite: flags.overwrite ?? given.overwrite,
  data: flags.data ?? given.data,
  items: flags.items ?? given.items,
  take: [...new Set([...given.take, ...(flags.take ?? [])])],
  exclude: joinExclusions(given.exclude, flags.exclude),
  full: flags.full,
  planOnly: flags.planOnly ?? false,
  allowShrink: flags.allowShrink ?? false,
  limits: config.limits,
  ...(flags.taskRun && { taskRun: taskAddress(config, flags.taskRun) }),
});

/** Whether two names are the same portal, by URL and aliases. */
export function isSamePortal(source: PortalConfig, target: PortalConfig): boolean {
  const ofTarget = portalIdentities(target);
  return source.name === target.name || portalIdentities(source).some((each) => ofTarget.includes(each));
}

/** Every configured name of the same portal. Throws `PORTAL_NOT_FOUND`. */
export function namesOfPortal(config: Config, name: string): PortalConfig[] {
  const here = findPortal(config, name);
  return [...config.portals.values()].filter((each) => isSamePortal(each, here));
}

/** Imports keep item IDs, so source and target must be different portals. */
function refuseSamePortal(config: Config, from: string, to: string): void {
  const [source, target] = [findPortal(config, from), findPortal(config, to)];
  if (!isSamePortal(source, target)) return;
  const both = from === to ? `"${from}" is` : `"${from}" and "${to}" are`;
  throw new PortolanError('SAME_PORTAL', `Source and target are the same portal: ${both} ${source.url}.`);
}
