import { oneLine, ownLine } from '../../../model/text/plain-text';
import type { RunRecord } from '../../../model/run/run';
import type { Style } from '../../terminal/style';
import { type PhaseLine, type PhaseMark, settledWords, tookWords } from '../../../service/run/phase-words';

const marks: Record<PhaseMark, string> = {
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
  // A command is printed on its own line, where it can be copied.
  const settled = settledWords(line);
  const detail = [settled, progress].filter((part) => part !== undefined && part !== '').join('  ');
  const text = `${marks[line.status]}  ${line.name.padEnd(10)} ${ownLine(detail)}`.trimEnd();
  const took = tookWords(line, now);
  return paint(line.status, took === '' ? text : `${text.padEnd(72)} ${took.padStart(7)}`, style);
}

function paint(status: PhaseMark, text: string, { colors }: Style): string {
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

/** Below the guard phase: checks without an answer, passed checks worth knowing, and each failure if there are several. */
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
