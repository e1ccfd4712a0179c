import { Command } from '@commander-js/extra-typings';
import type { RunRow } from '../../../contract/run-row';
import type { StatusView } from '../../../contract/status';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import { oneLine, visibleLines } from '../../../model/text/plain-text';
import {
  countOf,
  durationWords,
  exactDuration,
  listFirst,
  timeWords,
  windowWords,
} from '../../../model/text/words';
import { queueWords } from '../../../service/portal-queue/queue-words';
import { concernOf } from '../../../service/status/concerns';
import { act } from '../../terminal/act';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';

/** `portolan status`: what needs attention, for people and monitors. */
export const statusCommand = () =>
  new Command('status')
    .description(
      'Show what needs attention.\n\nAlso shows what is running and what is due next.\n\nExit status for monitors:\n  0   nothing needs attention\n  2   a worker lacks a secret, or has another store or other portals\n  3   a backup is overdue or unproven, a run failed or was partial in the last 24 hours, or something could not be checked\n  4   a run is waiting or parked, writes are frozen, or a schedule was paused by hand or differs from portolan.yaml\n  11  no worker is running, or Temporal is unreachable',
    )
    .action(
      act(async ({ portolan, output }) => {
        const status = await portolan.readStatus();
        const exit = concernOf(status)?.exit ?? exitStatus.done;
        output.show({ ...status, exit }, (style) => statusText(status, style, Date.now()));
        for (const note of status.notes) output.note(`note  ${note}`);
        return exit;
      }),
    );

/** Runs listed per state; `run list` has all. */
const NAMED = 5;

/** One screen: workers, open runs, decisions needed, overdue backups, and the next starts. */
export function statusText(view: StatusView, style: Style, now: number): string {
  const { colors } = style;
  const concern = concernOf(view);
  const lines = columns(
    [],
    [
      ...labelled('worker', workerRows(view)),
      ...labelled(
        'now',
        runRows(view.running, (row) => [standing(row), took(row, now)], 'watch'),
      ),
      ...labelled(
        'waiting',
        runRows(view.waiting, (row) => ['approval', since(row)], 'show'),
      ),
      ...labelled(
        'parked',
        runRows(view.parked, (row) => [row.phase ?? '', since(row)], 'show'),
      ),
      ...labelled(
        'overdue',
        view.overdue.map((each) => overdueRow(each, now)),
      ),
      ...ifAny('rules', view.rules.map(ruleRow)),
      ...ifAny(
        'failed',
        runRows(view.failed, (row) => [row.status, ended(row)], 'show'),
      ),
      ...ifAny(
        'unproven',
        view.unproven.map((route) => [route, 'never proven', '', `portolan backup drill ${route}`]),
      ),
      ...ifAny(
        'frozen',
        view.frozen.map(({ portal, who, at, reason }) => [
          ...[oneLine(portal), `by ${oneLine(who)} since ${timeWords(at)}`, oneLine(reason)],
          `portolan unfreeze ${oneLine(portal)}`,
        ]),
      ),
      ...ifAny(
        'paused',
        view.paused.map((name) => [name, 'schedule', '', `portolan schedule resume ${name}`]),
      ),
      ...labelled('next', [
        ...view.next.map((start) => nextRow(start, now)),
        ...(view.unapplied.length === 0
          ? []
          : [
              [
                `schedules differ from portolan.yaml: ${view.unapplied.join(', ')}`,
                '',
                '',
                'portolan schedule apply',
              ],
            ]),
      ]),
    ].map(([label = '', ...cells]) => [label === '' ? '' : colors.dim(label), ...cells]),
    style,
  );
  const end =
    concern === undefined
      ? colors.green('Nothing needs attention.')
      : colors.yellow(`${concern.words.charAt(0).toUpperCase()}${concern.words.slice(1)}.`);
  return `${[lines, ...unableLines(view, style)].join('\n\n')}\n\n${end}  Exit status ${concern?.exit ?? 0}.`;
}

/** Rows below one label; nothing without rows. */
const ifAny = (label: string, rows: readonly (readonly string[])[]): string[][] =>
  rows.length === 0 ? [] : labelled(label, rows);

/** Rows below one label; `none` without rows. */
const labelled = (label: string, rows: readonly (readonly string[])[]): string[][] =>
  (rows.length === 0 ? [['none']] : rows).map((row, at) => [at === 0 ? label : '', ...row]);

/** What a worker lacks and how to fix it, formatted as an error. */
const unableLines = ({ unable }: StatusView, { colors }: Style): string[] =>
  unable
    ? [`${colors.yellow(unable.code)}  ${visibleLines(unable.message)}\n  ${visibleLines(unable.hint)}`]
    : [];

function workerRows({ temporal, workers, unable }: StatusView): string[][] {
  if (!temporal.answers) return [[`cannot reach Temporal at ${temporal.address}`, '', '', 'portolan up']];
  if (workers.length === 0) return [['none', '', '', 'portolan worker']];
  const lacks = unable ? [['cannot do all of its work', '', '', 'portolan doctor']] : [];
  return [...workers.map((worker) => [oneLine(worker)]), ...lacks];
}

function runRows(
  rows: readonly RunRow[],
  words: (row: RunRow) => readonly string[],
  verb: 'watch' | 'show',
): string[][] {
  const named = rows
    .slice(0, NAMED)
    .map((row) => [row.runId, ...words(row), `portolan run ${verb} ${shortRunId(row.runId)}`]);
  const left = rows.length - NAMED;
  return left > 0 ? [...named, [`${left} more`, '', '', 'portolan run list']] : named;
}

const standing = (row: RunRow): string =>
  [row.phase, queueWords(row.queue), row.window && windowWords(row.window)].filter(Boolean).join(', ');

const took = ({ startedAt }: RunRow, now: number): string => durationWords(now - Date.parse(startedAt));
const ended = ({ startedAt, finishedAt = startedAt }: RunRow): string => `ended ${timeWords(finishedAt)}`;
const since = ({ startedAt }: RunRow): string => `started ${timeWords(startedAt)}`;

const overdueRow = ({ route, lastGood, maxAgeMs }: StatusView['overdue'][number], now: number): string[] => [
  route,
  lastGood === undefined
    ? 'no good backup'
    : lastGood.goodAt === undefined
      ? 'last good backup is dated in the future'
      : `last good backup ${durationWords(now - Date.parse(lastGood.goodAt))} ago`,
  maxAgeMs === undefined ? '' : `maximum age: ${exactDuration(maxAgeMs)}`,
  `portolan backup create ${route}`,
];

function ruleRow({ rule, groups, overdue, failures, failed, error }: StatusView['rules'][number]): string[] {
  const none = groups === 0 ? ['has not run yet'] : [];
  return [
    rule,
    [
      ...(error === undefined ? none : [`failed: ${oneLine(error)}`]),
      ...(failures > 0 ? [`${failures} of ${countOf(groups, 'group')} not backed up`] : []),
      ...(overdue > 0 ? [`${overdue} overdue`] : []),
    ].join(', '),
    listFirst(failed.map(oneLine), 3, failures).join(', '),
    `portolan protect show ${rule}`,
  ];
}

const nextRow = ({ schedule, kind, route, at }: StatusView['next'][number], now: number): string[] => [
  schedule,
  [kind, route].filter(Boolean).join(' '),
  `${timeWords(at)}, in ${durationWords(Date.parse(at) - now)}`,
  `portolan schedule show ${schedule}`,
];
