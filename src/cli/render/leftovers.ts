import type { Leftover } from '../leftovers';
import { columns } from './columns';
import type { Style } from './style';
import { itemSizeWords, safeText, timeWords } from './words';

/** Packages of ours, one a line. */
export function leftoverTable(leftovers: readonly Leftover[], style: Style): string {
  if (leftovers.length === 0) return 'No package of ours.';
  return columns(
    ['PORTAL', 'PACKAGE', 'TITLE', 'SIZE', 'CREATED', 'RUN', 'STATE'],
    leftovers.map((leftover) => [
      leftover.portal,
      leftover.itemId,
      safeText(leftover.title),
      itemSizeWords(leftover.size),
      leftover.created === undefined ? '?' : timeWords(leftover.created),
      leftover.runId ?? '?',
      leftover.removed ? 'removed' : leftover.state,
    ]),
    style,
  );
}
