import type { RunView } from '../../../contract/runs';
import { oneLine, visibleText } from '../../../model/text/plain-text';
import { targetStateText } from '../../../model/run/phase';
import type { RunRecord } from '../../../model/run/run';
import type { Plan } from '../../../model/transfer/plan';
import { shortRunId } from '../../../model/run/run-id';
import {
  bytesText,
  durationWords,
  routeWords,
  timeWords,
  windowWords,
  countOf,
} from '../../../model/text/words';
import { standingWords } from '../../../service/portal-queue/queue-words';
import { differencesTable } from './differences';
import type { Style } from '../../terminal/style';
import { labelled } from '../../terminal/columns';
import { nextCommands } from '../../../service/run/next-commands';
import { phaseLines } from '../../../service/run/phase-words';
import { progressWords } from '../../../service/run/progress-words';
import { bannerWords, otherWarnings, runTitle, scheduleBesides } from '../../../service/run/run-words';
import { targetOf } from '../../../service/run/run-view';
import { errorLines, paintStatus } from './ending';
import { ledgerBlock } from './ledger';
import { actionWords, heldBlock, logBlock, targetBlock, typeBlock, whyBlock } from './parked';
import { guardRemarks, phaseText } from './phases';
import { planBlock } from './plan';
import { childrenBlock } from './run-list';
import { verificationBlock } from './verification';
import type { CheckResult } from '../../../model/release/promotion';

/** A run with what is known on this machine. */
export interface ShownRun extends RunView {
  /** Its plan with all rows, if they can be read. */
  readonly plan?: Plan;
  /** Its page in the web UI, if known. */
  readonly page?: string;
  /** Its page in Temporal's Web UI, if `up` runs one here. */
  readonly ui?: string;
}

