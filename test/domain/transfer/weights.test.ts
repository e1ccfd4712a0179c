import { describe, expect, it } from '@jest/globals';
import {
  bytesOf,
  goesSurely,
  mayGo,
  shownBy,
  shownByPlan,
  shownByRefusal,
  shownBySnapshot,
  weightOf,
  withRemembered,
} from '../../../src/domain/transfer/packing';
import type { RequestedItem } from '../../../src/model/transfer/requested';
import { aRequested as item } from './facts';

const service = (itemId: string, bytes?: number) =>
  item(itemId, { type: 'Feature Service', size: -1, bytes });

describe('the weight of an item', () => {
  it('is the larger of its record and of earlier packages', () => {
    expect(weightOf(item('a', { size: 0 }))).toBe(0);
    expect(weightOf(item('a', { size: 5 }))).toBe(5);
    expect(weightOf(item('a', { size: 5, bytes: 7 }))).toBe(7);
    expect(weightOf(item('a', { size: 5, bytes: 3 }))).toBe(5);
    expect([item('a'), item('a', { size: -1 }), service('s')].map(weightOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(weightOf(service('s', 7))).toBe(7);
  });

  it('counts for exported items', () => {
    const group = [
      item('a', { size: 1 }),
      item('b', { size: 10, doubt: 'unlisted' }),
      item('c', { size: 100, skip: 'a view' }),
      item('d', { size: 1000, same: { runId: 'sync-1', as: 'imported' } }),
      service('s'),
    ];
    expect(bytesOf(mayGo(group))).toBe(11);
    expect(bytesOf(goesSurely(group))).toBe(1);
  });

  it('is remembered from earlier packages, unless it was too large for a full sync', () => {
    const known = { s: { runId: 'sync-1', bytes: 7 }, t: { runId: 'sync-1', bytes: 11 } };
    const limits = { packageBytes: 10 };
    const weights = (full?: boolean) =>
      withRemembered([service('s'), service('t'), service('u')], known, { full, limits }).map(weightOf);
    expect(weights()).toEqual([7, 11, undefined]);
    expect(weights(true)).toEqual([7, undefined, undefined]);
  });

  it('is an equal share of the rest of its package', () => {
    const packed = [item('a', { size: 4 }), service('s'), service('t')];
    expect([...shownBy(packed, 11)]).toEqual([
      ['s', 4],
      ['t', 4],
    ]);
    expect([...shownBy(packed, 3)]).toEqual([
      ['s', 0],
      ['t', 0],
    ]);
    expect([...shownBy([item('a', { size: 4 })], 11)]).toEqual([]);
    // What was seen before says how they stand to each other.
    expect([...shownBy([service('s', 10), service('t', 30), service('u')], 60)]).toEqual([
      ['s', 10],
      ['t', 30],
      ['u', 20],
    ]);
  });

  it('is shown by the packages of a snapshot', () => {
    const row = (itemId: string, at: number) => ({
      itemId,
      type: 'Feature Service',
      title: itemId,
      saved: 'package' as const,
      package: at,
    });
    const [first, second] = [12, 5].map((sizeBytes) => ({ key: `${sizeBytes}`, sizeBytes, sha256: 's' }));
    const shown = shownBySnapshot(
      { package: first, more: second && [second] },
      [row('s', 0), row('t', 0), row('u', 1), row('lies', 1)],
      [service('s'), service('t'), service('u')],
    );
    expect(Object.fromEntries(shown)).toEqual({ s: 6, t: 6, u: 5 });
  });

  it('is shown by the preview of a plan for services', () => {
    const row = { type: 'Feature Service', title: 'Roads', hosted: true };
    const shown = shownByPlan([
      { ...row, itemId: 's', size: 7, action: 'create' },
      { ...row, itemId: 't', size: -1, action: 'overwrite' },
      { ...row, itemId: 'u', action: 'keep' },
      { ...row, itemId: 'v', size: 7, action: 'extra' },
      { ...row, itemId: 'w', size: 7, action: 'same' },
      { ...row, itemId: 'x', size: 7, action: 'create', hosted: undefined },
    ]);
    expect(Object.fromEntries(shown)).toEqual({ s: 7 });
  });
});

describe('a refused package', () => {
  it('shows that its items exceed the limit, unknown weights first', () => {
    const after = (items: RequestedItem[]) => {
      const shown = shownByRefusal(items, 10);
      return bytesOf(items.map((each) => ({ ...each, bytes: shown.get(each.itemId) ?? each.bytes })));
    };
    expect([...shownByRefusal([item('a', { size: 4 }), service('s'), service('t', 1)], 10)]).toEqual([
      ['s', 6],
    ]);
    for (const items of [
      [item('a', { size: 4 }), service('s'), service('t')],
      [item('a', { size: 4 }), item('b', { size: 3 })],
      [service('s')],
      [item('a', { size: 0 }), item('b', { size: 0 })],
    ])
      expect(after(items)).toBeGreaterThan(10);
  });

  it('shows nothing new if that was known', () => {
    expect(shownByRefusal([item('a', { size: 11 }), service('s')], 10).size).toBe(0);
  });
});
