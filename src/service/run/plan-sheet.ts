import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import {
  bad,
  type Block,
  type Columns,
  good,
  notice,
  type Sheet,
  strong,
  tableOf,
  type Value,
} from '../../model/text/sheet';
import { countWords, endWords, itemSizeWords, listFirst, quoted } from '../../model/text/words';
import { type Plan, type PlanAction, planActions, type PlanRow } from '../../model/transfer/plan';
import { mappedTable } from './changes-sheet';
import { targetOf } from './run-view';

/** Rows named below each count; `run show --plan` lists all. */
const NAMED = 5;

/** A plan as counts, with the rows that need attention. @param rows undefined if they cannot be read here */
export function planSheet(record: RunRecord, rows: readonly PlanRow[] = []): Sheet {
  const { plan: figures, runId } = record;
  if (figures === undefined) return [];
  const target = targetOf(record);
  // A promotion's plan covers several groups; each row names its own.
  const isOfGroups = rows.some(({ of }) => of !== undefined);
  const into = isOfGroups ? target.portal : endWords(target, { withId: false });
  return [
    {
      title: [strong(`PLAN ${figures.hash}`), ` for ${into}`],
      columns: [],
      rows: planActions.flatMap((action) =>
        actionRows(
          action,
          figures[action] ?? 0,
          rows.filter((row) => row.action === action),
          target.portal,
        ),
      ),
      empty: 'No changes',
    },
    figures.mapped && mappedTable(figures.mapped),
    { facts: [['full list', { command: `portolan run show ${shortRunId(runId)} --plan` }]] },
  ];
}

/** How many items an action is for, which, and what to look at. */
function actionRows(
  action: PlanAction,
  count: number,
  rows: readonly PlanRow[],
  portal: string,
): readonly (readonly Value[])[] {
  if (count === 0) return [];
  const [first = '', ...more] = actionWords(action, rows, portal);
  const edited = rows.filter(({ target }) => target?.changedSince !== undefined);
  const beyond = rows.filter((row) => row.beyond !== undefined && row.beyond.length > 0);
  const ofGroup = rows.filter(({ group }) => group !== undefined);
  return [
    [actionMarks[action](action), countWords(count), first],
    ...more.map(indented),
    ...attention(ofGroup.length, `configured by a group that ${portal} does not have:`, namedWords(ofGroup)),
    ...(action === 'overwrite'
      ? [
          ...attention(
            edited.length,
            `changed on ${portal} since its last import:`,
            edited
              .slice(0, NAMED)
              .map(({ title, type, target }) => [
                `${quoted(title)} ${type} `,
                { time: target?.changedSince ?? 0 },
              ]),
          ),
          ...attention(
            beyond.length,
            `cannot be fully restored if ${portal} replaces the item, not just its content:`,
            beyond
              .slice(0, NAMED)
              .flatMap((row) => (row.beyond ?? []).map((words) => `${quoted(row.title)} ${words}`)),
          ),
        ]
      : []),
  ];
}

const indented = (words: Value): Value[] => ['', '', words];

const attention = (count: number, head: string, lines: readonly Value[]): Value[][] =>
  count === 0 ? [] : [[notice('!'), countWords(count), notice(head)], ...lines.map(indented)];

function actionWords(action: PlanAction, rows: readonly PlanRow[], portal: string): string[] {
  switch (action) {
    case 'create':
      return [`new on ${portal}`, typeWords(rows), ownerWords(rows)].filter((line) => line !== '');
    case 'overwrite':
      return [typeWords(rows)];
    case 'restore':
      return [`from copies: ${typeWords(rows)}`];
    case 'same':
    case 'keep':
      return reasonWords(rows);
    case 'remove':
    case 'blocked':
      return namedWords(rows);
    case 'extra':
      return [`only on ${portal}; never deleted`];
  }
}

/** How many rows have each of these values, the most first. */
function countsOf(values: readonly (string | undefined)[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** `3 Web Map, 2 StoryMap`. */
const typeWords = (rows: readonly PlanRow[]): string =>
  countsOf(rows.map(({ type }) => type))
    .map(([type, count]) => `${count} ${type}`)
    .join(', ');

/** `for editor (3), gisadmin (2)`: the owners of new items, if the run sets them. */
function ownerWords(rows: readonly PlanRow[]): string {
  const owners = countsOf(rows.map(({ owner }) => owner));
  return owners.length === 0 ? '' : `for ${owners.map(([owner, count]) => `${owner} (${count})`).join(', ')}`;
}

const UNCHANGED = 'unchanged';

/** Kept rows, one line for each reason. */
const reasonWords = (rows: readonly PlanRow[]): string[] =>
  countsOf(rows.map(({ reason = UNCHANGED }) => reason)).map(
    ([wanted]) => `${typeWords(rows.filter(({ reason = UNCHANGED }) => reason === wanted))}: ${wanted}`,
  );

const namedWords = (rows: readonly PlanRow[]): string[] =>
  listFirst(
    rows.map(({ title, reason = 'cannot be imported' }) => `${quoted(title)}: ${reason}`),
    NAMED,
  );

const plain = (text: Value): Value => text;
const actionMarks: Readonly<Record<PlanAction, (text: string) => Value>> = {
  create: good,
  overwrite: notice,
  restore: notice,
  remove: bad,
  same: plain,
  keep: plain,
  blocked: bad,
  extra: plain,
};

/** Every row of a plan. */
export const planTable = ({ rows }: Pick<Plan, 'rows'>): Block =>
  tableOf(
    planActions.flatMap((action) => rows.filter((row) => row.action === action)),
    [['Action', ({ action }) => action], ...planColumns(rows)],
  );

/** The columns of these rows, besides their action. */
export const planColumns = (rows: readonly PlanRow[]): Columns<PlanRow> => [
  ['Title', ({ title }) => title],
  ...(rows.some(({ of }) => of !== undefined) ? [['Group', ({ of }: PlanRow) => of] as const] : []),
  ['Type', ({ type }) => type],
  ['Size', ({ size }) => itemSizeWords(size)],
  ['Target modified', onTarget],
  ['Item ID', ({ itemId }) => ({ id: itemId })],
  ['Reason', planRowWhy],
];

function onTarget({ target }: PlanRow): Value {
  if (target?.changedSince !== undefined) return notice(['changed ', { time: target.changedSince }]);
  return target?.modified === undefined ? undefined : { time: target.modified };
}

/** The reason for a row, and its consequences. */
const planRowWhy = ({ reason, owner, beyond = [] }: PlanRow): string =>
  [
    reason ?? [],
    owner === undefined ? [] : `owner: ${owner}`,
    beyond.map((words) => `cannot be restored: ${words}`),
  ]
    .flat()
    .join('; ');
