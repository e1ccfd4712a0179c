import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { type GroupChange, groupChange } from '../../model/run/run';
import type { ProtectInput } from '../../model/snapshot/protect-input';
import { RULE_GROUPS_MAX } from '../../model/snapshot/rule-bounds';
import { oneLine, shortened } from '../../model/text/plain-text';
import { listFirst } from '../../model/text/words';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { searchGroups } from '../../portal/resources/groups';
import { withinPortal } from '../../portal/resources/listings';
import { readSelf } from '../../portal/resources/portals';

const ruleGroup = z.object({
  id: z.string(),
  title: z.string(),
  owner: z.string().optional(),
  /** When its last good snapshot was taken or confirmed, as noted at the end of a run. */
  goodAt: z.string().optional(),
});
export type RuleGroup = z.infer<typeof ruleGroup>;

/** A group that matched once. Its snapshots stay; how many there are is noted at the end of a run. */
const formerGroup = ruleGroup.extend({
  since: z.string(),
  exists: z.boolean(),
  snapshots: z.number().optional(),
});

/** The groups of a rule when it last looked. */
export const knownGroups = z.object({
  /** The run that looked. */
  runId: z.string(),
  at: z.string(),
  /** Absent until that run has noted the last good snapshot of each group: its record has those of its own. */
  noted: z.literal(true).optional(),
  groups: z.array(ruleGroup),
  former: z.array(formerGroup),
});
export type KnownGroups = z.infer<typeof knownGroups>;

/** The groups that a run backs up, in its order, and what is reported of them. */
export const runGroups = knownGroups.extend({ changes: z.array(groupChange) });

/** How the last run of a rule ended. */
export const ruleOutcome = z.object({
  runId: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  /** Why the run failed as a whole. */
  error: z.string().optional(),
  groups: z.number(),
  items: z.number(),
  sizeBytes: z.number(),
  /** The first groups that are not backed up, and how many there are. */
  failed: z.array(ruleGroup.omit({ owner: true, goodAt: true }).extend({ reason: z.string() })),
  failures: z.number(),
});
export type RuleOutcome = z.infer<typeof ruleOutcome>;

/** The rule's search on the portal. */
type Search = Pick<ProtectInput['rule'], 'groups' | 'exclude'>;

/** The groups that match a rule now, by title. Throws `CONFIG_INVALID` if there are too many for one rule. */
export async function matchingGroups(
  portal: Portal,
  { groups, exclude }: Search,
  options?: CallOptions,
): Promise<RuleGroup[]> {
  const { id } = await readSelf(portal, options);
  const query = groups.toLowerCase() === 'all' ? '*' : groups;
  const found = (await searchGroups(portal, withinPortal(query, id), options)).filter(
    (group) => !exclude.includes(group.id),
  );
  if (found.length > RULE_GROUPS_MAX)
    throw new PortolanError(
      'CONFIG_INVALID',
      `${found.length} groups of ${portal.name} match "${oneLine(groups)}"; a rule takes at most ${RULE_GROUPS_MAX}.`,
      { hint: 'Divide them among several rules, for example by tag or by owner.', portal: portal.name },
    );
  return found
    .map((group) => ({
      id: group.id,
      title: oneLine(shortened(group.title ?? group.id)),
      owner: group.owner ?? undefined,
    }))
    .sort((one, other) => one.title.localeCompare(other.title) || (one.id < other.id ? -1 : 1));
}

/** What is known of a group that no longer matches: its present title and owner; undefined if it was deleted. */
export type LookUp = (groupId: string) => Promise<Pick<RuleGroup, 'title' | 'owner'> | undefined>;

/**
 * Compares the groups that match with those of the run before. Each change is reported once, because the result replaces
 * what was known. A group is known by its ID: one that was deleted and made again is another group.
 * @param before absent in the first run, which reports nothing
 */
export async function compareGroups(
  matching: readonly RuleGroup[],
  before: KnownGroups | undefined,
  lookUp: LookUp,
  at: string,
): Promise<{ readonly changes: GroupChange[]; readonly former: KnownGroups['former'] }> {
  const known = new Map(before?.groups.map((group) => [group.id, group]));
  const formerly = new Map(before?.former.map((group) => [group.id, group]));
  const now = new Map(matching.map((group) => [group.id, group]));
  const changes: GroupChange[] = [];
  const report = ({ id: groupId, title }: RuleGroup, change: GroupChange['change'], detail: string): void => {
    changes.push({ groupId, title, change, detail: oneLine(`group "${title}" (${groupId}) ${detail}`) });
  };
  const unseen = before ? matching.filter(({ id }) => !known.has(id)) : [];
  const former = [...formerly.values()].filter(({ id }) => !now.has(id));
  for (const group of known.values()) {
    if (now.has(group.id)) continue;
    const there = await lookUp(group.id);
    former.push({ ...group, ...there, since: at, exists: there !== undefined });
    if (there) {
      reportChanges(group, { ...group, ...there }, report);
      report({ ...group, ...there }, 'unmatched', 'no longer matches the rule; its snapshots stay');
      continue;
    }
    const heirs = unseen.filter(({ title }) => title === group.title).map(({ id }) => id);
    if (heirs.length === 0) report(group, 'gone', 'was deleted; its snapshots stay');
    else
      report(
        group,
        'replaced',
        `was deleted, and ${listFirst(heirs, 3).join(', ')} has its title; that is a new group, and the snapshots of this one stay`,
      );
  }
  for (const group of matching) {
    const earlier = known.get(group.id);
    if (earlier) reportChanges(earlier, group, report);
    else if (formerly.has(group.id)) report(group, 'back', 'matches the rule again');
    else if (before) report(group, 'new', 'matches the rule for the first time');
  }
  return { changes, former };
}

function reportChanges(
  before: RuleGroup,
  now: RuleGroup,
  report: (group: RuleGroup, change: GroupChange['change'], detail: string) => void,
): void {
  if (now.title !== before.title) report(now, 'renamed', `was called "${before.title}" before`);
  if (now.owner !== before.owner)
    report(
      now,
      'owner',
      `belongs to ${now.owner ?? 'an unknown user'} now, to ${before.owner ?? 'an unknown user'} before`,
    );
}
