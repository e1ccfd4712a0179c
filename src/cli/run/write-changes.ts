import { Option } from '@commander-js/extra-typings';
import type { Change } from '../../model/transfer/change';
import type { ChangePage } from '../../service/run/change-page';
import type { Sheet } from '../../model/text/sheet';
import { changeCounts, type ChangedItem, changeSheet } from '../../service/run/change-sheet';
import { writeDocument } from '../terminal/documents';

export const changesOption = () => new Option('--changes', 'Show what changes inside each item');

export const htmlOption = () => new Option('--html <file>', 'Also write these changes as one HTML file');

type Row = Omit<ChangedItem, 'change'> & { readonly change?: Change | undefined };

/** The rows whose content was compared, those that change first. */
export const changedItems = (rows: readonly Row[]): ChangedItem[] => {
  const items = rows.flatMap(({ change, ...row }) => (change ? [{ ...row, change }] : []));
  return (['changed', 'unknown', 'same'] as const).flatMap((kind) =>
    items.filter(({ change }) => change.kind === kind),
  );
};

/** What changes inside the items that are overwritten, and how many are identical. */
export function shownChanges(rows: readonly Row[]): Sheet {
  const items = changedItems(rows);
  return [...changeSheet(items), { lines: [changeCounts(items) || 'No item is overwritten'] }];
}

/** Writes what changes inside items to a file. */
export async function writeChanges(
  file: string,
  page: Omit<ChangePage, 'items'>,
  rows: readonly Row[],
): Promise<void> {
  const { changePage } = await import('../../service/run/change-page.js');
  await writeDocument(file, changePage({ ...page, items: changedItems(rows) }));
}
