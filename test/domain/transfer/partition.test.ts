import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { halve, partition, type Weighted } from '../../../src/domain/transfer/packing';

const limit = 10;

/** Twelve items at most, of weights up to the limit; references at random, circles, strangers and items themselves among them. */
const group = fc.integer({ min: 2, max: 12 }).chain((count) => {
  const at = fc.integer({ min: 0, max: count });
  return fc.record({
    items: fc
      .array(fc.oneof({ arbitrary: fc.nat(limit), weight: 4 }, fc.constant(0)), {
        minLength: count,
        maxLength: count,
      })
      .map((weights) => weights.map((bytes, index): Weighted => ({ itemId: `i${index}`, bytes }))),
    references: fc
      .array(fc.tuple(at, at), { maxLength: count * 2 })
      .map((pairs) => new Map(Array.from({ length: count }, (_, from) => named(from, pairs)))),
  });
});
const named = (from: number, pairs: readonly [number, number][]): [string, string[]] => [
  `i${from}`,
  pairs.filter(([one]) => one === from).map(([, other]) => `i${other}`),
];

type Drawn = typeof group extends fc.Arbitrary<infer T> ? T : never;

const weight = ({ items }: Drawn, ids: readonly string[]): number =>
  items.reduce((sum, { itemId, bytes }) => (ids.includes(itemId) ? sum + bytes : sum), 0);

/** All that an item leads to, itself only where it lies on a circle. */
function reached({ items, references }: Drawn, from: string): Set<string> {
  const found = new Set<string>();
  const toFollow = [from];
  for (let next = toFollow.pop(); next !== undefined; next = toFollow.pop()) {
    for (const other of references.get(next) ?? []) {
      if (found.has(other) || !items.some(({ itemId }) => itemId === other)) continue;
      found.add(other);
      toFollow.push(other);
    }
  }
  return found;
}

/** The items that hang together with one, by references of either direction. */
function component(drawn: Drawn, itemId: string): string[] {
  const found = new Set([itemId]);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const [from, others] of drawn.references) {
      for (const other of others.filter((id) => drawn.items.some((item) => item.itemId === id))) {
        if (found.has(from) || found.has(other)) found.add(from).add(other);
      }
    }
  }
  return [...found];
}

const isCut = (drawn: Drawn, itemId: string): boolean => weight(drawn, component(drawn, itemId)) > limit;

/** Items that refer to each other in a circle and are too large together. */
const isTornCircle = (drawn: Drawn, one: string, other: string): boolean => {
  const circle = drawn.items.flatMap(({ itemId }) =>
    itemId === one || (reached(drawn, one).has(itemId) && reached(drawn, itemId).has(one)) ? [itemId] : [],
  );
  return circle.includes(other) && weight(drawn, circle) > limit;
};

const partOf = (parts: readonly (readonly string[])[], itemId: string): number =>
  parts.findIndex((ids) => ids.includes(itemId));

