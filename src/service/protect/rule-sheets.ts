import type { RuleDetail, RuleRow } from '../../contract/protect';
import { protectedRoute, ruleRoute } from '../../model/snapshot/rule-route';
import { type CoverageSummary, isCovered, RULE_SNIPPET } from '../../model/snapshot/coverage';
import {
  bad,
  type Block,
  good,
  listed,
  notice,
  type Sheet,
  strong,
  tableOf,
  type Value,
  warningLines,
} from '../../model/text/sheet';
import { bytesText, countOf, countWords, durationWords, exactDuration } from '../../model/text/words';

/** The rules, one per row. */
export const ruleTable = (rows: readonly RuleRow[]): Block =>
  tableOf(
    rows,
    [
      ['Rule', (rule) => ({ link: ruleName(rule), to: `/coverage/${encodeURIComponent(ruleName(rule))}` })],
      ['Groups', ({ groups }) => groups],
      ['Matched', ({ matched }) => (matched === undefined ? 'not run yet' : String(matched))],
      ['State', stateOf],
      ['Last', ({ last }) => last && { time: last.finishedAt }],
      ['Due', ({ schedule }) => (schedule ? `${schedule.cron} ${schedule.timezone}` : 'not scheduled')],
    ],
    { empty: 'No rules. Add one: portals.NAME.protect in portolan.yaml' },
  );

export const ruleName = ({ portal, rule }: Pick<RuleRow, 'portal' | 'rule'>): string => `${portal}/${rule}`;

function stateOf({ last, matched, overdue }: RuleRow): Value {
  if (!last) return notice(matched === undefined ? 'not run yet' : 'running');
  if (last.error !== undefined) return bad('failed');
  const problems = listed(
    last.failures > 0 && `${countOf(last.failures, 'group')} not backed up`,
    overdue > 0 && `${overdue} overdue`,
  );
  if (problems.length > 0) return bad(problems);
  return matched === 0 ? notice('no group matches') : good('ok');
}

/** A rule with all its groups. */
export const ruleSheet = (rule: RuleDetail): Sheet => [
  {
    title: strong(ruleName(rule)),
    facts: [
      ['groups', rule.groups],
      ['excluded', rule.exclude.length > 0 ? listed(...rule.exclude) : undefined],
      ['due', rule.schedule ? `${rule.schedule.cron} ${rule.schedule.timezone}` : 'not scheduled'],
      ['at a time', String(rule.concurrency)],
      ['max age', rule.maxAgeMs === undefined ? undefined : exactDuration(rule.maxAgeMs)],
      ['state', stateOf(rule)],
      ['last run', rule.last && [{ run: rule.last.runId, whole: true }, ' ', { time: rule.last.finishedAt }]],
      ['error', rule.last?.error],
    ],
  },
  tableOf(
    rule.rows,
    [
      ['Group', ({ groupId, title }) => backupsOf(rule, groupId, title)],
      ['ID', ({ groupId }) => groupId],
      ['Status', ({ status }) => (status === undefined ? 'not started' : { status })],
      ['Items', ({ items }) => (items === undefined ? undefined : String(items))],
      ['Size', ({ sizeBytes }) => (sizeBytes === undefined ? undefined : bytesText(sizeBytes))],
      ['Took', ({ durationMs }) => (durationMs === undefined ? undefined : durationWords(durationMs))],
      ['Snapshot', ({ snapshotId }) => snapshotId],
      ['Last good', ({ lastGoodAt, overdue }) => lastGood(lastGoodAt, overdue)],
    ],
    { empty: 'No group matched, or the rule has not run yet.' },
  ),
  {
    lines: rule.rows.flatMap(({ title, reason }) =>
      reason === undefined ? [] : [bad(`${title}: ${reason}`)],
    ),
  },
  { title: 'changed since the run before', lines: rule.changes.map(({ detail }) => notice(detail)) },
  tableOf(rule.former, [
    ['No longer matches', ({ groupId, title }) => backupsOf(rule, groupId, title)],
    ['ID', ({ groupId }) => groupId],
    ['Since', ({ since }) => ({ time: since })],
    ['', ({ exists }) => (exists ? undefined : 'deleted')],
    ['Snapshots', ({ snapshots }) => snapshots],
  ]),
];

function backupsOf({ portal, rule }: RuleDetail, groupId: string, title: string): Value {
  const route = protectedRoute(ruleRoute(portal, rule), groupId);
  return { link: title, to: `/backups/${encodeURIComponent(route)}` };
}

function lastGood(at: string | undefined, isOverdue: boolean): Value {
  const shown: Value = at === undefined ? 'never' : { time: at };
  return isOverdue ? bad(shown) : shown;
}

/** Rows by owner and type that are shown; JSON has every item. */
const MISSING_MAX = 30;

/** What of a portal is protected, what is missing, and a rule to add. */
export const coverageSheet = (view: CoverageSummary): Sheet => {
  const { portal, takenAt, totals, missing, notes = [], complete } = view;
  const shown = missing.slice(0, MISSING_MAX);
  const left = missing.length - shown.length;
  return [
    {
      title: strong(portal),
      facts: [
        ['counted', [{ time: takenAt }, complete ? '' : [', ', bad('not complete')]]],
        ['items', countWords(totals.items)],
        ['protected', good(countWords(totals.protected))],
        ['stale', total(totals.stale)],
        ['unprotected', total(totals.unprotected)],
        ['ungrouped', total(totals.ungrouped)],
        ['unsupported', countWords(totals.unsupported)],
      ],
    },
    warningLines(notes),
    tableOf(shown, [
      ['Owner', ({ owner }) => owner],
      ['Type', ({ type }) => type],
      ['State', ({ state }) => state],
      ['Items', ({ items }) => countWords(items)],
    ]),
    { lines: left > 0 ? [`${left} more rows; every item: portolan coverage ${portal} -o json`] : [] },
    {
      title: totals.unprotected > 0 ? `to back up every group, add to portals.${portal}:` : undefined,
      lines: totals.unprotected > 0 ? [{ command: RULE_SNIPPET }] : [],
    },
    { lines: isCovered(view) ? [good('Everything that can be exported is protected.')] : [] },
  ];
};

const total = (items: number): Value => (items > 0 ? notice(countWords(items)) : '0');
