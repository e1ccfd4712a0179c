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
const named = (from: number, pairs: [number, number][]): [string, string[]] => [
  `i${from}`,
  pairs.filter(([one]) => one === from).map(([, other]) => `i${other}`),
];

type Drawn = typeof group extends fc.Arbitrary<infer T> ? T : never;

const weight = ({ items }: Drawn, ids: readonly string[]) =>
  items.reduce((sum, { itemId, bytes }) => (ids.includes(itemId) ? sum + bytes : sum), 0);

/** All that an item leads to, itself only where it lies on a circle. */
function reached({ items, references }: Drawn, from: string) {
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
function component(drawn: Drawn, itemId: string) {
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

const isCut = (drawn: Drawn, itemId: string) => weight(drawn, component(drawn, itemId)) > limit;

/** Items that refer to each other in a circle and are too large together. */
const isTornCircle = (drawn: Drawn, one: string, other: string) => {
  const circle = drawn.items.flatMap(({ itemId }) =>
    itemId === one || (reached(drawn, one).has(itemId) && reached(drawn, itemId).has(one)) ? [itemId] : [],
  );
  return circle.includes(other) && weight(drawn, circle) > limit;
};

const partOf = (parts: readonly (readonly string[])[], itemId: string) =>
  parts.findIndex((ids) => ids.includes(itemId));

/** That a property holds of any group and its packages. */
const always = (property: (drawn: Drawn, parts: readonly (readonly string[])[]) => void) =>
  fc.assert(fc.property(group, (drawn) => property(drawn, partition(drawn.items, drawn.references, limit))));
const idsOf = ({ items }: Drawn) => items.map(({ itemId }) => itemId);

describe('the packages of a group', () => {
  it('hold every item once in order, and none is empty or over the limit', () => {
    always((drawn, parts) => {
      expect(parts.flat().sort()).toEqual(idsOf(drawn).sort());
      for (const ids of parts) {
        expect(ids.length).toBeGreaterThan(0);
        expect(weight(drawn, ids)).toBeLessThanOrEqual(limit);
        expect(ids).toEqual(idsOf(drawn).filter((itemId) => ids.includes(itemId)));
      }
    });
  });

  it('hold no item before its references, unless these form a circle that is too large', () => {
    always((drawn, parts) => {
      for (const itemId of idsOf(drawn)) {
        const others = [...reached(drawn, itemId)].filter((id) => drawn.references.get(itemId)?.includes(id));
        for (const other of others)
          if (!isTornCircle(drawn, itemId, other))
            expect(partOf(parts, other)).toBeLessThanOrEqual(partOf(parts, itemId));
      }
    });
  });

  it('keep dependent items that fit together, and are as few as first-fit makes', () => {
    always((drawn, parts) => {
      const whole = idsOf(drawn).filter((itemId) => !isCut(drawn, itemId));
      for (const itemId of whole) {
        const own = component(drawn, itemId);
        const at = partOf(parts, itemId);
        for (const other of own) expect(partOf(parts, other)).toBe(at);
        const bytes = weight(drawn, own);
        for (const earlier of bytes > 0 ? parts.slice(0, at) : [])
          expect(weight(drawn, earlier) + bytes).toBeGreaterThan(limit);
      }
      if (whole.length < drawn.items.length) return;
      expect(parts.filter((ids) => weight(drawn, ids) * 2 <= limit).length).toBeLessThanOrEqual(1);
    });
  });

  it('are the same, in whatever order the items are named', () => {
    const sorted = (parts: readonly (readonly string[])[]) => parts.map((ids) => [...ids].sort());
    const mixed = group.chain((drawn) =>
      fc.record({
        drawn: fc.constant(drawn),
        items: fc.shuffledSubarray(drawn.items, { minLength: drawn.items.length }),
      }),
    );
    fc.assert(
      fc.property(mixed, ({ drawn, items }) => {
        expect(sorted(partition(items, drawn.references, limit))).toEqual(
          sorted(partition(drawn.items, drawn.references, limit)),
        );
      }),
    );
  });

  it.each([
    ['nothing', {}, []],
    [
      'what fits into two',
      { small: 3, large: 7, other: 7, tiny: 3 },
      [
        ['small', 'large'],
        ['other', 'tiny'],
      ],
    ],
    ['unknown weights with most room', { full: 10, service: 0, half: 5 }, [['full'], ['service', 'half']]],
    ['an item over the limit', { huge: 11, map: 1 }, [['huge'], ['map']]],
  ])('hold %s', (_, weights, parts) => {
    const items = Object.entries(weights).map(([itemId, bytes]) => ({ itemId, bytes }));
    expect(partition(items, new Map(), 10)).toEqual(parts);
  });

  it('are found for a chain of ten thousand items as well', () => {
    const items = Array.from({ length: 10_000 }, (_, at): Weighted => ({ itemId: `i${at}`, bytes: 1 }));
    const chain = new Map(items.map(({ itemId }, at) => [itemId, [`i${at + 1}`]]));
    const parts = partition(items, chain, 4_000);
    expect(parts.map((ids) => ids.length)).toEqual([4_000, 4_000, 2_000]);
    expect(parts[0]?.[0]).toBe('i6000');
  });
});

describe('a package that the portal found too large', () => {
  it('comes in two that hold every item once, dependencies first, neither empty', () => {
    fc.assert(
      fc.property(group, (drawn) => {
        const halves = halve(drawn.items, drawn.references);
        expect(halves.flat().sort()).toEqual(idsOf(drawn).sort());
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
