import { portalIdentities } from '../model/address/portal-identity';
import { PortolanError } from '../model/errors/errors';
import { SAFEGUARD_STAYS_MS } from '../model/snapshot/retention';
import type { Approval, DataPolicy, Route, RouteEnd, RouteOptions, RunRoute } from '../model/transfer/route';
import { type Exclusion, joinExclusions } from '../model/transfer/exclusion';
import type { TaskAddress, TaskRef } from '../model/portal-change/task-run';
import type { Config, PortalConfig, RouteConfig } from './config';

/** A route as it is asked for on the command line: by name, or by its two ends. */
export type RouteRequest =
  | { readonly route: string }
  | { readonly from: string; readonly group: string; readonly to: string; readonly into: string };

/** What the command line changes about a route for one run. */
export interface RouteFlags {
  readonly items?: readonly string[];
  readonly overwrite?: boolean;
  readonly data?: DataPolicy;
  readonly take?: readonly string[];
  /** Besides what the route leaves out. */
  readonly exclude?: Exclusion;
  readonly planOnly?: boolean;
  /** Everything goes, also what nobody has touched. */
  readonly full?: boolean;
  readonly allowShrink?: boolean;
  readonly taskRun?: TaskRef;
}

/** Six hours: as long as a portal's own jobs are given where the route says nothing. */
const defaultJobDeadlineMs = 6 * 3_600_000;

/** Seven days, so that a failed run's package can still be looked at after a weekend. */
const defaultKeepFailedMs = 7 * 86_400_000;

/** Seven days, so that what stopped on a Friday evening still waits on Monday. */
const defaultDecisionTimeoutMs = 7 * 86_400_000;

const adhocOptions = {
  overwrite: false,
  data: 'keep',
  take: [],
  approval: 'ask',
  keepPackages: false,
  jobDeadlineMs: defaultJobDeadlineMs,
  decisionTimeoutMs: defaultDecisionTimeoutMs,
  keep: { succeededMs: 0, failedMs: defaultKeepFailedMs },
} as const satisfies RouteConfig['options'];

/**
 * The route of one run, with both addresses as this configuration has them.
 * Throws `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`, `SAME_PORTAL`.
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

/** The route of a backup, which goes nowhere. Throws `ROUTE_NOT_FOUND`, `PORTAL_NOT_FOUND`. */
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
 * The route of a drill: from where its snapshots are taken to where they are tried.
 * Throws `CONFIG_INVALID` where the route does not say where, and what `resolveRoute` throws.
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
    // Nobody works on a scratch portal who would have to be told.
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

/** The route of a restore, from where its snapshot was taken. Throws `PORTAL_NOT_FOUND`. */
export function resolveRestore(
  config: Config,
  from: { readonly name: string; readonly source: RouteEnd },
  { to, into, folder: folderId, folderOwner, ...flags }: RouteFlags & RestoreEnd,
): Route {
  const target = { ...endOf(findPortal(config, to), into), folderId, folderOwner };
  const options = mergeOptions(config, adhocOptions, flags);
  return { ...from, target, options: withTask(config, options, flags.taskRun) };
}

/** Where a restore goes. */
export interface RestoreEnd {
  readonly to: string;
  readonly into: string;
  /** Id of a folder that takes what is new there. @default the portal chooses */
  readonly folder?: string;
  /** Whose folder that is. @default the account that is signed in */
  readonly folderOwner?: string;
}

/** Binds a run to a portal's task. Throws `PORTAL_NOT_FOUND`. */
const withTask = (config: Config, options: RouteOptions, task: TaskRef | undefined): RouteOptions =>
  task === undefined ? options : { ...options, taskRun: taskAddress(config, task) };

/** A portal's task with the address that this configuration has of it. Throws `PORTAL_NOT_FOUND`. */
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

/** Throws `PORTAL_NOT_FOUND` with the names that there are. */
export function findPortal(config: Config, name: string): PortalConfig {
  return named(config, 'portal', config.portals, name);
}

function namedRoute(config: Config, name: string): RouteConfig {
  return named(config, 'route', config.routes, name);
}

/** What has that name. Throws the code that says that there is none, with the names that there are. */
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
  name: 'adhoc',
  source: { portal: request.from, group: request.group },
  target: { portal: request.to, group: request.into },
  options: adhocOptions,
  backup: { tags: [], safeguardsMs: SAFEGUARD_STAYS_MS },
});

/** What a sync leaves out, or takes although it is blocked, is its own: a backup holds all, and a drill proves all. */
const wholeGroup = (options: RouteConfig['options']): RouteConfig['options'] => ({
  ...options,
  take: [],
  exclude: undefined,
});

function mergeOptions(config: Config, given: RouteConfig['options'], flags: RouteFlags): RouteOptions {
  const approval: Approval = given.approval;
  return {
    ...given,
    approval,
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

/** Whether two names are one portal, by its addresses and aliases. */
export function isSamePortal(source: PortalConfig, target: PortalConfig): boolean {
  const ofTarget = portalIdentities(target);
  return source.name === target.name || portalIdentities(source).some((each) => ofTarget.includes(each));
}

/** Every entry of the configuration that is the same portal as the one of that name. Throws `PORTAL_NOT_FOUND`. */
export function namesOfPortal(config: Config, name: string): PortalConfig[] {
  const here = findPortal(config, name);
  return [...config.portals.values()].filter((each) => isSamePortal(each, here));
}

/** Item ids are kept by an import, so that source and target must be two portals. */
function refuseSamePortal(source: PortalConfig, target: PortalConfig): void {
  if (!isSamePortal(source, target)) return;
  const both =
    source.name === target.name ? `"${source.name}" is` : `"${source.name}" and "${target.name}" are`;
  throw new PortolanError('SAME_PORTAL', `Source and target are the same portal: ${both} ${source.url}.`);
}
