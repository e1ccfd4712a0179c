import {
  emptyLedger,
  type Ledger,
  type LedgerEntry,
  type LedgerList,
  ledgerLists,
} from '../../model/transfer/ledger';

/** What the run of a part of a hunt came to. */
export interface HuntedPart {
  readonly lists: Ledger;
  /** The portal's words where the part was one item, and its import failed. */
  readonly poison?: string;
}

type Verdict = readonly [list: LedgerList, entry: LedgerEntry];

/**
 * One ledger over all items of a hunt: of each item the last word holds, since parts that failed were halved and
 * tried again. What an earlier part has imported stays imported, though a later plan finds it there and keeps it.
 */
export function uniteLedgers(
  itemIds: readonly string[],
  known: Ledger | undefined,
  parts: readonly HuntedPart[],
): Ledger {
  const verdicts = new Map<string, Verdict>();
  const called = new Map(entriesOf(known).map(([, entry]) => [entry.itemId, entry]));
  for (const itemId of itemIds) {
    const { type, title } = called.get(itemId) ?? {};
    verdicts.set(itemId, [
      'unaccounted',
      { itemId, type, title, reason: 'the hunt ended before its import' },
    ]);
  }
  for (const { lists, poison } of parts) {
    for (const [list, entry] of entriesOf(lists)) {
      const before = verdicts.get(entry.itemId);
      if (!before || (before[0] === 'imported' && list !== 'imported')) continue;
      verdicts.set(
        entry.itemId,
        poison === undefined || list === 'imported'
          ? [list, entry]
          : ['failed', { ...entry, reason: poison }],
      );
    }
  }
  const united = emptyLedger();
  for (const [list, entry] of verdicts.values()) united[list].push(entry);
  return united;
}

const entriesOf = (lists: Ledger | undefined): Verdict[] =>
  lists ? ledgerLists.flatMap((list) => lists[list].map((entry): Verdict => [list, entry])) : [];
