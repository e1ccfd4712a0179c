import { oneLine, ownLine } from '../../../model/text/plain-text';
import type { PhaseName } from '../../../model/run/phase';
import type { PhaseRecord, RunRecord } from '../../../model/run/run';
import type { Style } from '../../terminal/style';
import { durationWords } from '../../../model/text/words';
import type { PendingActivity } from '../../../service/run/run-view';
import { progressWords } from './progress';

/** Starting a job and waiting for it is one line for people. */
const joined: Partial<Record<PhaseName, PhaseName>> = { 'wait-export': 'export', 'wait-import': 'import' };

type Mark = PhaseRecord['status'];

/** A line of the display: one phase, or a job's two. */
export interface PhaseLine {
  readonly name: string;
  readonly status: Mark;
  readonly detail?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** The phases of a record as people see them, in order. */
export function phaseLines(phases: readonly PhaseRecord[]): PhaseLine[] {
  const lines: PhaseLine[] = [];
  for (const phase of phases) {
    const first = lines.find((line) => line.name === joined[phase.name]);
    if (first === undefined) {
      lines.push(phase);
      continue;
    }
    lines[lines.indexOf(first)] = {
      name: first.name,
      status: joinStatus(first.status, phase.status),
      detail: phase.detail ?? first.detail,
      startedAt: first.startedAt,
      // Where the job was not started, or not waited for, the start's end is the end.
      finishedAt: first.status !== 'done' || phase.status === 'skipped' ? first.finishedAt : phase.finishedAt,
    };
  }
  return lines;
}

/** The job has ended when the waiting has; a post that is through with its job still running is not done. */
function joinStatus(start: Mark, wait: Mark): Mark {
  if (start !== 'done') return start;
  if (wait === 'pending') return 'running';
  return wait === 'skipped' ? start : wait;
}

export const isSettled = ({ status }: PhaseLine): boolean =>
  status === 'done' || status === 'skipped' || status === 'failed';

/** It waits for a person. */
export const isHalted = ({ status }: PhaseLine): boolean => status === 'waiting' || status === 'parked';

const marks: Record<Mark, string> = {
  done: 'ok',
  failed: '!!',
  running: ' >',
  waiting: ' ?',
  parked: ' P',
  skipped: ' -',
  pending: '  ',
};

/** `ok  export     14 of 16 items   41.2s`. */
export function phaseText(line: PhaseLine, style: Style, now: number, progress?: string): string {
  // The command to type stands where it can be copied from, not in the middle of a line.
  const settled = settledOf(line);
  const detail = [settled, progress].filter((part) => part !== undefined && part !== '').join('  ');
  const text = `${marks[line.status]}  ${line.name.padEnd(10)} ${ownLine(detail)}`.trimEnd();
  const took = tookWords(line, now);
  return paint(line.status, took === '' ? text : `${text.padEnd(72)} ${took.padStart(7)}`, style);
}

function settledOf({ status, detail }: PhaseLine): string | undefined {
  if (status === 'waiting') return 'waits for an approval';
  // Why is said in full elsewhere.
  return status === 'parked' ? 'PARKED' : firstOf(detail);
}

/** Of several reasons the first; the others have lines of their own. */
function firstOf(detail: string | undefined): string | undefined {
  const [first, ...others] = detail?.split('\n') ?? [];
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

function tookWords({ status, startedAt, finishedAt }: PhaseLine, now: number): string {
  if (startedAt === undefined || status === 'pending' || status === 'skipped') return '';
  return durationWords((finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}

function paint(status: Mark, text: string, { colors }: Style): string {
  switch (status) {
    case 'done':
      return `${colors.green(text.slice(0, 2))}${text.slice(2)}`;
    case 'failed':
      return colors.red(text);
    case 'running':
      return `${colors.cyan(text.slice(0, 2))}${text.slice(2)}`;
    case 'waiting':
    case 'parked':
      return `${colors.yellow(text.slice(0, 2))}${text.slice(2)}`;
    case 'skipped':
    case 'pending':
      return colors.dim(text);
  }
}

/**
 * What could not be established stands under the guards' line, never silently passed; so does what people have to
 * reckon with although it passes, and each refusal where there are several.
 */
export function guardRemarks({ guards = [] }: Pick<RunRecord, 'guards'>, { colors }: Style): string[] {
  const several = guards.filter(({ verdict }) => verdict === 'refuse').length > 1;
  return guards.flatMap(({ verdict, name, saw, needs, isNews }) => {
    if (verdict === 'pass') return isNews ? [`${' '.repeat(15)} ${oneLine(`${name}: ${saw}`)}`] : [];
    if (verdict === 'unknown') return [`${colors.yellow(' ?')}             ${oneLine(`${name}: ${saw}`)}`];
    if (verdict !== 'refuse' || !several) return [];
    const needed = needs === undefined ? '' : `; needed: ${needs}`;
    return [`${colors.red('!!')}             ${oneLine(`${name}: ${saw}${needed}`)}`];
  });
}

/** The progress of the phase that runs, from whatever activity of it says something. */
export const runningProgress = (pending: readonly PendingActivity[]): string =>
  pending
    .map((each) => progressWords(each))
    .filter((words) => words !== '')
    .join('; ');
