import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RouteOptions } from '../../src/model/route';
import { afterPart, firstParts, isHopeless, optionsFor, type Part } from '../../src/workflows/hunt-parts';

const holds = ({ from, count }: Part, places: readonly number[]): boolean =>
  places.some((place) => place >= from && place < from + count);

/** Halves as a hunt does, with a portal that fails every part in which one of these places is. */
function search(count: number, poison: readonly number[], wholeFailed: boolean) {
  const found: number[] = [];
  const imported: number[] = [];
  let imports = 0;
  let pending = firstParts(count, undefined, wholeFailed);
  for (let part = pending.at(-1); part; part = pending.at(-1)) {
    imports += 1;
    const hasFailed = holds(part, poison);
    if (hasFailed && part.count === 1) found.push(part.from);
    if (!hasFailed) for (let at = 0; at < part.count; at++) imported.push(part.from + at);
    pending = afterPart(pending.slice(0, -1), part, hasFailed);
    if (isHopeless(pending, found.length, imported.length > 0)) break;
  }
  return { found, imported: imported.sort((a, b) => a - b), imports };
}

/** A number of items, and which of them are at fault: at least one. */
const cases = fc
  .integer({ min: 1, max: 300 })
  .chain((count) =>
    fc.tuple(
      fc.constant(count),
      fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 6 }),
    ),
  );

describe('the halving of a hunt', () => {
  it('finds exactly what is at fault and imports all else once, in at most 2k(log2 n + 1) imports', () => {
    fc.assert(
      fc.property(cases, ([count, poison]) => {
        const { found, imported, imports } = search(count, poison, true);
        expect(found).toEqual([...poison].sort((a, b) => a - b));
        expect(imported).toEqual(
          Array.from({ length: count }, (_, at) => at).filter((at) => !found.includes(at)),
        );
        expect(imports).toBeLessThanOrEqual(2 * poison.length * (Math.log2(count) + 1));
      }),
      { numRuns: 500 },
    );
  });

  it('takes one import where nothing is at fault, and one more where nobody has tried all of it', () => {
    expect(search(20, [], false)).toMatchObject({ found: [], imports: 1 });
    const known = search(20, [7], true);
    expect(search(20, [7], false)).toEqual({ ...known, imports: known.imports + 1 });
  });

  it('gives up where one item after the other fails and none arrives', () => {
    const all = Array.from({ length: 1024 }, (_, at) => at);
    const { found, imports } = search(1024, all, true);
    expect(found).toHaveLength(8);
    expect(imports).toBeLessThan(30);
    expect(search(9, all, true).found).toHaveLength(8);
    expect(search(8, all, true).found).toHaveLength(8);
  });

  it('limits a run to its part, whether the ids travel or lie in the store', () => {
    const options = { overwrite: true } as RouteOptions;
    const part = { from: 1, count: 2 };
    expect(optionsFor({ ...options, items: ['a', 'b', 'c', 'd'] }, part).items).toEqual(['b', 'c']);
    const itemList = { key: 'runs/x/items.json', from: 10, count: 4 };
    expect(optionsFor({ ...options, itemList }, part).itemList).toEqual({ ...itemList, from: 11, count: 2 });
  });
});
