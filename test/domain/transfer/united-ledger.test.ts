import { describe, expect, it } from '@jest/globals';
import { emptyLedger, type Ledger } from '../../../src/model/transfer/ledger';
import { unitedLedger } from '../../../src/domain/transfer/item-results';

const ledger = (lists: Partial<Ledger>): Ledger => ({ ...emptyLedger(), ...lists });
const item = (itemId: string, reason?: string) => ({ itemId, title: itemId.toUpperCase(), reason });

describe('the ledger of a bisect', () => {
  it('has each item once: as its last run says, and as failed with the words of the portal', () => {
    const united = unitedLedger(['a', 'b', 'c', 'd'], ledger({ unaccounted: [item('d', 'the run ended')] }), [
      { lists: ledger({ unaccounted: [item('a', 'lost'), item('b', 'lost'), item('c', 'lost')] }) },
      { lists: ledger({ unaccounted: [item('b', 'lost')] }), failing: 'Unable to import.' },
      { lists: ledger({ imported: [item('a')], blocked: [item('c', 'of another type')] }) },
    ]);
    expect(united).toEqual(
      ledger({
        imported: [item('a')],
        blocked: [item('c', 'of another type')],
        failed: [item('b', 'Unable to import.')],
        notImported: [{ ...item('d'), type: undefined, reason: 'the bisect ended before its import' }],
      }),
    );
  });

  it('leaves imported what a later part found there and kept', () => {
    const united = unitedLedger(['a'], undefined, [
      { lists: ledger({ imported: [item('a')] }) },
      { lists: ledger({ kept: [item('a', 'exists on the target')] }) },
    ]);
    expect(united.imported).toHaveLength(1);
    expect(united.kept).toEqual([]);
  });
});
