import { describe, expect, it } from '@jest/globals';
import {
  type BothSides,
  outcomesAfter,
  recordMark,
  sourceMark,
  untouched,
} from '../../../src/domain/transfer/outcomes';
import { emptyLedger } from '../../../src/model/transfer/ledger';
import type { Finding, Outcomes } from '../../../src/model/transfer/verification';
import type { Item } from '../../../src/portal/resources/items/item';
import { aRequested } from './facts';

const item = (itemId: string) => aRequested(itemId, { type: 'CSV', modified: 5, mark: itemId });
const held = (id: string, more: Partial<Item> = {}): Item => ({ id, modified: 7, access: 'org', ...more });
const byId = (...items: Item[]) => new Map(items.map((each) => [each.id, each]));
const [a, b, c] = [item('a'), item('b'), item('c')];
const [A, B] = [held('a'), held('b')];

describe('the outcome of an item', () => {
  const before: Outcomes = {
    a: { runId: 'earlier', imported: { source: 1, target: 2 } },
    b: { runId: 'earlier', skipped: { type: 'CSV' } },
    gone: { runId: 'earlier', imported: { source: 1, target: 2 } },
  };
  const imported = { runId: 'now', imported: { source: 5, target: 7 } };
  const reason = 'not supported';

  it.each([
    ['is that of its last import', { imported: [a, b] }, { a: imported, b: imported }, b],
    [
      'stays if a run left the item, and goes with the item',
      { kept: [a], failed: [b] },
      { a: before['a']!, b: before['b']! },
      b,
    ],
    [
      'is a skip by the portal, and none by the type',
      { skipped: [{ ...a, reason }, b] },
      { a: { runId: 'now', skipped: { type: 'CSV', reason } }, b: before['b']! },
      { ...b, skip: 'a view' },
    ],
  ])('%s', (_, lists, outcomes, second) => {
    const requested = [a, second];
    const ledger = { ...emptyLedger(), ...lists };
    const inSource = new Set(['a', 'b', 'c']);
    expect(
      outcomesAfter(before, { runId: 'now', requested, ledger, onTarget: byId(A, B), inSource }),
    ).toEqual(outcomes);
  });
});

describe('an unchanged item', () => {
  const finding: Finding = { itemId: 'a', kind: 'broken-reference', hint: 'Share it.' };
  const noLayers = new Map<string, undefined>();
  /** The outcomes of a run that imported both, and found something wrong with `a`. */
  const after = (findings?: ReadonlyMap<string, Finding[]>) =>
    outcomesAfter(
      {},
      {
        runId: 'earlier',
        requested: [a, b],
        ledger: { ...emptyLedger(), imported: [{ itemId: 'a' }, { itemId: 'b' }] },
        onTarget: byId(A, B),
        inSource: new Set(['a', 'b']),
        settling: {
          terms: 'terms',
          source: { a: sourceMark(a, noLayers) ?? '', b: sourceMark(b, noLayers) ?? '' },
          seen: { a: { record: recordMark(A) ?? '' }, b: { record: recordMark(B) ?? '' } },
          findings,
        },
      },
    );
  const known = after(new Map([['a', [finding]]]));
  const both = { a: true, b: false };
  const onlyB = { b: false };

  it.each([
    ['stays with its finding', [a, b], [A, B], both, known],
    ['goes with its finding if the source changes it', [{ ...a, mark: 'x' }, b], [A, B], onlyB, known],
    ['goes with its finding if the target changes it', [a, b], [held('a', { modified: 6 }), B], onlyB, known],
    [
      'goes with its finding if its sharing changes',
      [a, b],
      [held('a', { access: 'public' }), B],
      onlyB,
      known,
    ],
    ['goes with its finding if it is protected', [a, b], [held('a', { protected: true }), B], onlyB, known],
    ['goes with its finding if another is new on the target', [a, b, c], [A, B], onlyB, known],
    ['stays with its finding if another is replaced', [a, b, c], [A, B, held('c')], both, known],
    [
      'stays without a finding though its sharing changes',
      [a, b],
      [A, held('b', { access: 'public' })],
      both,
      known,
    ],
    ['goes if there were too many findings', [a, b], [A, B], {}, after()],
  ])('%s', (_, requested, onTarget, same, outcomes) => {
    const sides: BothSides = {
      requested,
      known: outcomes,
      terms: 'terms',
      sourceLayers: noLayers,
      targetLayers: noLayers,
      onTarget: byId(...onTarget),
    };
    const found = [...untouched(sides).same].map(([id, { hasFindings }]) => [id, hasFindings === true]);
    expect(Object.fromEntries(found)).toEqual(same);
  });

  it('keeps its findings', () => {
    expect(known['a']?.settled?.findings).toEqual([finding]);
  });
});
