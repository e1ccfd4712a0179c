import type { Config } from '../../config/config';
import { type PortalRule, rulesOf } from '../../config/resolve-rule';
import { mapLimited } from '../../model/map-limited';
import { type RunRecord, runRecord } from '../../model/run/run';
import { keys } from '../../store/keys';
import { type Store, STORE_READS_AT_A_TIME } from '../../store/store';
import { knownGroups, type KnownGroups, ruleOutcome, type RuleOutcome } from './rule-groups';

/** A rule, and what its last run left. */
export interface NotedRule {
  readonly rule: PortalRule;
  /** Absent before its first run. */
  readonly known?: KnownGroups;
  /** Absent before the end of its first run. */
  readonly outcome?: RuleOutcome;
  /** Backups of its last run, if that is open or was ended halfway. */
  readonly children?: RunRecord['children'];
}

/** The rules of a configuration, with what the store has of them. */
export const readRules = async (
  config: Config,
  store: Store,
  rules: readonly PortalRule[] = rulesOf(config),
): Promise<NotedRule[]> =>
  await mapLimited(rules, STORE_READS_AT_A_TIME, async (rule) => {
    const known = await store.readJson(keys.ruleGroups(rule.route), knownGroups);
    const outcome = await store.readJson(keys.ruleOutcome(rule.route), ruleOutcome);
    if (!known || known.noted) return { rule, known, outcome };
    const record = await store.readJson(keys.record(known.runId), runRecord);
    return { rule, known, outcome, children: record?.children };
  });

/** How well a group of a rule is backed up. */
export interface GroupState {
  /** When its last good snapshot was taken or confirmed. */
  readonly goodAt?: string;
  readonly overdue: boolean;
}

/**
 * How well the groups of a rule are backed up that matched at its last look, by their IDs. Reads no snapshot: only runs
 * of the rule take or confirm these, and nothing removes the last good one.
 */
export function groupStates(
  { rule, known, children = [] }: NotedRule,
  now: number,
): ReadonlyMap<string, GroupState> {
  const savedAt = new Map(
    children.flatMap(({ groupId = '', status, snapshotId, startedAt }) =>
      snapshotId !== undefined && (status === 'succeeded' || status === 'nothing-to-do')
        ? [[groupId, startedAt] as const]
        : [],
    ),
  );
  const { maxAgeMs } = rule.backup;
  return new Map(
    known?.groups.map(({ id, goodAt: noted }) => {
      const goodAt = savedAt.get(id) ?? noted;
      const isYoung = goodAt !== undefined && now - Date.parse(goodAt) <= (maxAgeMs ?? Infinity);
      return [id, { goodAt, overdue: maxAgeMs !== undefined && !isYoung }];
    }),
  );
}
