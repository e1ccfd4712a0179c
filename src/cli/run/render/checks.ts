import type { CheckResult } from '../../../model/release/promotion';
import { oneLine, visibleText } from '../../../model/text/plain-text';
import type { Style } from '../../terminal/style';
import { countOf, durationWords } from '../../../model/text/words';

/** Lines of each output of a check that failed; the record has the rest. */
const SHOWN_LINES = 10;

/** The checks of a stage, with the output of those that failed. */
export function checksBlock(checks: readonly CheckResult[] | undefined, { colors }: Style): string[] {
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
