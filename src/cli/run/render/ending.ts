import { type ErrorCode, exitStatus, isErrorCode, meaningOf } from '../../../model/errors/error-codes';
import { hasImportFailed } from '../../../model/run/import-failed';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { findingLines } from './verification';
import { entriesOf, ledgerWords, lengthOf } from './ledger';
import { otherWarnings } from '../../transfer/render/guards';
import { whyLines } from './parked';
import { createdLines, snapshotCommands, snapshotWords, startAgain } from './snapshot-of-run';
import type { Style } from '../../terminal/style';
import { countOf, durationWords, labelled, portalsOf, safeText } from '../../terminal/words';

/** Exit status of a command that showed or waited for this run. */
export function exitStatusOf(record: Pick<RunRecord, 'status' | 'error'>): number {
  switch (record.status) {
    case 'succeeded':
    case 'nothing-to-do':
    case 'running':
      return exitStatus.done;
    case 'partial':
      return exitStatus.partial;
    case 'waiting':
    case 'parked':
      return exitStatus.waiting;
    case 'cancelled':
      return exitStatus.cancelled;
    case 'failed':
      return failureStatus(record.error?.code);
  }
}

const failureStatus = (code: string | undefined): number => {
  const known: ErrorCode = code !== undefined && isErrorCode(code) ? code : 'INTERNAL';
  const { exit } = meaningOf(known);
  // A failed run is no success and nothing that waits, whatever its last error would say by itself.
  return exit === exitStatus.done || exit === exitStatus.waiting ? exitStatus.failed : exit;
};

/** Findings that are spelled out at the end; `run show` has them all. */
const namedFindings = 3;

/** The end of a run in a few lines: what it came to, what became of the target, and what to type next. */
export function endingBlock(
  record: RunRecord,
  style: Style,
  { status = exitStatusOf(record), now = Date.now() }: { status?: number; now?: number } = {},
): string {
  const { colors } = style;
  const until = record.finishedAt ?? record.parked?.at;
  const took = durationWords((until === undefined ? now : Date.parse(until)) - Date.parse(record.startedAt));
  const title = paint(record, record.status.toUpperCase(), style);
  const preposition = record.finishedAt === undefined ? 'after' : 'in';
  const lines = [
    [
      `${title} ${preposition} ${took}.`,
      sentence(summary(record)),
      `Target: ${record.target}.`,
      `Exit status ${status}.`,
    ]
      .filter((part) => part !== '')
      .join('  '),
  ];
  if (record.parked !== undefined) lines.push(...whyLines(record, record.parked, style));
  else if (record.error !== undefined) lines.push(...errorLines(record.error, style));
  const findings = entriesOf(record.verification?.findings ?? []);
  lines.push(...findings.slice(0, namedFindings).flatMap(findingLines));
  lines.push(...createdLines(record));
  lines.push(...otherWarnings(record).map((warning) => colors.yellow(`warning  ${safeText(warning)}`)));
  lines.push(...record.leftRunning.map((left) => colors.yellow(`still running  ${safeText(left)}`)));
  lines.push(...labelled(nextCommands(record), style));
  return lines.join('\n');
}

const sentence = (words: string): string => (words === '' ? '' : `${words}.`);

/** `11 imported, 2 kept, 1 blocked, 1 finding`. */
function summary(record: RunRecord): string {
  if (record.status === 'waiting') return 'Waiting for an approval';
  if (record.status === 'parked')
    return `Waiting for a person${record.parked === undefined ? '' : `, in ${record.parked.phase}`}`;
  const findings = record.verification === undefined ? 0 : lengthOf(record.verification.findings);
  return [snapshotWords(record), ledgerWords(record.items), findings > 0 ? countOf(findings, 'finding') : '']
    .filter((part) => part !== '')
    .join(', ');
}

/** What a person decided is no error of anybody's: there is nothing to look for, and nothing to do. */
const decisions: ReadonlySet<string> = new Set<ErrorCode>(['CANCELLED', 'REJECTED']);

/** Code and words, each of several on a line of its own, then what to do. */
export function errorLines(error: NonNullable<RunRecord['error']>, { colors }: Style): string[] {
  if (decisions.has(error.code)) return [`${colors.red(error.code)}  ${safeText(error.message)}`];
  const [first = '', ...others] = error.message.split('\n');
  return [
    `${colors.red(error.code)}  ${safeText(first)} (${error.kind}, ${error.origin})`,
    ...[...others, error.hint].map((line) => `         ${safeText(line)}`),
  ];
}

/** What can be typed next, most likely first. Only commands that do something for a run in this state. */
export function nextCommands(record: RunRecord): (readonly [string, string])[] {
  const run = shortRunId(record.runId);
  switch (record.status) {
    case 'running':
      return [
        ['watch', `portolan run watch ${run}`],
        ['cancel', `portolan run cancel ${run}`],
      ];
    case 'waiting': {
      const hash = record.plan === undefined ? '' : ` --plan ${record.plan.hash}`;
      return [
        ['look', `portolan run show ${run} --plan`],
        ['approve', `portolan run approve ${run}${hash}`],
        ['reject', `portolan run reject ${run}`],
      ];
    }
    case 'parked': {
      const commands = record.parked?.commands ?? [
        `portolan run resume ${run}`,
        `portolan run cancel ${run}`,
      ];
      return [
        ['details', `portolan run show ${run}`],
        ...commands.map((command) => [wordOf(command), command] as const),
      ];
    }
    case 'succeeded':
    case 'partial':
    case 'failed':
    case 'cancelled':
    case 'nothing-to-do':
      return [
        ...cleanCommands(record),
        ...againCommands(record),
        ...snapshotCommands(record),
        ['details', `portolan run show ${run}`],
      ];
  }
}

/** What takes over the package that is still in the store. */
function againCommands(record: RunRecord): [string, string][] {
  const { status, kind, items, package: kept } = record;
  const command = startAgain(record);
  if (command !== undefined) return status === 'failed' || status === 'partial' ? [['again', command]] : [];
  const run = shortRunId(record.runId);
  const open = lengthOf(items?.failed ?? []) + lengthOf(items?.unaccounted ?? []);
  if (open > 0 && (status === 'partial' || (status === 'failed' && kind === 'bisect')))
    return [['retry', `portolan run retry ${run}`]];
  if (status !== 'failed' || kind !== 'sync' || kept === undefined) return [];
  const restart: [string, string] = ['restart', `portolan run restart ${run} --from upload`];
  return hasImportFailed(record) ? [restart, ['or', `portolan run retry ${run} --bisect`]] : [restart];
}

/** What a command does, in its own word: `resume` of `portolan run resume k7q2`. */
const wordOf = (command: string): string => command.split(' ')[2] ?? 'type';

/** Packages that the cleanup could not remove are removed by hand. */
function cleanCommands({ phases, route }: RunRecord): [string, string][] {
  const cleanup = phases.find(({ name }) => name === 'cleanup');
  if (cleanup?.status !== 'failed') return [];
  return portalsOf(route)
    .filter((portal) => cleanup.detail?.includes(`${portal}: `) ?? true)
    .map((portal) => ['clean', `portolan clean ${portal} --yes`]);
}

export function paint({ status }: Pick<RunRecord, 'status'>, text: string, { colors }: Style): string {
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
