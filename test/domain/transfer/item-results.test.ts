import { describe, expect, it } from '@jest/globals';
import { ledgerOf, type LedgerEvidence } from '../../../src/domain/transfer/item-results';
import type { RequestedItem } from '../../../src/model/transfer/requested';

const board: RequestedItem = {
  itemId: 'b'.repeat(32),
  type: 'Dashboard',
  title: 'Delays',
  doubt: 'type Dashboard is not a known exportable type; the portal decides',
  packageIndex: 0,
};
const map: RequestedItem = { itemId: 'a'.repeat(32), type: 'Web Map', title: 'Roads', packageIndex: 0 };
const none = { done: [], skipped: [], failed: [] };

/** In which list the board ends, and why. */
function endOf(evidence: Partial<LedgerEvidence>): [string, string | undefined] | undefined {
  const ledger = ledgerOf({ requested: [map, board], imported: [], posted: 0, ...evidence });
  for (const [list, entries] of Object.entries(ledger)) {
    const found = entries.find(({ itemId }) => itemId === board.itemId);
    if (found) return [list, found.reason];
  }
  return undefined;
}

describe('the ledger on an item that export may leave out', () => {
  it('counts it as skipped where the package does not hold it and no list names it', () => {
    expect(endOf({ plan: [] })).toEqual(['skipped', board.doubt]);
    expect(endOf({ plan: [], exported: none })).toEqual(['skipped', board.doubt]);
    expect(endOf({ exported: none, nothingExported: true })).toEqual(['skipped', board.doubt]);
    const exported = { ...none, done: [{ itemId: map.itemId }] };
    expect(endOf({ exported })).toEqual(['skipped', board.doubt]);
  });

  it('goes by the words of the portal where it names it', () => {
    const entry = { itemId: board.itemId, reason: 'Not supported.' };
    expect(endOf({ plan: [], exported: { ...none, skipped: [entry] } })).toEqual([
      'skipped',
      'Not supported.',
    ]);
    expect(endOf({ plan: [], exported: { ...none, failed: [entry] } })).toEqual(['failed', 'Not supported.']);
  });

  it('counts it as what became of it where the package holds it', () => {
    const { itemId, type, title } = board;
    expect(
      endOf({
        plan: [{ itemId, type, title, action: 'create', packageIndex: 0 }],
        imported: [{ ...none, done: [{ itemId }] }],
        posted: 1,
      }),
    ).toEqual(['imported', undefined]);
  });

  it("keeps the portal's words where its import failed as a whole, but of what is there all the same", () => {
    const { itemId, type, title } = board;
    const importFailure = 'production ended the import job as "failed"; portal message: "No."';
    const end = (action: 'create' | 'overwrite', onTarget: [string, number][], modified?: number) =>
      endOf({
        plan: [{ itemId, type, title, action, packageIndex: 0, target: { modified } }],
        posted: 1,
        importFailure,
        onTarget: new Map(onTarget),
      });
    expect(end('create', [])).toEqual(['failed', importFailure]);
    expect(end('overwrite', [[itemId, 5]], 5)).toEqual(['failed', importFailure]);
    expect(end('overwrite', [[itemId, 6]], 5)).toEqual(['imported', undefined]);
    expect(end('create', [[itemId, 6]])).toEqual(['imported', undefined]);
  });

  it('is not imported after a reject, whether or not a plan lists it', () => {
    const plan = [map, board].map(({ itemId, type, title }) => ({
      itemId,
      type,
      title,
      action: 'create' as const,
      packageIndex: 0,
    }));
    const { notImported, unaccounted } = ledgerOf({
      requested: [map, board],
      plan,
      imported: [],
      posted: 0,
    });
    expect([notImported.length, unaccounted]).toEqual([2, []]);
  });

  it('is not imported if the run ended before anybody knew what the package holds', () => {
    const ended = ['notImported', 'the run ended before its import'];
    expect(endOf({})).toEqual(ended);
    expect(endOf({ exported: none })).toEqual(ended);
    expect(endOf({ exported: { ...none, done: [{ itemId: board.itemId }] } })).toEqual(ended);
  });
});
