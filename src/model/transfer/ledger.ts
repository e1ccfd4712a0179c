import { z } from 'zod';
import { forEachList, type LedgerList } from './ledger-lists';

export const ledgerEntry = z.object({
  itemId: z.string(),
  type: z.string().optional(),
  title: z.string().optional(),
  reason: z.string().optional().describe('reason, for people'),
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

export const ledger = z.object(forEachList(() => z.array(ledgerEntry)));
export type Ledger = z.infer<typeof ledger>;

export const emptyLedger = (): Ledger => forEachList(() => []);

/** The counts of the lists, and the store key of the lists. */
export type LedgerCounts = Record<LedgerList | 'requested', number> & { readonly ref: string };
