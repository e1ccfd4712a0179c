/** The lists of results, in display order. */
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

const names: Partial<Record<LedgerList, string>> = {
  notImported: 'not imported',
  unaccounted: 'unaccounted for',
};

/** The label of a list. */
export const listName = (list: LedgerList): string => names[list] ?? list;
