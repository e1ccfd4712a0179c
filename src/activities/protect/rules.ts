import { PortolanError } from '../../model/errors/errors';
import type { RunState } from '../../model/run/run-state';
import type { ProtectInput } from '../../model/snapshot/protect-input';
import {
  compareGroups,
  knownGroups,
  type KnownGroups,
  matchingGroups,
  type RuleGroup,
  type RuleOutcome,
  runGroups,
} from '../../domain/protect/rule-groups';
import { groupBy } from '../../model/group-by';
import type { GroupChange } from '../../model/run/run';
import { readCoverage } from '../../domain/protect/coverage';
import { heldAt, type KnownSnapshot, lastGoodByRoute } from '../../domain/snapshot/list-snapshots';
import { forgetByPolicy } from '../../domain/snapshot/retention/forget';
import { boundedChanges, boundedGroup, CHANGES_MAX } from '../../model/snapshot/rule-bounds';
import { protectedRoute } from '../../model/snapshot/rule-route';
import { oneLine, shortened } from '../../model/text/plain-text';
import type { Portal } from '../../portal/client';
import { readGroup } from '../../portal/resources/groups';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { activityTime, timestamp } from '../attempt/heartbeat';
import { type ActivityDeps, openPortalRef } from '../deps';
import { openRuns } from '../snapshot/backups';

/**
 * Lists the groups that match a rule, once per run, and compares them with those of the last run. Reports are saved
 * before the rule's list is replaced, so a killed worker loses none.
 */
export async function matchGroups(
  deps: ActivityDeps,
  { runId }: { readonly runId: string },
): Promise<{
  readonly groups: readonly Pick<RuleGroup, 'id' | 'title'>[];
  readonly changes: readonly GroupChange[];
  /** Changes beyond these; the store has all. */
  readonly more: number;
}> {
  const { portals, store } = deps;
  const { route, rule } = await signedRule(deps, runId);
  const key = keys.runGroups(runId);
  let found = await store.readJson(key, runGroups);
  if (!found) {
    const portal = openPortalRef(portals, route.source);
    const groups = await matchingGroups(portal, rule);
    const before = await store.readJson(keys.ruleGroups(route.name), knownGroups);
    const at = timestamp();
    const compared = await compareGroups(groups, before, (id) => lookUp(portal, id), at);
    const goodAt = new Map(
      [...(before?.former ?? []), ...(before?.groups ?? [])].map((each) => [each.id, each.goodAt]),
    );
    found = {
      runId,
      at,
      groups: groups.map((each) => ({ ...each, goodAt: goodAt.get(each.id) })),
      ...compared,
    };
    await store.writeJson(key, found);
  }
  const { changes, ...known } = found;
  await store.writeJson(keys.ruleGroups(route.name), known satisfies KnownGroups);
  return {
    groups: known.groups.map(boundedGroup),
    changes: boundedChanges(changes),
    more: Math.max(0, changes.length - CHANGES_MAX),
  };
}

async function lookUp(
  portal: Portal,
  groupId: string,
): Promise<Pick<RuleGroup, 'title' | 'owner'> | undefined> {
  try {
    const { title, owner } = await readGroup(portal, groupId);
    return { title: oneLine(shortened(title ?? groupId)), owner: owner ?? undefined };
  } catch (thrown) {
    if (PortolanError.is(thrown, 'GROUP_NOT_FOUND')) return undefined;
    throw thrown;
  }
}

interface FinishedRule {
  readonly runId: string;
  readonly startedAt: string;
  /** Why the run failed as a whole. */
  readonly error?: string;
  readonly children: NonNullable<RunState['children']>;
}

/** Failed groups that are named; the run's record has all. */
const NAMED_MAX = 20;

/**
 * Saves how the run ended, for `protect list` and `protect show`. Then applies the rule's policy to the snapshots of each
 * of its groups, including those that no longer match, and notes the last good one of each. Of a former group it also
 * notes how many are left.
 */
export async function finishRule(
  deps: ActivityDeps,
  { runId, startedAt, error, children }: FinishedRule,
): Promise<{ kept: number; forgotten: number }> {
  const { snapshots, store } = deps;
  const { route, keep: policy } = await signedRule(deps, runId);
  const open = children.filter(({ status }) => status !== 'succeeded' && status !== 'nothing-to-do');
  const outcome: RuleOutcome = {
    runId,
    startedAt,
    finishedAt: timestamp(),
    error,
    groups: children.length,
    items: children.reduce((sum, { items }) => sum + items, 0),
    sizeBytes: children.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0),
    failed: open.slice(0, NAMED_MAX).map(({ groupId = '', name, status, reason }) => ({
      id: groupId,
      title: name ?? groupId,
      reason: reason ?? status,
    })),
    failures: open.length,
  };
  await store.writeJson(keys.ruleOutcome(route.name), outcome);
  const now = activityTime();
  const { decisions, forgotten, listing } = await forgetByPolicy(snapshots, {
    route: route.name,
    policy,
    openRuns: await openRuns(),
    now,
  });
  const gone = new Set(forgotten);
  const kept = listing.readable.filter(({ manifest }) => !gone.has(manifest.id));
  await noteSnapshots(store, { runId, rule: route.name, last: lastGoodByRoute(listing), kept, now });
  return { kept: decisions.length - forgotten.length, forgotten: forgotten.length };
}

interface KeptBackups {
  readonly runId: string;
  readonly rule: string;
  /** The last good one of each group. */
  readonly last: ReturnType<typeof lastGoodByRoute>;
  readonly kept: readonly KnownSnapshot[];
  readonly now: number;
}

/** Notes the last good backup of each group with the rule, and how many each former group has. */
async function noteSnapshots(store: Store, { runId, rule, last, kept, now }: KeptBackups): Promise<void> {
  const known = await store.readJson(keys.ruleGroups(rule), knownGroups);
  if (!known) return;
  const ofRoute = groupBy(kept, ({ manifest }) => manifest.route);
  const noteGood = <Group extends RuleGroup>(group: Group): Group => {
    const good = last.get(protectedRoute(rule, group.id));
    const at = good && heldAt(good, now);
    return { ...group, goodAt: at === undefined ? undefined : new Date(at).toISOString() };
  };
  const noting: KnownGroups = {
    ...known,
    // Another run may have looked since; it notes its own.
    noted: known.runId === runId || undefined,
    groups: known.groups.map(noteGood),
    former: known.former.map((group) => ({
      ...noteGood(group),
      snapshots: ofRoute.get(protectedRoute(rule, group.id))?.length ?? 0,
    })),
  };
  await store.writeJson(keys.ruleGroups(rule), noting);
}

/** Counts what of the rule's portal is protected, by this worker's configuration, and notes it in the store. */
export async function countCoverage(
  deps: ActivityDeps,
  { runId }: { readonly runId: string },
): Promise<{ readonly protected: number; readonly exportable: number }> {
  const { config, portals, snapshots } = deps;
  const { route } = await signedRule(deps, runId);
  const portal = openPortalRef(portals, route.source);
  const { totals } = await readCoverage(config, snapshots, portal, { now: activityTime() });
  return { protected: totals.protected, exportable: totals.items - totals.unsupported };
}

/** The signed rule, whatever the workflow says. */
const signedRule = ({ authority }: ActivityDeps, runId: string): Promise<ProtectInput> =>
  authority.requireSigned(runId, 'protect');