describe('The packages of a group', () => {
  it('hold every item once, in the order of the listing, and none is empty or over the limit', () => {
    fc.assert(
      fc.property(group, (drawn) => {
        const parts = partition(drawn.items, drawn.references, limit);
        expect(parts.flat().sort()).toEqual(drawn.items.map(({ itemId }) => itemId).sort());
        for (const ids of parts) {
          expect(ids.length).toBeGreaterThan(0);
          expect(weight(drawn, ids)).toBeLessThanOrEqual(limit);
          expect(ids).toEqual(drawn.items.flatMap(({ itemId }) => (ids.includes(itemId) ? [itemId] : [])));
        }
      }),
    );
  });

  it('bring what an item refers to in the same package or an earlier one, but for circles that are too large', () => {
    fc.assert(
      fc.property(group, (drawn) => {
        const parts = partition(drawn.items, drawn.references, limit);
        for (const { itemId } of drawn.items) {
          for (const other of reached(drawn, itemId)) {
            const stays = drawn.references.get(itemId)?.includes(other) ?? false;
            if (!stays || isTornCircle(drawn, itemId, other)) continue;
            expect(partOf(parts, other)).toBeLessThanOrEqual(partOf(parts, itemId));
          }
        }
      }),
    );
  });

  it('keep together what depends on each other, where it fits into one', () => {
    fc.assert(
      fc.property(group, (drawn) => {
        const parts = partition(drawn.items, drawn.references, limit);
        for (const { itemId } of drawn.items.filter((item) => !isCut(drawn, item.itemId))) {
          for (const other of component(drawn, itemId))
            expect(partOf(parts, other)).toBe(partOf(parts, itemId));
        }
      }),
    );
  });

  it('are as few as first-fit makes: what is whole has no room in an earlier one, and no two are half empty', () => {
    fc.assert(
      fc.property(group, (drawn) => {
        const parts = partition(drawn.items, drawn.references, limit);
        const whole = drawn.items.filter(({ itemId }) => !isCut(drawn, itemId));
        for (const { itemId } of whole) {
          const own = component(drawn, itemId);
          const bytes = weight(drawn, own);
          if (bytes === 0) continue;
          for (const earlier of parts.slice(0, partOf(parts, itemId)))
            expect(weight(drawn, earlier) + bytes).toBeGreaterThan(limit);
        }
        if (whole.length < drawn.items.length) return;
        expect(parts.filter((ids) => weight(drawn, ids) * 2 <= limit).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('are the same, in whatever order the items are named', () => {
    fc.assert(
      fc.property(group, fc.infiniteStream(fc.nat()), (drawn, keys) => {
        const mixed = drawn.items
          .map((item) => ({ item, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
        const sorted = (parts: readonly (readonly string[])[]): string[][] =>
          parts.map((ids) => [...ids].sort());
        expect(sorted(partition(mixed, drawn.references, limit))).toEqual(
          sorted(partition(drawn.items, drawn.references, limit)),
        );
      }),
    );
  });

  it('are those that one would make by hand', () => {
    const items = (weights: Record<string, number>): Weighted[] =>
      Object.entries(weights).map(([itemId, bytes]) => ({ itemId, bytes }));
    const references = (named: Record<string, string[]>): Map<string, string[]> =>
      new Map(Object.entries(named));
    const none = references({});
    expect(partition([], none, 10)).toEqual([]);
    expect(partition(items({ a: 4, b: 6 }), none, 10)).toEqual([['a', 'b']]);
    expect(partition(items({ small: 3, large: 7, other: 7, tiny: 3 }), none, 10)).toEqual([
      ['small', 'large'],
      ['other', 'tiny'],
    ]);
    // A map stays with its layer where both fit, and comes after it where they do not.
    const map = references({ map: ['layer'] });
    expect(partition(items({ map: 1, file: 9, layer: 5 }), map, 10)).toEqual([['file'], ['map', 'layer']]);
    expect(partition(items({ map: 1, layer: 10 }), map, 10)).toEqual([['layer'], ['map']]);
    // Two services of unknown weight lie where there is most room.
    expect(partition(items({ full: 10, service: 0, half: 5 }), none, 10)).toEqual([
      ['full'],
      ['service', 'half'],
    ]);
    // One item over the limit lies alone.
    expect(partition(items({ huge: 11, map: 1 }), none, 10)).toEqual([['huge'], ['map']]);
  });

  it('are found for a chain of ten thousand items as well', () => {
    const items = Array.from({ length: 10_000 }, (_, at): Weighted => ({ itemId: `i${at}`, bytes: 1 }));
    const chain = new Map(items.map(({ itemId }, at) => [itemId, [`i${at + 1}`]]));
    const parts = partition(items, chain, 4_000);
    expect(parts.map((ids) => ids.length)).toEqual([4_000, 4_000, 2_000]);
    expect(parts[0]?.[0]).toBe('i6000');
  });
});

describe('A package that the portal found too large', () => {
  it('comes in two that hold every item once, dependencies first, of which neither is empty', () => {
    fc.assert(
      fc.property(group, (drawn) => {
        const halves = halve(drawn.items, drawn.references);
        expect(halves.flat().sort()).toEqual(drawn.items.map(({ itemId }) => itemId).sort());
        expect(halves.every((ids) => ids.length > 0)).toBe(true);
        const [first] = halves;
        for (const itemId of first) {
          const named = drawn.references.get(itemId) ?? [];
          for (const other of named.filter((id) => drawn.items.some((item) => item.itemId === id))) {
            if (!reached(drawn, other).has(itemId)) expect(first).toContain(other);
          }
        }
      }),
    );
  });

  it('is cut in halves of about the same weight', () => {
    fc.assert(
      fc.property(group, (drawn) => {
        const known = drawn.items.filter(({ bytes }) => bytes > 0);
        fc.pre(known.length === drawn.items.length);
        const [first, second] = halve(drawn.items, new Map());
        const [one, other] = [weight(drawn, first), weight(drawn, second)];
        if (one > other) expect(first).toHaveLength(1);
        else {
          const lightest = Math.min(...second.map((itemId) => weight(drawn, [itemId])));
          // None of the second would have fitted into what the first lacks of a half.
          expect((other - one) / 2).toBeLessThan(lightest);
        }
      }),
    );
  });
});
