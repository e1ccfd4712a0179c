import type { VerifiedSnapshot } from '../../../domain/snapshot/verify-snapshot';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { countOf, safeText } from '../../terminal/words';
import { bytesText } from '../../../model/text/bytes-text';

/** Snapshots one a line, and below them each file that is not what it was. */
export function verifiedTable(verified: readonly VerifiedSnapshot[], style: Style): string {
  if (verified.length === 0) return 'No snapshots.';
  const { colors } = style;
  const table = columns(
    ['SNAPSHOT', 'FILES', 'READ', 'RESULT'],
    verified.map(({ id, files, bytes, problems }) => [
      safeText(id),
      String(files),
      bytesText(bytes),
      problems.length === 0 ? colors.green('ok') : colors.red(countOf(problems.length, 'problem')),
    ]),
    style,
  );
  const problems = verified.flatMap(({ id, problems: its }) =>
    its.map(
      ({ file, problem }) =>
        `${colors.red('!!')}  ${safeText(id)}\n    ${safeText(file)}\n    ${safeText(problem)}`,
    ),
  );
  return [table, ...problems].join('\n\n');
}