/** Everything about one run, as text. */
export function runShow(view: ShownRun, style: Style, now: number = Date.now()): string {
  const { record } = view;
  const { parked } = record;
  const blocks =
    parked === undefined
      ? [headLines(view, style, now), whyLines(record, style), targetLines(record, style)]
      : [
          headLines(view, style, now),
          whyBlock(record, parked, style),
          [...targetBlock(record, parked, style), ...heldBlock(parked, style)],
        ];
  blocks.push(phaseBlock(view, style, now), childrenBlock(record, style));
  // For a parked run, the commands come before the plan.
  if (parked !== undefined) blocks.push(typeBlock(record, parked, style));
  else if (record.plan !== undefined) {
    blocks.push([
      planBlock(
        { figures: record.plan, plan: view.plan, target: targetOf(record), run: shortOf(record) },
        style,
      ),
    ]);
  }
  if (record.changes !== undefined && record.changes.length > 0)
    blocks.push([differencesTable(record.changes, style, ['BEFORE', 'AFTER'])]);
  blocks.push(checksBlock(record.checks, style));
  if (record.items !== undefined) blocks.push([ledgerBlock(record.items, style)]);
  if (record.verification !== undefined) blocks.push([verificationBlock(record.verification, style)]);
  blocks.push(
    warningLines(record, style),
    parked === undefined ? actionLines(record, style) : logBlock(record, parked, style),
    footLines(view, style),
  );
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

const shortOf = (record: RunRecord): string => shortRunId(record.runId);

function headLines(
  { record, open, workers, notes, portalQueue, page }: ShownRun,
  style: Style,
  now: number,
): string[] {
  const { colors } = style;
  const begun = record.parked?.at ?? record.startedAt;
  const { kind, operation, route, saved, startedAt, finishedAt } = record;
  const since =
    open || finishedAt === undefined
      ? `since ${timeWords(begun)}, ${durationWords(now - Date.parse(begun))} ago`
      : `${timeWords(finishedAt)}, took ${durationWords(Date.parse(finishedAt) - Date.parse(startedAt))}`;
  const schedule = scheduleBesides(record);
  const rows: [string, string][] = [
    operation === undefined
      ? ['route', `${route.name}: ${routeWords(route)}`]
      : ['what', `${kind} ${operation}: ${routeWords(route)}`],
    ...(record.stage === undefined ? [] : [['what', oneLine(runTitle(record))] as [string, string]]),
    [
      'started',
      `${timeWords(record.startedAt)}${record.startedBy === undefined ? '' : ` by ${oneLine(record.startedBy)}`}${schedule === undefined ? '' : ` for schedule ${oneLine(schedule)}`}`,
    ],
  ];
  if (record.parent !== undefined) rows.push(['parent', record.parent]);
  if (record.parked !== undefined)
    rows.push(['until', `${timeWords(record.parked.until)}; then the run cleans up and fails`]);
  if (record.queue !== undefined) rows.push(['queue', standingWords(record.queue, portalQueue, now)]);
  if (record.window !== undefined)
    rows.push(['window', `${windowWords(record.window)}: ${oneLine(record.window.why)}`]);
  if (open && workers !== undefined) {
    rows.push([
      'workers',
      workers.length === 0
        ? colors.yellow(`none running${record.parked === undefined ? '; the run waits for one' : ''}`)
        : workers.join(', '),
    ]);
  }
  if (record.package !== undefined) rows.push(['package', packageWords(record.package)]);
  if (record.snapshot !== undefined)
    rows.push(['snapshot', `${record.snapshot.id}${record.snapshot.unchanged ? ', unchanged since' : ''}`]);
  if (record.safeguard !== undefined && record.safeguard.id !== record.snapshot?.id)
    rows.push(['saved', `${record.safeguard.id}, the overwritten items`]);
  if (saved !== undefined) rows.push(['saved', `previous values, in the store: ${saved}`]);
  const { taskRun, banner } = record;
  if (taskRun !== undefined)
    rows.push([
      'task',
      `${taskRun.taskId} of ${oneLine(taskRun.username)} on ${taskRun.portal}: ${taskRun.said ?? 'not reported yet'}`,
    ]);
  if (banner !== undefined) rows.push(['banner', bannerWords[banner.status]]);
  if (page !== undefined) rows.push(['web', page]);
  return [
    `${paintStatus(record, record.status.toUpperCase(), style)}   ${colors.bold(record.runId)}   ${since}`,
    ...labelled(rows, style),
    ...notes.map((note) => colors.yellow(`note     ${note}`)),
  ];
}

const packageWords = ({ sizeBytes, sha256 }: NonNullable<RunRecord['package']>): string =>
  `${bytesText(sizeBytes)}, sha256 ${sha256.slice(0, 12)}..`;

const whyLines = ({ error }: RunRecord, style: Style): string[] =>
  error === undefined ? [] : errorLines(error, style);

const targetLines = ({ target }: RunRecord, { colors }: Style): string[] => [
  `${colors.dim('target   ')}${targetStateText(target)}`,
];

function phaseBlock({ record, pending }: RunView, style: Style, now: number): string[] {
  const active = pending.map(
    (each) => `      ${style.colors.dim(`${each.type}  ${progressWords(each)}`.trimEnd())}`,
  );
  return phaseLines(record.phases).flatMap((line) => {
    const text = [`  ${phaseText(line, style, now)}`];
    if (line.name === 'guard') text.push(...guardRemarks(record, style).map((remark) => `  ${remark}`));
    return line.status === 'running' ? [...text, ...active] : text;
  });
}

const warningLines = (record: RunRecord, { colors }: Style): string[] => [
  ...otherWarnings(record).map((warning) => colors.yellow(`warning  ${oneLine(warning)}`)),
  ...record.leftRunning.map((left) => colors.yellow(`still running  ${oneLine(left)}`)),
];

const actionLines = (record: RunRecord, { colors }: Style): string[] =>
  record.actions.map((action) => `${colors.dim(timeWords(action.at))}  ${actionWords(action)}`);

function footLines({ record, ui }: ShownRun, style: Style): string[] {
  const commands =
    record.parked === undefined
      ? nextCommands(record).filter(([, command]) => !command.endsWith(`run show ${shortOf(record)}`))
      : [];
  return labelled([...commands, ...(ui === undefined ? [] : [['ui', ui] as const])], style);
}

/** Lines of each output of a check that failed; the record has the rest. */
const SHOWN_LINES = 10;

/** The checks of a stage, with the output of those that failed. */
function checksBlock(checks: readonly CheckResult[] | undefined, { colors }: Style): string[] {
  if (checks === undefined || checks.length === 0) return [];
  return [
    colors.bold('CHECKS'),
    ...checks.flatMap(({ name, status, problem = '', tries, tookMs, output }) => {
      const took = `${durationWords(tookMs)}${tries > 1 ? `, ${countOf(tries, 'try', 'tries')}` : ''}`;
      if (status === 'passed') return [`  ok  ${oneLine(name)}  ${took}`];
      const printed = Object.values(output).flatMap((text: string) => text.split('\n').slice(-SHOWN_LINES));
      return [
        colors.red(`  !!  ${oneLine(name)} ${oneLine(problem)}  ${took}`),
        ...printed.map((line) => colors.dim(`      | ${visibleText(line)}`)),
      ];
    }),
  ];
}
