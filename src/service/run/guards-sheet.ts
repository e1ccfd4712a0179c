import type { GuardResult } from '../../model/run/run';
import { bad, type Block, good, notice, type Value } from '../../model/text/sheet';

/** One row per preflight check; if it did not pass, also what is needed and how to fix it. */
export const guardTable = (guards: readonly GuardResult[]): Block => ({
  columns: [],
  rows: guards.flatMap(guardRows),
});

export const guardRows = ({ name, verdict, saw, needs, todo, code }: GuardResult): Value[][] => [
  [marks[verdict], name, code === undefined ? saw : `${saw} [${code}]`],
  ...(verdict === 'pass' || needs === undefined ? [] : [['', '', `needed: ${needs}`]]),
  ...(verdict === 'pass' || todo === undefined ? [] : [['', '', `fix: ${todo}`]]),
];

const marks: Readonly<Record<GuardResult['verdict'], Value>> = {
  pass: good('ok'),
  unknown: notice(' ?'),
  refuse: bad('!!'),
};

/** `9 passed, 1 unknown, 1 failed`. */
export const guardWords = (guards: readonly GuardResult[]): string =>
  (
    [
      ['pass', 'passed'],
      ['unknown', 'unknown'],
      ['refuse', 'failed'],
    ] as const
  )
    .map(([verdict, word]) => [guards.filter((guard) => guard.verdict === verdict).length, word] as const)
    .filter(([count]) => count > 0)
    .map((each) => each.join(' '))
    .join(', ');
