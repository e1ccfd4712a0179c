import { describe, expect, it } from '@jest/globals';
import { categoriesDocument } from '../../../src/domain/portal-change/categories';
import { listedChanges } from '../../../src/domain/portal-change/portal-document';

describe('a category schema that was written', () => {
  const schema = (...titles: string[]) => ({ categorySchema: titles.map((title) => ({ title })) });
  const lacking = (now: string[], replaced: string[]) =>
    categoriesDocument
      .notTaken(schema(...now), schema('A', 'B'), schema(...replaced))
      .map(({ path }) => path);
  it('may be kept in another order, unless nothing but the order was to change', () => {
    expect(lacking(['B', 'A'], ['A'])).toEqual([]);
    expect(lacking(['B', 'A'], ['B', 'A'])).toEqual(['/* (order)']);
    expect(lacking(['B'], ['B'])).toEqual(['/A']);
  });
});

it('lists the first 30 changes, with long values cut', () => {
  const changes = Array.from({ length: 31 }, (_, at) => ({ path: `p${at}`, after: 'x'.repeat(300) }));
  const listed = listedChanges(changes);
  expect(listed).toHaveLength(30);
  expect(listed[0]).toEqual({ path: 'p0', before: undefined, after: `${'x'.repeat(200)}… (300 characters)` });
});
