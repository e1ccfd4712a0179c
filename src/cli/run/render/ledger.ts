import { type LedgerList, ledgerLists, listName } from '../../../model/transfer/ledger-lists';
import { oneLine } from '../../../model/text/plain-text';
import { type LedgerEntry } from '../../../model/transfer/ledger';
import type { RunRecord } from '../../../model/run/run';
import type { Style } from '../../terminal/style';
import { listFirst, quoted, shortId } from '../../../model/text/words';
import { entriesOf, lengthOf } from '../../../service/run/run-view';

type Items = NonNullable<RunRecord['items']>;

/** Only these lists name their entries, up to this many each. */
const namedEntries = 10;
const named: readonly LedgerList[] = ['blocked', 'skipped', 'failed', 'notImported', 'unaccounted'];

/** The result of each requested item. */
export function ledgerBlock(items: Items, style: Style): string {
  const { colors } = style;
  const total = ledgerLists.reduce((sum, list) => sum + lengthOf(items[list]), 0);
  const lines = [`${colors.bold('RESULTS')} ${total} requested`];
  for (const list of ledgerLists) {
    const count = lengthOf(items[list]);
    if (count === 0) continue;
    lines.push(`  ${paint(list, listName(list).padEnd(15), style)}${String(count).padStart(4)}`);
    if (named.includes(list))
      lines.push(
        ...listFirst(entriesOf(items[list]).map(entryWords), namedEntries, count).map(
          (line) => `        ${line}`,
        ),
      );
  }
  return lines.join('\n');
}

/** `"Bridges"  Web Map 31d0..5a: belongs to m.lee`. */
export function entryWords({ itemId, title, type, reason }: LedgerEntry): string {
  const name =
    title === undefined ? oneLine(itemId) : `${quoted(title)}  ${oneLine(type ?? '?')} ${shortId(itemId)}`;
  return reason === undefined ? name : `${name}: ${oneLine(reason)}`;
}

function paint(list: LedgerList, text: string, { colors }: Style): string {
  switch (list) {
    case 'imported':
      return colors.green(text);
    case 'same':
    case 'kept':
    case 'skipped':
      return text;
    case 'blocked':
    case 'failed':
    case 'notImported':
    case 'unaccounted':
      return colors.red(text);
  }
}
