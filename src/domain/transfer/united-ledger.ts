import {
  emptyLedger,
  type Ledger,
  type LedgerEntry,
  type LedgerList,
  ledgerLists,
} from '../../model/transfer/ledger';

/** What the run of a part of a bisect came to. */
export interface BisectedPart {
  readonly lists: Ledger;
  /** The portal's words where the part was one item, and its import failed. */
  readonly failing?: string;
}

type Verdict = readonly [list: LedgerList, entry: LedgerEntry];

/**
 * One ledger over all items of a bisect: of each item the last word holds, since parts that failed were halved and
 * tried again. What an earlier part has imported stays imported, though a later plan finds it there and keeps it.
 */
export function uniteLedgers(
  itemIds: readonly string[],
  known: Ledger | undefined,
  parts: readonly BisectedPart[],
): Ledger {
  const verdicts = new Map<string, Verdict>();
  const called = new Map(entriesOf(known).map(([, entry]) => [entry.itemId, entry]));
  for (const itemId of itemIds) {
    const { type, title } = called.get(itemId) ?? {};
    verdicts.set(itemId, [
      'unaccounted',
      { itemId, type, title, reason: 'the bisect ended before its import' },
    ]);
  }
  for (const { lists, failing } of parts) {
    for (const [list, entry] of entriesOf(lists)) {
      const before = verdicts.get(entry.itemId);
      if (!before || (before[0] === 'imported' && list !== 'imported')) continue;
      verdicts.set(
        entry.itemId,
        failing === undefined || list === 'imported'
          ? [list, entry]
          : ['failed', { ...entry, reason: failing }],
      );
    }
  }
  const united = emptyLedger();
  for (const [list, entry] of verdicts.values()) united[list].push(entry);
  return united;
}

const entriesOf = (lists: Ledger | undefined): Verdict[] =>
  lists ? ledgerLists.flatMap((list) => lists[list].map((entry): Verdict => [list, entry])) : [];
