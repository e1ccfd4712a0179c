import { oneLine } from '../../../model/text/plain-text';
import type { Leftover } from '../../../domain/transfer/own-packages';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { itemSizeWords, timeWords } from '../../../model/text/words';

/** Packages created by Portolan, one per line, and a line for each portal that has none or could not be read. */
export function leftoverTable(
  leftovers: readonly Leftover[],
  { portals, unread }: { portals: readonly string[]; unread: readonly string[] },
  style: Style,
): string {
  const width = Math.max(...portals.map((portal) => portal.length));
  const others = portals
    .filter((portal) => leftovers.every((leftover) => leftover.portal !== portal))
    .map((portal) => `${portal.padEnd(width)}  ${unread.includes(portal) ? 'not read' : 'none'}`);
  return [...(leftovers.length === 0 ? [] : [table(leftovers, style)]), ...others].join('\n');
}

function table(leftovers: readonly Leftover[], style: Style): string {
  return columns(
    ['PORTAL', 'PACKAGE', 'TITLE', 'SIZE', 'CREATED', 'RUN', 'STATE'],
    leftovers.map((leftover) => [
      leftover.portal,
      oneLine(leftover.itemId),
      oneLine(leftover.title),
      itemSizeWords(leftover.size),
      leftover.created === undefined ? '?' : timeWords(leftover.created),
      leftover.runId ?? '?',
      leftover.removed ? 'removed' : leftover.state,
    ]),
    style,
  );
}
