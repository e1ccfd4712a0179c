import { z } from 'zod';

export const ledgerEntry = z.object({
  itemId: z.string(),
  type: z.string().optional(),
  title: z.string().optional(),
  reason: z.string().optional().describe('reason, for people'),
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

/** Each requested item is in exactly one of these lists. */
export const ledger = z.object({
  imported: z.array(ledgerEntry),
  /** Unchanged on both sides since an earlier run, so left alone. */
  same: z.array(ledgerEntry),
  kept: z.array(ledgerEntry),
  blocked: z.array(ledgerEntry),
  skipped: z.array(ledgerEntry),
  failed: z.array(ledgerEntry),
  /** The run ended before their import. */
  notImported: z.array(ledgerEntry),
  unaccounted: z.array(ledgerEntry),
});
export type Ledger = z.infer<typeof ledger>;

export const emptyLedger = (): Ledger => ({
  imported: [],
  same: [],
  kept: [],
  blocked: [],
  skipped: [],
  failed: [],
  notImported: [],
  unaccounted: [],
});

/** The counts of the lists, and the store key of the lists. */
export type LedgerCounts = Record<keyof Ledger | 'requested', number> & { ref: string };
