import { describe, expect, it } from '@jest/globals';
import {
  outcomesAfter,
  sourceMark,
  untouched,
  type BothSides,
  recordMark,
} from '../../../src/domain/transfer/outcomes';
import { emptyLedger } from '../../../src/model/transfer/ledger';
import type { Outcomes, Finding } from '../../../src/model/transfer/verification';
import type { RequestedItem } from '../../../src/model/transfer/requested';
import type { Item } from '../../../src/portal/resources/items/item';

const itemOf = (itemId: string): RequestedItem => ({
  itemId,
  type: 'Web Map',
  title: itemId,
  mark: itemId,
  packageIndex: 0,
});
const held = (id: string, more: Partial<Item> = {}): Item => ({ id, modified: 5, access: 'org', ...more });
const finding: Finding = { itemId: 'a', kind: 'broken-reference', hint: 'Share it.' };
const [a, b] = [itemOf('a'), itemOf('b')];
const noLayers = new Map<string, undefined>();

/** What a run notes that has brought `a` and `b`, and found something wrong with `a`. */
const after = (findings: ReadonlyMap<string, readonly Finding[]> | undefined): Outcomes =>
  outcomesAfter(
    {},
    {
      runId: 'earlier',
      requested: [a, b],
      ledger: { ...emptyLedger(), imported: [{ itemId: 'a' }, { itemId: 'b' }] },
      onTarget: new Map([held('a'), held('b')].map((item) => [item.id, item])),
      inSource: new Set(['a', 'b']),
      settling: {
        terms: 'terms',
        source: { a: sourceMark(a, noLayers) ?? '', b: sourceMark(b, noLayers) ?? '' },
        seen: { a: { record: recordMark(held('a')) ?? '' }, b: { record: recordMark(held('b')) ?? '' } },
        findings,
      },
    },
  );
const known = after(new Map([['a', [finding]]]));

/** Items that stay, and whether each keeps a finding. */
const same = (
  requested: readonly RequestedItem[] = [a, b],
  onTarget: readonly Item[] = [held('a'), held('b')],
  noted = known,
): Record<string, boolean> => {
  const sides: BothSides = {
    requested,
    known: noted,
    terms: 'terms',
    sourceLayers: noLayers,
    targetLayers: noLayers,
    onTarget: new Map(onTarget.map((item) => [item.id, item])),
  };
  return Object.fromEntries(
    [...untouched(sides).same].map(([id, { hasFindings }]) => [id, hasFindings === true]),
  );
};

describe('an item with a known finding', () => {
  it('stays as long as nobody touches it, and keeps its finding', () => {
    expect(known['a']?.settled?.findings).toEqual([finding]);
    expect(same()).toEqual({ a: true, b: false });
  });

  it.each<[string, RequestedItem[], Item[]]>([
    ['the source changes it', [{ ...a, mark: 'x' }, b], [held('a'), held('b')]],
    ['the target changes it', [a, b], [held('a', { modified: 6 }), held('b')]],
    ['its access on the target changes', [a, b], [held('a', { access: 'public' }), held('b')]],
    ['its protection on the target changes', [a, b], [held('a', { protected: true }), held('b')]],
    ['an item is new on the target', [a, b, itemOf('c')], [held('a'), held('b')]],
  ])('goes again if %s', (_, requested, onTarget) => {
    expect(same(requested, onTarget)).toEqual({ b: false });
  });

  it('stays if an item goes that the target has', () => {
    expect(same([a, b, itemOf('c')], [held('a'), held('b'), held('c')])).toEqual({ a: true, b: false });
  });
});

describe('an item without a finding', () => {
  it('stays though its access changes, since an import leaves that as it is', () => {
    expect(same([a, b], [held('a'), held('b', { access: 'public' })])).toEqual({ a: true, b: false });
  });

  it('goes again if there were too many findings to know that it has none', () => {
    expect(same([a, b], [held('a'), held('b')], after(undefined))).toEqual({});
  });
});
