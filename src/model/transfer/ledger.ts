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
const ledgerCounts = z.object({
  requested: z.number(),
  imported: z.number(),
  same: z.number(),
  kept: z.number(),
  blocked: z.number(),
  skipped: z.number(),
  failed: z.number(),
  notImported: z.number(),
  unaccounted: z.number(),
  ref: z.string(),
});
export type LedgerCounts = z.infer<typeof ledgerCounts>;
