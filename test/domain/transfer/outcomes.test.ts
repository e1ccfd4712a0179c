import { describe, expect, it } from '@jest/globals';
import { outcomesAfter } from '../../../src/domain/transfer/outcomes';
import { emptyLedger, type Ledger } from '../../../src/model/transfer/ledger';
import type { Outcomes } from '../../../src/model/transfer/verification';

const item = (itemId: string, more: object = {}) => ({
  itemId,
  type: 'CSV',
  title: itemId,
  modified: 5,
  packageIndex: 0,
  ...more,
});
const before: Outcomes = {
  a: { runId: 'earlier', imported: { source: 1, target: 2 } },
  b: { runId: 'earlier', skipped: { type: 'CSV' } },
  gone: { runId: 'earlier', imported: { source: 1, target: 2 } },
};

const after = (ledger: Partial<Ledger>, requested = [item('a'), item('b')]): Outcomes =>
  outcomesAfter(before, {
    runId: 'now',
    requested,
    ledger: { ...emptyLedger(), ...ledger },
    onTarget: new Map([
      ['a', { id: 'a', modified: 7 }],
      ['b', { id: 'b', modified: 8 }],
    ]),
    inSource: new Set(['a', 'b', 'c']),
  });

describe('what runs came to for an item', () => {
  it('is what the last one imported, with what both portals said of it then', () => {
    expect(after({ imported: [item('a'), item('b')] })).toEqual({
      a: { runId: 'now', imported: { source: 5, target: 7 } },
      b: { runId: 'now', imported: { source: 5, target: 8 } },
    });
  });

  it('stays where a run left the item as it was, and goes with the item', () => {
    const { a, b } = before;
    expect(after({ kept: [item('a')], failed: [item('b')] })).toEqual({ a, b });
  });

  it('is that the portal skipped it, and not what is known of its type without a run', () => {
    const reason = 'not supported';
    const requested = [item('a'), item('b', { skip: 'a view' })];
    expect(after({ skipped: [item('a', { reason }), item('b')] }, requested)).toEqual({
      a: { runId: 'now', skipped: { type: 'CSV', reason } },
      b: before['b'],
    });
  });
});
