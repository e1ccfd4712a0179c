import type { Config } from '../../config/config';
import { type PortalRule, rulesOf } from '../../config/resolve-rule';
import { mapLimited } from '../../model/map-limited';
import { protectedRoute } from '../../model/snapshot/rule-route';
import { keys } from '../../store/keys';
import { type Store, STORE_READS_AT_A_TIME } from '../../store/store';
import type { KnownSnapshot } from '../snapshot/list-snapshots';
import { type RouteState, routeStates } from '../snapshot/retention/route-state';
import { knownGroups, type KnownGroups, ruleOutcome, type RuleOutcome } from './rule-groups';

/** A rule, and what its last run left. */
export interface NotedRule {
  readonly rule: PortalRule;
  /** Absent before its first run. */
  readonly known?: KnownGroups;
  /** Absent before the end of its first run. */
  readonly outcome?: RuleOutcome;
}

/** The rules of a configuration, with what the store has of them. */
export const readRules = async (
  config: Config,
  store: Store,
  rules: readonly PortalRule[] = rulesOf(config),
): Promise<NotedRule[]> =>
  await mapLimited(rules, STORE_READS_AT_A_TIME, async (rule) => ({
    rule,
    known: await store.readJson(keys.ruleGroups(rule.route), knownGroups),
    outcome: await store.readJson(keys.ruleOutcome(rule.route), ruleOutcome),
  }));

/** How well the groups of a rule are backed up that matched at its last look, by their IDs. */
export function groupStates(
  { rule, known }: NotedRule,
  snapshots: readonly KnownSnapshot[],
  now: number,
): ReadonlyMap<string, RouteState> {
  const groups = new Map(known?.groups.map(({ id }) => [protectedRoute(rule.route, id), id]));
  const ages = new Map([...groups.keys()].map((route) => [route, rule.backup.maxAgeMs]));
  const ofRule = snapshots.filter(({ manifest }) => groups.has(manifest.route));
  return new Map(routeStates(ofRule, ages, now).map((state) => [groups.get(state.route) ?? '', state]));
}
