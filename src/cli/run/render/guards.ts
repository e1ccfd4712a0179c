import { oneLine } from '../../../model/text/plain-text';
import type { GuardResult } from '../../../model/run/run';
import type { Style } from '../../terminal/style';

/** One line per preflight check; if it did not pass, also what is needed and how to fix it. */
export function guardBlock(guards: readonly GuardResult[], style: Style): string {
  const width = Math.max(...guards.map(({ name }) => name.length), 8);
  return guards.flatMap((guard) => guardLines(guard, width, style)).join('\n');
}

function guardLines(
  { name, verdict, saw, needs, todo, code }: GuardResult,
  width: number,
  { colors }: Style,
): string[] {
  const indent = ' '.repeat(width + 6);
  const more = [
    needs === undefined ? undefined : `needed  ${oneLine(needs)}`,
    todo === undefined ? undefined : `fix     ${oneLine(todo)}`,
  ]
    .filter((line) => line !== undefined)
    .map((line) => `${indent}${line}`);
  const text = `${oneLine(name).padEnd(width)}  ${oneLine(saw)}`;
  switch (verdict) {
    case 'pass':
      return [`${colors.green('ok')}  ${text}`];
    case 'unknown':
      return [`${colors.yellow(' ?')}  ${text}`, ...more];
    case 'refuse':
      return [`${colors.red('!!')}  ${text}${code === undefined ? '' : `  [${code}]`}`, ...more];
  }
}

/** `9 passed, 1 unknown, 1 failed`. */
export function guardWords(guards: readonly GuardResult[]): string {
  const count = (verdict: GuardResult['verdict']): number =>
    guards.filter((guard) => guard.verdict === verdict).length;
  return (
    [
      [count('pass'), 'passed'],
      [count('unknown'), 'unknown'],
      [count('refuse'), 'failed'],
    ] as const
  )
    .filter(([figure]) => figure > 0)
    .map(([figure, word]) => `${figure} ${word}`)
    .join(', ');
}
