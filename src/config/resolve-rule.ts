import { PortolanError } from '../model/errors/errors';
import type { ScheduleSpec } from '../model/schedule/schedule';
import type { ProtectInput } from '../model/snapshot/protect-input';
import { parseRuleRoute, ruleRoute } from '../model/snapshot/rule-route';
import type { Config, RuleConfig } from './config';
import { adhocBackup } from './resolve-route';

/** A rule with the portal it belongs to. */
export interface PortalRule extends RuleConfig {
  readonly portal: string;
  /** Its name among routes. */
  readonly route: string;
}

/** All rules, by portal and name. */
export const rulesOf = ({ portals }: Config): PortalRule[] =>
  [...portals.values()].flatMap(({ name: portal, protect }) =>
    [...protect.values()].map((rule) => ({ ...rule, portal, route: ruleRoute(portal, rule.name) })),
  );

/**
 * A rule as people name it: `official`, `production/official` or `protect/production/official`. Throws
 * `RULE_NOT_FOUND`, and `USAGE` if portals have rules of that name.
 */
export function findRule(config: Config, text: string): PortalRule {
  const rules = rulesOf(config);
  const found = rules.filter(
    ({ name, route }) => name === text || route === text || route === `protect/${text}`,
  );
  const [rule, other] = found;
  if (rule && !other) return rule;
  const names = (all: readonly PortalRule[]): string =>
    all.map(({ portal, name }) => `${portal}/${name}`).join(', ') || 'none';
  if (rule)
    throw new PortolanError('USAGE', `Several portals have a rule "${text}": ${names(found)}.`, {
      hint: 'Name the portal too: PORTAL/RULE.',
    });
  throw new PortolanError(
    'RULE_NOT_FOUND',
    `${config.path} has no rule "${text}"; defined: ${names(rules)}.`,
  );
}

/** The rule and options of its runs, with the URL in this configuration. */
export const resolveRule = (
  config: Config,
  { portal, route: name, groups, exclude, concurrency, backup: { keep, fullEveryMs } }: PortalRule,
): Pick<ProtectInput, 'route' | 'rule' | 'keep' | 'fullEveryMs'> => ({
  route: { ...adhocBackup(config, { from: portal, group: '' }), name },
  rule: { groups, exclude, concurrency },
  keep,
  fullEveryMs,
});

/** How a route or a group of a rule is backed up; undefined if neither is configured. */
export function backupSettings(config: Config, route: string): RuleConfig['backup'] | undefined {
  const { portal, rule } = parseRuleRoute(route) ?? {};
  return portal === undefined || rule === undefined
    ? config.routes.get(route)?.backup
    : config.portals.get(portal)?.protect.get(rule)?.backup;
}

/** Every schedule of the file by name: those of `schedules`, and one of each rule that has times. */
export function allSchedules(config: Config): ReadonlyMap<string, ScheduleSpec> {
  const ofRules = rulesOf(config).flatMap(({ portal, name: rule, route, schedule }) =>
    schedule ? [{ kind: 'protect', portal, rule, name: route, overlap: 'skip', ...schedule } as const] : [],
  );
  return new Map<string, ScheduleSpec>([
    ...config.schedules,
    ...ofRules.map((each) => [each.name, each] as const),
  ]);
}
