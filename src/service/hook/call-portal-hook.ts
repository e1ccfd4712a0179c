import type { HookConfig } from '../../config/config';
import { PortalPool } from '../../config/portal-pool';
import { callNote } from '../../contract/hooks';
import { findRule } from '../../config/resolve-rule';
import { hashOfText } from '../../domain/snapshot/hashing';
import { EVENT_AGE_MAX_MS, type PortalCall } from '../../domain/hook/portal-webhooks';
import { matchingGroups } from '../../domain/protect/rule-groups';
import { readRules } from '../../domain/protect/rule-state';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { parseRuleRoute } from '../../model/snapshot/rule-route';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { idsOf } from '../../portal/resources/items/item-groups';
import { readItemGroups } from '../../portal/resources/items/items';
import { eventName, keys, timeOfEvent } from '../../store/keys';
import type { Store } from '../../store/store';
import { findOpenRun } from '../run/open-runs';
import type { WriteContext } from '../run/run-sources';
import { requestedRunId, type StartedRun } from '../run/start-run';
import { prepareBackup } from '../start/backup';
import { begin } from '../start/prepared-run';
import { prepareProtect } from '../start/protect';

/**
 * Backs up the routes and rules of the hook to which a changed group or item belongs, in the name of the hook. Repeated
 * events start nothing new. While one is being backed up, one more backup waits for the end of that, whatever the number
 * of events.
 */
export async function callPortalHook(
  sources: WriteContext,
  hook: HookConfig,
  call: PortalCall,
): Promise<StartedRun[]> {
  if (!('portal' in hook.starts)) return [];
  const portals = new PortalPool(sources.config);
  try {
    const portal = portals.open(hook.starts.portal);
    const groupIds = new Set([...call.groupIds, ...(await groupsOfItems(portal, call.itemIds))]);
    const started: StartedRun[] = [];
    for (const route of hook.starts.routes)
      if (await isOf(sources, portal, route, groupIds))
        started.push(await backUp(sources, hook.name, route, call.id));
    return started;
  } finally {
    await portals.close();
  }
}

/** The event of an edit names the item only. One that was deleted meanwhile is in no group. */
async function groupsOfItems(portal: Portal, itemIds: ReadonlySet<string>): Promise<string[]> {
  const found = await mapLimited([...itemIds], REQUESTS_AT_A_TIME, async (itemId) => {
    try {
      return idsOf(await readItemGroups(portal, itemId));
    } catch (thrown) {
      if (PortolanError.is(thrown, 'ITEM_NOT_FOUND')) return [];
      throw thrown;
    }
  });
  return found.flat();
}

/** Whether a route, or a rule by its last run or the portal's groups now, backs up one of the groups. */
async function isOf(
  { config, store }: WriteContext,
  portal: Portal,
  route: string,
  groupIds: ReadonlySet<string>,
): Promise<boolean> {
  if (parseRuleRoute(route) === undefined) return groupIds.has(config.routes.get(route)?.source.group ?? '');
  const rule = findRule(config, route);
  const asked = [...groupIds].filter((groupId) => !rule.exclude.includes(groupId));
  if (asked.length === 0) return false;
  const isAsked = ({ id }: { readonly id: string }): boolean => asked.includes(id);
  const [noted] = await readRules(config, store, [rule]);
  return (noted?.known?.groups.some(isAsked) ?? false) || (await matchingGroups(portal, rule)).some(isAsked);
}

async function backUp(
  sources: WriteContext,
  hook: string,
  route: string,
  event: string,
): Promise<StartedRun> {
  const { store } = sources;
  const sha256 = hashOfText(JSON.stringify([event, route]));
  const before = await findEvent(store, hook, sha256);
  if (before) return { runId: before, isNew: false };
  const kind = parseRuleRoute(route) === undefined ? 'backup' : 'protect';
  const ofEvent = `hook/${hook}/${event}`;
  const after = await findOpenRun(sources, { kind, route }, requestedRunId(kind, route, ofEvent));
  const requestId = after === undefined ? ofEvent : `hook/${hook}/after/${after}`;
  const starting = { ...sources, requestId };
  const prepared =
    kind === 'backup'
      ? prepareBackup(starting, { route, full: false, allowShrink: false, tags: [] }, after)
      : await prepareProtect(starting, { rule: route }, after);
  const { runId, isNew } = await begin(sources, prepared);
  const note = { at: new Date().toISOString(), runId, sha256 };
  await store.writeJson(`${keys.events(hook)}${eventName(Date.now(), sha256)}`, note);
  await store.writeJson(keys.lastCall(hook), note);
  return { runId, isNew };
}

/** The run that an event has started. Events that are too old to be repeated are forgotten. */
async function findEvent(store: Store, hook: string, sha256: string): Promise<string | undefined> {
  const folder = keys.events(hook);
  let found: string | undefined;
  for (const name of await store.names(folder)) {
    if (name.endsWith(`-${sha256}.json`)) found = (await store.readJson(`${folder}${name}`, callNote))?.runId;
    else if (timeOfEvent(name) < Date.now() - 3 * EVENT_AGE_MAX_MS) await store.remove(`${folder}${name}`);
  }
  return found;
}
