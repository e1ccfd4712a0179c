import { oneLine, ownLine } from '../../../model/text/plain-text';
import type { ErrorCode } from '../../../model/errors/error-codes';
import { targetStateText } from '../../../model/run/phase';
import type { RunRecord } from '../../../model/run/run';
import { createdCounts } from '../../../model/run/run-state';
import type { Style } from '../../terminal/style';
import { durationWords, listFirst } from '../../../model/text/words';
import { labelled } from '../../terminal/columns';
import { nextCommands } from '../../../service/run/next-commands';
import { entriesOf, exitStatusOf } from '../../../service/run/run-view';
import { otherWarnings, outcomeWords } from '../../../service/run/run-words';
import { whyLines } from './parked';
import { findingLines } from './verification';

/** Findings listed at the end; `run show` lists more. */
const namedFindings = 3;
const namedItems = 5;

/** The end of a run in a few lines: its outcome, the state of the target, and the next commands. */
export function endingBlock(
  record: RunRecord,
  style: Style,
  { status = exitStatusOf(record), now = Date.now() }: { status?: number; now?: number } = {},
): string {
  const { colors } = style;
  const until = record.finishedAt ?? record.parked?.at;
  const took = durationWords((until === undefined ? now : Date.parse(until)) - Date.parse(record.startedAt));
  const title = paintStatus(record, record.status.toUpperCase(), style);
  const preposition = record.finishedAt === undefined ? 'after' : 'in';
  const lines = [
    [
      `${title} ${preposition} ${took}.`,
      sentence(outcomeWords(record)),
      `Target: ${targetStateText(record.target)}.`,
      `Exit status ${status}.`,
    ]
      .filter((part) => part !== '')
      .join('  '),
  ];
  if (record.parked !== undefined) lines.push(...whyLines(record, record.parked, style));
  else if (record.error !== undefined) lines.push(...errorLines(record.error, style));
  const findings = entriesOf(record.verification?.findings ?? []);
  lines.push(
    ...findings
      .slice(0, namedFindings)
      .flatMap(findingLines)
      .map((line) => `    ${line}`),
  );
  lines.push(...createdLines(record));
  lines.push(...otherWarnings(record).map((warning) => colors.yellow(`warning  ${oneLine(warning)}`)));
  lines.push(...record.leftRunning.map((left) => colors.yellow(`still running  ${oneLine(left)}`)));
  lines.push(...labelled(nextCommands(record), style));
  return lines.join('\n');
}

const sentence = (words: string): string => (words === '' ? '' : `${words}.`);

/** A person's decision is not an error, so it has no hint. */
const decisions: ReadonlySet<string> = new Set<ErrorCode>(['CANCELLED', 'REJECTED']);

/** Code and message, one line each, then the hint. */
export function errorLines(error: NonNullable<RunRecord['error']>, { colors }: Style): string[] {
  if (decisions.has(error.code)) return [`${colors.red(error.code)}  ${oneLine(error.message)}`];
  const [first = '', ...others] = error.message.split('\n');
  return [
    `${colors.red(error.code)}  ${oneLine(first)} (${error.kind}, ${error.origin})`,
    ...[...others, error.hint].map((line) => `         ${ownLine(line)}`),
  ];
}

/** Items created by a run that was rolled back and still on the target; the first ones by name. */
function createdLines({ created }: RunRecord): string[] {
  if (created === undefined) return [];
  const lines = created.there.map(
    ({ itemId, title, reason }) => `${oneLine(itemId)} "${oneLine(title)}": ${oneLine(reason)}`,
  );
  return listFirst(lines, namedItems, createdCounts(created).there).map((line) => `  ${line}`);
}

/** Text about a run in the color of its status. */
export function paintStatus({ status }: Pick<RunRecord, 'status'>, text: string, { colors }: Style): string {
  switch (status) {
    case 'succeeded':
    case 'nothing-to-do':
      return colors.bold(colors.green(text));
    case 'partial':
    case 'waiting':
    case 'parked':
      return colors.bold(colors.yellow(text));
    case 'failed':
    case 'cancelled':
      return colors.bold(colors.red(text));
    case 'running':
      return colors.bold(colors.cyan(text));
  }
}
