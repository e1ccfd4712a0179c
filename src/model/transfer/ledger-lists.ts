// Without zod, which workflows do not load.

/**
 * The lists of results, in display order; each requested item is in exactly one. `same`: unchanged on both sides since
 * an earlier run. `notImported`: the run ended before the import.
 */
export const ledgerLists = [
  'imported',
  'same',
  'kept',
  'blocked',
  'skipped',
  'failed',
  'notImported',
  'unaccounted',
] as const;
export type LedgerList = (typeof ledgerLists)[number];

/** A value for each list. */
export const forEachList = <T>(value: (list: LedgerList) => T): Record<LedgerList, T> =>
  Object.fromEntries(ledgerLists.map((list) => [list, value(list)])) as Record<LedgerList, T>;

/** How many requested items are not, or perhaps not, as they should be. */
export const openCount = ({
  blocked = 0,
  failed = 0,
  notImported = 0,
  unaccounted = 0,
}: Partial<Record<LedgerList, number>> = {}): number => blocked + failed + notImported + unaccounted;

const labels: Partial<Record<LedgerList, string>> = {
  notImported: 'not imported',
  unaccounted: 'unaccounted for',
};

/** The label of a list. */
export const listName = (list: LedgerList): string => labels[list] ?? list;
