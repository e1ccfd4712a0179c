import { oneLine } from '../../../model/text/plain-text';
import { type Plan, type PlanAction, type PlanRow, planActions } from '../../../model/transfer/plan';
import type { RecordEnd, RunRecord } from '../../../model/run/run';
import { planRowWhy } from '../../../service/run/run-words';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { endWords, itemSizeWords, listFirst, quoted, timeWords } from '../../../model/text/words';

type PlanFigures = NonNullable<RunRecord['plan']>;

export interface PlanScene {
  readonly figures: PlanFigures;
  /** Its rows; undefined if their store cannot be read from here. */
  readonly plan?: Plan;
  readonly target: RecordEnd;
  /** Short run id, for the commands that are named. */
  readonly run?: string;
}

/** Rows listed below each count; `run show --plan` lists all. */
const namedRows = 5;

/** The plan as counts, with the rows that need attention. */
export function planBlock(scene: PlanScene, style: Style): string {
  const { figures, plan, target, run } = scene;
  const { colors } = style;
  const rowsOf = (action: PlanAction): PlanRow[] => plan?.rows.filter((row) => row.action === action) ?? [];
  // A promotion's plan covers several groups; each row names its own.
  const isOfGroups = plan?.rows.some(({ of }) => of !== undefined);
  const into = isOfGroups ? target.portal : endWords(target, { withId: false });
  const lines = [`${colors.bold('PLAN')} ${colors.bold(figures.hash)} for ${into}`];
  for (const action of planActions) {
    if (!figures[action]) continue;
    const [summary = '', ...more] = actionWords(action, rowsOf(action), target.portal);
    const count = String(figures[action]).padStart(4);
    lines.push(`  ${paint(action, action.padEnd(10), style)}${count}  ${summary}`.trimEnd());
    lines.push(...more.map((line) => `                  ${line}`));
    lines.push(...groupWords(rowsOf(action), target.portal, style));
    if (action !== 'overwrite') continue;
    lines.push(...editedWords(rowsOf(action), target.portal, style));
    lines.push(...beyondWords(rowsOf(action), target.portal, style));
  }
  lines.push(...mappedWords(figures.mapped, style));
  if (lines.length === 1) lines.push('  No changes');
  if (run !== undefined) lines.push(colors.dim(`  full list       portolan run show ${run} --plan`));
  return lines.join('\n');
}

function actionWords(action: PlanAction, rows: readonly PlanRow[], portal: string): string[] {
  switch (action) {
    case 'create':
      return [`new on ${portal}`, typeWords(rows), ownerWords(rows)].filter((line) => line !== '');
    case 'overwrite':
      return [typeWords(rows)];
    case 'restore':
      return [`from copies: ${typeWords(rows)}`];
    case 'remove':
      return namedWords(rows);
    case 'same':
    case 'keep':
      return reasonWords(rows);
    case 'blocked':
      return namedWords(rows);
    case 'extra':
      return [`only on ${portal}; never deleted`];
  }
}

/** `3 Web Map, 2 StoryMap`. */
function typeWords(rows: readonly PlanRow[]): string {
  const counts = new Map<string, number>();
  for (const { type } of rows) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([type, count]) => `${count} ${oneLine(type)}`)
    .join(', ');
}

/** `for editor (3), gisadmin (2)`: the owners of new items, if the run sets them. */
function ownerWords(rows: readonly PlanRow[]): string {
  const counts = new Map<string, number>();
  for (const { owner } of rows) if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const owners = [...counts].sort(([, a], [, b]) => b - a);
  return owners.length === 0
    ? ''
    : `for ${owners.map(([owner, count]) => `${oneLine(owner)} (${count})`).join(', ')}`;
}

/** Kept rows, one line for each reason. */
function reasonWords(rows: readonly PlanRow[]): string[] {
  const byReason = new Map<string, PlanRow[]>();
  for (const row of rows) {
    const reason = row.reason ?? 'unchanged';
    byReason.set(reason, [...(byReason.get(reason) ?? []), row]);
  }
  return [...byReason].map(([reason, some]) => `${typeWords(some)}: ${oneLine(reason)}`);
}

