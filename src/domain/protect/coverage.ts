import type { Config } from '../../config/config';
import { rulesOf } from '../../config/resolve-rule';
import { namesOfPortal } from '../../config/resolve-route';
import { portalIdentities, portalIdentity } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import { groupBy } from '../../model/group-by';
import { mapLimited } from '../../model/map-limited';
import {
  type Coverage,
  type CoveredItem,
  coverageStates,
  type CoverageSummary,
  coverageSummary,
  summaryOf,
} from '../../model/snapshot/coverage';
import { protectedRoute } from '../../model/snapshot/rule-route';
import { oneLine } from '../../model/text/plain-text';
import { countOf, exactDuration } from '../../model/text/words';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import type { CallOptions } from '../../portal/http/request';
import { releaseOf } from '../../portal/http/versions';
import { groupContentPages, searchGroups } from '../../portal/resources/groups';
import { withinPortal } from '../../portal/resources/listings';
import { isFullAdministrator, type PortalSelf, readSelf } from '../../portal/resources/portals';
import { keys } from '../../store/keys';
import { type Store, STORE_READS_AT_A_TIME } from '../../store/store';
import { heldAt, isGood, type KnownSnapshot, listSnapshots } from '../snapshot/list-snapshots';
import type { Snapshots } from '../snapshot/snapshots';
import { classifyItem, itemTypes } from '../transfer/classify-item';
import { listPortalItems } from './portal-items';
import { matchingGroups } from './rule-groups';

/** What backs up a group. */
interface Cover {
  /** For people: the rule `PORTAL/RULE`, or a route. */
  readonly name: string;
  /** Under which its snapshots are found. */
  readonly route: string;
  readonly groupId: string;
  /** @default any age will do */
  readonly maxAgeMs?: number;
}

/** A snapshot that holds an item. */
interface Saved {
  readonly cover: Cover;
  /** @format milliseconds since the epoch */
  readonly at: number;
  readonly isFresh: boolean;
}

/** Answers what of a portal is not protected, and notes the figures in the store. Writes nothing on the portal. */
export async function readCoverage(
  config: Config,
  snapshots: Snapshots,
  portal: Portal,
  options: CallOptions & { readonly now: number },
): Promise<Coverage> {
  const { now } = options;
  const self = await readSelf(portal, options);
  const { items, problems: unlisted } = await listPortalItems(portal, self.id, options);
  const problems = [...unlisted];
  if (!seesAll(self))
    problems.push('the account cannot see the items of others; it needs the privilege to view all content');
  const groupsOf = await readGroupsOfItems(portal, self.id, problems, options);
  const unknown = [...groupsOf.keys()].filter((id) => !items.has(id));
  if (unknown.length > 0)
    problems.push(
      `${countOf(unknown.length, 'item')} of groups are in no search result, such as ${unknown[0]}; the search index may lag behind`,
    );
  const covers = await readCovers(config, snapshots, portal, problems, options);
  const saved = await readSaved(snapshots, covers.list, covers.readable, now, problems);
  const release = releaseOf(self);
  const rows = [...items.values()].map((item): CoveredItem => {
    const groups = [...(groupsOf.get(item.id) ?? [])];
    const common = {
      itemId: item.id,
      title: oneLine(item.title ?? item.id),
      type: item.type ?? 'unknown',
      owner: item.owner ?? 'unknown',
      size: item.size ?? 0,
    };
    const best = bestOf(saved.get(item.id) ?? []);
    const cover = best?.cover ?? groups.flatMap((id) => covers.ofGroup.get(id) ?? [])[0];
    const backup = best && { lastBackup: new Date(best.at).toISOString() };
    const of = { ...common, groups, ...(cover && { rule: cover.name }), ...backup };
    if (best?.isFresh) return { ...of, state: 'protected' };
    const { verdict, ...why } = classifyItem(item, release);
    const isExportable =
      verdict === 'exportable' || (verdict === 'unknown' && itemTypes[common.type]?.exportable === true);
    if (!isExportable)
      return { ...of, state: 'unsupported', reason: 'reason' in why ? why.reason : 'cannot be exported' };
    if (groups.length === 0) return { ...of, state: 'ungrouped', reason: 'is in no group' };
    if (!cover || !groups.some((id) => covers.ofGroup.has(id)))
      return { ...of, state: 'unprotected', reason: 'no rule or route backs up its groups' };
    return { ...of, state: 'stale', reason: whyStale(best) };
  });
  const count = (state: CoveredItem['state']): number => rows.filter((row) => row.state === state).length;
  const totals = Object.fromEntries(coverageStates.map((state) => [state, count(state)])) as Record<
    CoveredItem['state'],
    number
  >;
  const found: Coverage = {
    portal: portal.name,
    takenAt: new Date(now).toISOString(),
    complete: problems.length === 0,
    totals: { items: rows.length, ...totals },
    ...(problems.length > 0 && { notes: problems }),
    items: rows,
  };
  await snapshots.store.writeJson(keys.coverage(portal.name), summaryOf(found));
  return found;
}

/** What of each portal was not protected when it was last counted. */
export const lastCoverage = async (
  { portals }: Config,
  store: Store,
): Promise<{ portal: string; last?: CoverageSummary }[]> =>
  await mapLimited([...portals.keys()], STORE_READS_AT_A_TIME, async (portal) => ({
    portal,
    last: await store.readJson(keys.coverage(portal), coverageSummary),
  }));

