/** The lists of a ledger, in the order in which people read them. */
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

/** A list as people read its name. */
export const listName = (list: LedgerList): string => (list === 'notImported' ? 'not imported' : list);