function namedWords(rows: readonly PlanRow[]): string[] {
  const lines = rows.map((row) => `${quoted(row.title)}: ${oneLine(row.reason ?? 'cannot be imported')}`);
  return listFirst(lines, namedRows);
}

/** Rows edited on the target since the last run: these edits would be lost. */
function editedWords(rows: readonly PlanRow[], portal: string, { colors }: Style): string[] {
  const edited = rows.filter((row) => row.target?.changedSince !== undefined);
  if (edited.length === 0) return [];
  return [
    colors.yellow(
      `        !   ${String(edited.length).padStart(4)}  changed on ${portal} since its last import:`,
    ),
    ...edited
      .slice(0, namedRows)
      .map(
        (row) =>
          `                  ${quoted(row.title)}  ${oneLine(row.type)}  ${timeWords(row.target?.changedSince ?? 0)}`,
      ),
  ];
}

/** Apps that name a group of the source, and stay empty until they are configured again. */
function groupWords(rows: readonly PlanRow[], portal: string, { colors }: Style): string[] {
  const apps = rows.filter(({ group }) => group !== undefined);
  if (apps.length === 0) return [];
  const count = String(apps.length).padStart(4);
  return [
    colors.yellow(`        !   ${count}  configured by a group that ${portal} does not have:`),
    ...namedWords(apps).map((line) => `                  ${line}`),
  ];
}

/** Rows with placement that cannot be restored if the import replaces the item. */
function beyondWords(rows: readonly PlanRow[], portal: string, { colors }: Style): string[] {
  const found = rows.filter(({ beyond = [] }) => beyond.length > 0);
  if (found.length === 0) return [];
  const head = `cannot be fully restored if ${portal} replaces the item, not just its content:`;
  return [
    colors.yellow(`        !   ${String(found.length).padStart(4)}  ${head}`),
    ...found
      .slice(0, namedRows)
      .flatMap(({ title, beyond = [] }) =>
        beyond.map((words) => `                  ${quoted(title)} ${oneLine(words)}`),
      ),
  ];
}

/** What the map of a stage changes, with examples, and how many items are not known yet. */
export function mappedWords(mapped: PlanFigures['mapped'], { colors }: Style): string[] {
  if (!mapped) return [];
  const { places, items, unknown, examples } = mapped;
  const more = unknown > 0 ? `; ${unknown} more items cannot be checked before the import` : '';
  return [
    `  ${'map'.padEnd(10)}${String(places).padStart(4)}  URLs and IDs in ${items} items${more}`,
    ...examples.flatMap(({ itemId, title = itemId, path, before, after }) => [
      `                  ${quoted(title)}  ${colors.dim(oneLine(path))}`,
      `                    ${oneLine(before)}`,
      `                 -> ${oneLine(after)}`,
    ]),
  ];
}

function paint(action: PlanAction, text: string, { colors }: Style): string {
  switch (action) {
    case 'create':
      return colors.green(text);
    case 'overwrite':
    case 'restore':
      return colors.yellow(text);
    case 'remove':
    case 'blocked':
      return colors.red(text);
    case 'same':
    case 'keep':
    case 'extra':
      return text;
  }
}

/** Every row of a plan. */
export function planTable(plan: Plan, style: Style): string {
  const order = (row: PlanRow): number => planActions.indexOf(row.action);
  const rows = [...plan.rows].sort((a, b) => order(a) - order(b));
  return columns(
    ['ACTION', ...itemTitles],
    rows.map((row) => [row.action, ...itemCells({ ...row, reason: planRowWhy(row) })]),
    style,
  );
}

/** Headings of the columns that describe the item of a row. */
export const itemTitles = ['ITEM', 'TYPE', 'TITLE', 'SIZE', 'WHY'] as const;

/** The cells of those columns. */
export const itemCells = (row: {
  readonly itemId: string;
  readonly type: string;
  readonly title: string;
  readonly size?: number;
  readonly reason?: string;
}): string[] => [
  oneLine(row.itemId),
  oneLine(row.type),
  oneLine(row.title),
  itemSizeWords(row.size),
  oneLine(row.reason ?? ''),
];
