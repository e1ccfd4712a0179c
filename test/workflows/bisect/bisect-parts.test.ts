import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type BisectInput, syncOfPart } from '../../../src/model/run/run-input';
import type { RouteOptions } from '../../../src/model/transfer/route';
import { afterPart, firstParts, isHopeless, type Part } from '../../../src/workflows/bisect';

const holds = ({ from, count }: Part, places: readonly number[]) =>
  places.some((place) => place >= from && place < from + count);

/** Bisects with a portal that fails every part with one of these places. */
function search(count: number, failing: readonly number[], wholeFailed: boolean) {
  const found: number[] = [];
  const imported: number[] = [];
  let imports = 0;
  let pending = firstParts(count, undefined, wholeFailed);
  for (let part = pending.at(-1); part; part = pending.at(-1)) {
    imports += 1;
    const hasFailed = holds(part, failing);
    if (hasFailed && part.count === 1) found.push(part.from);
    if (!hasFailed) for (let at = 0; at < part.count; at++) imported.push(part.from + at);
    pending = afterPart(pending.slice(0, -1), part, hasFailed);
    if (isHopeless(pending, found.length, imported.length > 0)) break;
  }
  return { found, imported: imported.sort((a, b) => a - b), imports };
}

const bound = (count: number, failing: number) => 2 * failing * (Math.log2(count) + 1);

const worstKnown = new Map<string, number>();

/**
 * The most imports that a bisect needs if so many of these items fail, wherever they are. Counted by its own steps:
 * what it tries first, and what it concludes from that.
 */
function worstOf(count: number, failing: number) {
  if (count === 1) return 0;
  const key = `${count} ${failing}`;
  const known = worstKnown.get(key);
  if (known !== undefined) return known;
  const [second, first] = afterPart([], { from: 0, count }, true) as [Part, Part];
  let worst = 0;
  for (
    let inFirst = Math.max(0, failing - second.count);
    inFirst <= Math.min(first.count, failing);
    inFirst++
  ) {
    const inSecond = failing - inFirst;
    const ofSecond = inSecond > 0 ? worstOf(second.count, inSecond) : 0;
    const isConcluded = inFirst === 0 && afterPart([second], first, false)[0] !== second;
    const triesSecond = isConcluded ? 0 : 1;
    worst = Math.max(worst, 1 + (inFirst > 0 ? worstOf(first.count, inFirst) : 0) + triesSecond + ofSecond);
  }
  worstKnown.set(key, worst);
  return worst;
}

/** A number of items, and the failing ones: at least one. */
const cases = fc
  .integer({ min: 1, max: 300 })
  .chain((count) =>
    fc.tuple(
      fc.constant(count),
      fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 6 }),
    ),
  );

describe('halving', () => {
  it('finds failing items in at most 2k(log2 n + 1) imports; others come once', () => {
    fc.assert(
      fc.property(cases, fc.boolean(), ([count, failing], wholeFailed) => {
        const { found, imported, imports } = search(count, failing, wholeFailed);
        expect(found).toEqual([...failing].sort((a, b) => a - b));
        expect(imported).toEqual(
          Array.from({ length: count }, (_, at) => at).filter((at) => !found.includes(at)),
        );
        expect(imports).toBeLessThanOrEqual(bound(count, failing.length));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the bound for up to 6 failing of up to 300 items, wherever they are', () => {
    const over: string[] = [];
    for (let count = 1; count <= 300; count++) {
      for (let failing = 1; failing <= Math.min(6, count); failing++) {
        // The whole was not tried before, so it is tried first.
        const worst = 1 + worstOf(count, failing);
        if (worst > bound(count, failing)) over.push(`${failing} of ${count}: ${worst}`);
      }
      const places = Array.from({ length: count }, (_, at) => search(count, [at], false).imports);
      expect(Math.max(...places)).toBe(1 + worstOf(count, 1));
    }
    expect(over).toEqual([]);
  });

  it('takes one import if no item fails, and one more if all were not tried before', () => {
    expect(search(20, [], false)).toMatchObject({ found: [], imports: 1 });
    const known = search(20, [7], true);
    expect(search(20, [7], false)).toEqual({ ...known, imports: known.imports + 1 });
  });

  it('tries the smaller half first', () => {
    const counts = (parts: readonly Part[]) => parts.map(({ count }) => count);
    expect(counts(firstParts(5, undefined, true))).toEqual([3, 2]);
  });

  it('gives up if one item after the other fails and none is imported', () => {
    const all = Array.from({ length: 1024 }, (_, at) => at);
    const { found, imports } = search(1024, all, true);
    expect(found).toHaveLength(8);
    expect(imports).toBeLessThan(30);
    expect(search(9, all, true).found).toHaveLength(8);
    expect(search(8, all, true).found).toHaveLength(8);
  });

  it('limits a child run to its items, given as IDs or as a list in the store', () => {
    const optionsOf = (some: Partial<RouteOptions>) => {
      const route = { name: 'roads', options: { overwrite: true, ...some } };
      const search = { runId: 'bisect-roads-k7q2', startedBy: 'ann', route } as unknown as BisectInput;
      return syncOfPart(search, { number: 1, from: 1, count: 2 }).route.options;
    };
    expect(optionsOf({ items: ['a', 'b', 'c', 'd'] })).toMatchObject({ overwrite: true, items: ['b', 'c'] });
    const itemList = { key: 'runs/x/items.json', from: 10, count: 4 };
    expect(optionsOf({ itemList }).itemList).toEqual({ ...itemList, from: 11, count: 2 });
  });
});