const seesAll = ({ user }: PortalSelf): boolean =>
  isFullAdministrator(user) || (user?.privileges?.includes('portal:admin:viewItems') ?? false);

/** The newest, but a fresh one rather than any other. */
const bestOf = (all: readonly Saved[]): Saved | undefined =>
  all.toSorted((one, other) => Number(other.isFresh) - Number(one.isFresh) || other.at - one.at)[0];

const whyStale = (best: Saved | undefined): string =>
  best === undefined
    ? 'is in no snapshot yet'
    : `its last snapshot is older than ${exactDuration(best.cover.maxAgeMs ?? 0)}`;

/** The groups of each item that is in one, by the listings of all groups. */
async function readGroupsOfItems(
  portal: Portal,
  portalId: string | undefined,
  problems: string[],
  options: CallOptions,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const groupsOf = new Map<string, Set<string>>();
  const groups = await searchGroups(portal, withinPortal('*', portalId), options);
  await mapLimited(groups, REQUESTS_AT_A_TIME, async ({ id, title }) => {
    try {
      for await (const page of groupContentPages(portal, id, options))
        // A page that shifts lists an item twice.
        for (const item of page) groupsOf.set(item.id, (groupsOf.get(item.id) ?? new Set()).add(id));
    } catch (thrown) {
      const error = PortolanError.from(thrown);
      if (error.code === 'ABORTED') throw error;
      problems.push(`group "${oneLine(title ?? id)}" (${id}) cannot be listed: ${error.plainMessage}`);
    }
  });
  return groupsOf;
}

interface Covers {
  readonly list: readonly Cover[];
  readonly ofGroup: ReadonlyMap<string, readonly Cover[]>;
  /** Backups of the portal, newest first. */
  readonly readable: readonly KnownSnapshot[];
}

/** What backs up which groups of the portal now: rules, and routes that are scheduled, watched or have snapshots. */
async function readCovers(
  config: Config,
  snapshots: Snapshots,
  portal: Portal,
  problems: string[],
  options: CallOptions,
): Promise<Covers> {
  const here = namesOfPortal(config, portal.name);
  const names = new Set(here.map(({ name }) => name));
  const addresses = new Set(here.flatMap(portalIdentities));
  const { readable } = await listSnapshots(snapshots);
  const backups = readable.filter(
    ({ manifest: { kind, imported, source } }) =>
      kind === 'backup' && !imported && addresses.has(portalIdentity(source.url) ?? ''),
  );
  const list: Cover[] = [];
  for (const rule of rulesOf(config).filter((each) => names.has(each.portal))) {
    try {
      for (const { id: groupId } of await matchingGroups(portal, rule, options))
        list.push({
          name: `${rule.portal}/${rule.name}`,
          route: protectedRoute(rule.route, groupId),
          groupId,
          maxAgeMs: rule.backup.maxAgeMs,
        });
    } catch (thrown) {
      const error = PortolanError.from(thrown);
      if (error.code === 'ABORTED') throw error;
      problems.push(`groups of rule ${rule.portal}/${rule.name} cannot be read: ${error.plainMessage}`);
    }
  }
  const isUsed = new Set([
    ...backups.map(({ manifest }) => manifest.route),
    ...[...config.schedules.values()].flatMap((each) => (each.kind === 'backup' ? [each.route] : [])),
  ]);
  for (const { name, source, backup } of config.routes.values())
    if (names.has(source.portal) && (backup.maxAgeMs !== undefined || isUsed.has(name)))
      list.push({ name, route: name, groupId: source.group, maxAgeMs: backup.maxAgeMs });
  return { list, ofGroup: groupBy(list, ({ groupId }) => groupId), readable: backups };
}

/** By item: the last good snapshot and a newer one, of each group that is backed up. */
async function readSaved(
  snapshots: Snapshots,
  covers: readonly Cover[],
  backups: readonly KnownSnapshot[],
  now: number,
  problems: string[],
): Promise<ReadonlyMap<string, readonly Saved[]>> {
  const saved = new Map<string, Saved[]>();
  const byRoute = groupBy(backups, ({ manifest }) => manifest.route);
  const read = covers.flatMap((cover) => {
    const own = (byRoute.get(cover.route) ?? []).filter(
      ({ manifest: { source } }) => source.groupId === cover.groupId,
    );
    const good = own.find(({ manifest }) => isGood(manifest));
    return [...new Set([own[0], good])].flatMap((each) => (each ? [{ cover, each }] : []));
  });
  await mapLimited(read, STORE_READS_AT_A_TIME, async ({ cover, each }) => {
    const at = heldAt(each, now);
    if (at === undefined) return;
    const isFresh = cover.maxAgeMs === undefined || now - at <= cover.maxAgeMs;
    try {
      for (const row of await snapshots.rowsOf(each.manifest))
        if (row.saved !== 'no')
          saved.set(row.itemId, [...(saved.get(row.itemId) ?? []), { cover, at, isFresh }]);
    } catch (thrown) {
      problems.push(
        `snapshot ${each.manifest.id} cannot be read: ${PortolanError.from(thrown).plainMessage}`,
      );
    }
  });
  return saved;
}
