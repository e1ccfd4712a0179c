import { portalIdentities } from '../model/address/portal-identity';
import { PortolanError } from '../model/errors/errors';
import type { DataPolicy, Route, RouteEnd, RouteOptions, RunRoute } from '../model/transfer/route';
import { type Exclusion, joinExclusions } from '../model/transfer/exclusion';
import type { TaskAddress, TaskRef } from '../model/portal-change/task-run';
import type { Config, PortalConfig, RouteConfig } from './config';

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

/** Six hours for a portal job, by default. */
const defaultJobDeadlineMs = 6 * 3_600_000;

/** Seven days, so that a run that stopped on Friday evening still waits on Monday. */
const defaultDecisionTimeoutMs = 7 * 86_400_000;

const adhocOptions = {
  overwrite: false,
  data: 'keep',
  take: [],
  approval: 'ask',
  keepPackages: false,
  jobDeadlineMs: defaultJobDeadlineMs,
  decisionTimeoutMs: defaultDecisionTimeoutMs,
} as const satisfies RouteConfig['options'];

/**
 * The route of one run, with both URLs in this configuration. Throws `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`,
 * `SAME_PORTAL`.
 */
export function resolveRoute(config: Config, request: RouteRequest, flags: RouteFlags = {}): Route {
  const chosen = 'route' in request ? namedRoute(config, request.route) : adhocRoute(request);
  const source = findPortal(config, chosen.source.portal);
  const target = findPortal(config, chosen.target.portal);
  refuseSamePortal(source, target);
  const { group, folder: folderId, folderOwner } = chosen.target;
  return {
    name: chosen.name,
    source: endOf(source, chosen.source.group),
    target: { ...endOf(target, group), folderId, folderOwner },
    options: withTask(config, mergeOptions(config, chosen.options, flags), flags.taskRun ?? chosen.taskRun),
  };
}

/** The route of a backup, which has no target. Throws `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`. */
export function resolveBackup(
  config: Config,
  name: string,
  flags: Pick<RouteFlags, 'taskRun'> = {},
): RunRoute {
  const { source, options, taskRun } = namedRoute(config, name);
  return {
    name,
    source: endOf(findPortal(config, source.portal), source.group),
    options: withTask(config, mergeOptions(config, wholeGroup(options), {}), flags.taskRun ?? taskRun),
  };
}

/**
 * The route of a drill: source of the snapshots, and target for drills. Throws `CONFIG_INVALID` if the route sets no
 * drill target, and as `resolveRoute`.
 */
export function resolveDrill(config: Config, name: string): Route {
  const { source: from, options, backup } = namedRoute(config, name);
  if (backup.drill === undefined)
    throw new PortolanError('CONFIG_INVALID', `routes.${name}.backup.drill in ${config.path} is not set.`, {
      hint: 'Set a portal and a group there: drill: { portal: NAME, group: ID }',
    });
  const source = findPortal(config, from.portal);
  const target = findPortal(config, backup.drill.portal);
  refuseSamePortal(source, target);
  return {
    name,
    source: endOf(source, from.group),
    target: endOf(target, backup.drill.group),
    // No one works on a scratch portal, so it needs no banner.
    options: { ...mergeOptions(config, wholeGroup(options), {}), banner: undefined },
  };
}

/** A backup of any group, without a route. Throws `PORTAL_NOT_FOUND`. */
export function adhocBackup(
  config: Config,
  { from, group, taskRun }: { from: string; group: string; taskRun?: TaskRef },
): RunRoute {
  const source = endOf(findPortal(config, from), group);
  const options = mergeOptions(config, adhocOptions, {});
  return { name: 'adhoc', source, options: withTask(config, options, taskRun) };
}

/** The route of a restore, from the source of its snapshot. Throws `PORTAL_NOT_FOUND`. */
export function resolveRestore(
  config: Config,
  from: { readonly name: string; readonly source: RouteEnd },
  { to, into, folder: folderId, folderOwner, ...flags }: RouteFlags & RestoreEnd,
): Route {
  const target = { ...endOf(findPortal(config, to), into), folderId, folderOwner };
  const options = mergeOptions(config, adhocOptions, flags);
  return { ...from, target, options: withTask(config, options, flags.taskRun) };
}

/** Target of a restore. */
export interface RestoreEnd {
  readonly to: string;
  readonly into: string;
  /** ID of the folder for new items. @default the portal chooses */
  readonly folder?: string;
  /** Owner of that folder. @default the account that is signed in */
  readonly folderOwner?: string;
}

/** Makes a run report to a portal task. Throws `PORTAL_NOT_FOUND`. */
const withTask = (config: Config, options: RouteOptions, task: TaskRef | undefined): RouteOptions =>
  task === undefined ? options : { ...options, taskRun: taskAddress(config, task) };

/** A portal task with the portal's URL in this configuration. Throws `PORTAL_NOT_FOUND`. */
export const taskAddress = (config: Config, task: TaskRef): TaskAddress => ({
  ...task,
  url: findPortal(config, task.portal).url,
});

const endOf = ({ name: portal, url, concurrency }: PortalConfig, groupId: string): RouteEnd => ({
  portal,
  url,
  groupId,
  concurrency,
});

/** Throws `PORTAL_NOT_FOUND` with the defined names. */
export function findPortal(config: Config, name: string): PortalConfig {
  return named(config, 'portal', config.portals, name);
}

function namedRoute(config: Config, name: string): RouteConfig {
  return named(config, 'route', config.routes, name);
}

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

const adhocRoute = (
  request: Exclude<RouteRequest, { route: string }>,
): Omit<RouteConfig, 'taskRun'> & Partial<Pick<RouteConfig, 'taskRun'>> => ({
  name: 'adhoc',
  source: { portal: request.from, group: request.group },
  target: { portal: request.to, group: request.into },
  options: adhocOptions,
  backup: { tags: [] },
});

/** Exclusions and forced items apply to syncs only: a backup saves everything, and a drill tests everything. */
const wholeGroup = (options: RouteConfig['options']): RouteConfig['options'] => ({
  ...options,
  take: [],
  exclude: undefined,
});

function mergeOptions(config: Config, given: RouteConfig['options'], flags: RouteFlags): RouteOptions {
  return {
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
  };
}

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
function refuseSamePortal(source: PortalConfig, target: PortalConfig): void {
  if (!isSamePortal(source, target)) return;
  const both =
    source.name === target.name ? `"${source.name}" is` : `"${source.name}" and "${target.name}" are`;
  throw new PortolanError('SAME_PORTAL', `Source and target are the same portal: ${both} ${source.url}.`);
}
