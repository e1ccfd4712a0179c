import type { HookConfig } from '../../config/config';
import { callNote } from '../../contract/hooks';
import { findRule, type PortalRule } from '../../config/resolve-rule';
import { hashOfText } from '../../domain/snapshot/hashing';
import type { PortalCall } from '../../domain/hook/portal-webhooks';
import { readRules } from '../../domain/protect/rule-state';
import { parseRuleRoute } from '../../model/snapshot/rule-route';
import { keys } from '../../store/keys';
import { findOpenRun } from '../run/open-runs';
import type { WriteContext } from '../run/run-sources';
import { requestedRunId, type StartedRun } from '../run/start-run';
import { prepareBackup } from '../start/backup';
import { begin } from '../start/prepared-run';
import { prepareProtect } from '../start/protect';

/**
 * Backs up the routes and rules of the hook that name a group of the call, in the name of the hook. Repeated events
 * start nothing new. A route or rule that is being backed up is left out.
 */
export async function callPortalHook(
  sources: WriteContext,
  hook: HookConfig,
  { id, groupIds }: PortalCall,
): Promise<StartedRun[]> {
  if (!('portal' in hook.starts)) return [];
  const started: StartedRun[] = [];
  for (const route of hook.starts.routes)
    if (await isNamed(sources, route, groupIds))
      started.push(...(await backUp(sources, hook.name, route, id)));
  return started;
}

async function isNamed(
  { config, store }: WriteContext,
  route: string,
  groupIds: ReadonlySet<string>,
): Promise<boolean> {
  if (parseRuleRoute(route) === undefined) return groupIds.has(config.routes.get(route)?.source.group ?? '');
  const rule = findRule(config, route);
  const [noted] = await readRules(config, store, [rule]);
  const known = noted?.known?.groups;
  return [...groupIds].some(
    (groupId) =>
      !rule.exclude.includes(groupId) && (known?.some(({ id }) => id === groupId) ?? matchesAll(rule)),
  );
}

const matchesAll = ({ groups }: PortalRule): boolean => groups.toLowerCase() === 'all';

async function backUp(
  sources: WriteContext,
  hook: string,
  route: string,
  event: string,
): Promise<StartedRun[]> {
  const kind = parseRuleRoute(route) === undefined ? 'backup' : 'protect';
  const requestId = `hook/${hook}/${event}`;
  const runId = requestedRunId(kind, route, requestId);
  if (await sources.store.readJson(keys.call(runId), callNote)) return [{ runId, isNew: false }];
  if ((await findOpenRun(sources, { kind, route }, runId)) !== undefined) return [];
  const starting = { ...sources, requestId };
  const prepared =
    kind === 'backup'
      ? prepareBackup(starting, { route, full: false, allowShrink: false, tags: [] })
      : await prepareProtect(starting, { rule: route });
  const { isNew } = await begin(sources, prepared);
  const note = { at: new Date().toISOString(), runId, sha256: hashOfText(event) };
  await sources.store.writeJson(keys.call(runId), note);
  await sources.store.writeJson(keys.lastCall(hook), note);
  return [{ runId, isNew }];
}
