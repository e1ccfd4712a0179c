import { itemSizeWords, safeText } from '../../terminal/words';

/** Titles of the columns that say which item a row is about, and why it is what it is. */
export const itemTitles = ['ITEM', 'TYPE', 'TITLE', 'SIZE', 'WHY'] as const;

/** The cells of those columns. */
export const itemCells = (row: {
  readonly itemId: string;
  readonly type: string;
  readonly title: string;
  readonly size?: number;
  readonly reason?: string;
}): string[] => [
  row.itemId,
  safeText(row.type),
  safeText(row.title),
  itemSizeWords(row.size),
  safeText(row.reason ?? ''),
];
