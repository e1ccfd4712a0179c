import { describe, expect, it } from '@jest/globals';
import { categoryDifferences } from '../../../src/domain/portal-change/category-differences';
import { categoriesDocument } from '../../../src/domain/portal-change/categories';
import { parseCategories } from '../../../src/domain/portal-change/category-file';
import { type Category, countCategories, plainTrees } from '../../../src/model/portal-change/category-schema';

const problemsOf = (value: unknown) => parseCategories(value).problems;
const leaves = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ title: `leaf ${from + at}` }));
const chain = (levels: number): Category[] =>
  levels === 0 ? [] : [{ title: `level ${levels}`, categories: chain(levels - 1) }];

describe('what is to become a category schema', () => {
  it('is taken up to the published bounds, as an object or as its list', () => {
    const most = [
      ...chain(4),
      { title: 'x'.repeat(100), description: '水'.repeat(300) },
      { title: '🛤'.repeat(100), categories: leaves(194) },
    ];
    expect(countCategories(most)).toBe(200);
    expect(parseCategories({ categorySchema: most })).toEqual({ trees: plainTrees(most), problems: [] });
    expect(problemsOf(most)).toEqual([]);
    expect(problemsOf([])).toEqual([]);
  });

  it('is refused with every problem and its place beyond them', () => {
    const beyond = [
      { title: 'Deep', categories: chain(4) },
      { title: 'x'.repeat(101), description: 'y'.repeat(301), categories: leaves(200) },
      ...leaves(4),
    ];
    expect(problemsOf({ categorySchema: beyond })).toEqual([
      'categorySchema.0.categories.0.categories.0.categories.0.categories: is level 5 of its tree; the limit is 4',
      'categorySchema.1.title: has 101 characters; the limit is 100',
      'categorySchema.1.description: has 301 characters; the limit is 300',
      'categorySchema: has 6 trees; the limit is 5',
      'categorySchema: has 210 categories; the limit is 200',
    ]);
  });

  it('refuses missing, repeated and wrong fields, each with its place', () => {
    expect(
      problemsOf({
        version: 2,
        categorySchema: [
          { name: 'Roads' },
          { title: ' ' },
          { title: 2024, categories: 'none' },
          'Roads',
          { title: 'Étang', categories: [{ title: 'Étang' }] },
          { title: 'E\u0301tang ' },
        ],
      }),
    ).toEqual([
      'categorySchema.0.title: is missing',
      'categorySchema.0.name: unknown setting',
      'categorySchema.1.title: is missing',
      'categorySchema.2.title: must be text; put it in quotes',
      'categorySchema.2.categories: must be a list',
      'categorySchema.3: must be an object with a title',
      'categorySchema.5.title: "E\u0301tang " is already the title of sibling 4',
      'categorySchema: has 6 trees; the limit is 5',
      'version: unknown setting',
    ]);
    expect(problemsOf(null)).toEqual(['categorySchema: is missing']);
    expect(problemsOf('Roads')).toEqual(['categorySchema: must be a list']);
    expect(problemsOf({ categorySchema: {} })).toEqual(['categorySchema: must be a list']);
  });

  it('keeps the fields of the portal from which it was saved', () => {
    const saved = { categorySchema: [{ title: 'Roads', source: 'elsewhere' }] };
    expect(categoriesDocument.schema.parse(saved)).toEqual(saved);
  });
});

describe('what undoes a change of a category schema', () => {
  const [a, b, c] = [{ title: 'A' }, { title: 'B' }, { title: 'C' }];
  const undo = (now: Category[], replaced: Category[], written: Category[]) =>
    categoriesDocument.undo(
      { categorySchema: now },
      { replaced: { categorySchema: replaced }, written: { categorySchema: written } },
    );

  it('is what it replaced, also where the portal keeps an order of its own', () => {
    for (const now of [
      [a, c, b],
      [c, b, a],
    ])
      expect(undo(now, [a, b], [c, b, a])).toEqual({ wanted: { categorySchema: [a, b] }, warnings: [] });
  });

  it('is nothing where somebody has changed it since, order included', () => {
    const left = (now: Category[]) => ({
      wanted: { categorySchema: now },
      warnings: [expect.stringContaining('has changed since')],
    });
    expect(undo([c], [a, b], [c, b, a])).toEqual(left([c]));
    expect(undo([b, c, a], [a, b, c], [c, b, a])).toEqual(left([b, c, a]));
    expect(undo([c, b, a], [a, b, c], [c, b, a]).warnings).toEqual([]);
  });
});

describe('two category schemas', () => {
  it('are the same whether what is empty is left out or not', () => {
    const [full, plain] = [[{ title: 'Roads', description: '', categories: [] }], [{ title: 'Roads' }]];
    expect(categoryDifferences(full, plain)).toEqual([]);
    const fingerprint = (trees: Category[]) => categoriesDocument.fingerprint({ categorySchema: trees });
    expect(fingerprint(full)).toBe(fingerprint(plain));
    expect(fingerprint(full)).not.toBe(fingerprint([]));
    expect(plainTrees(full)).toEqual(plain);
  });

  it('differ in categories, which stand for all below them, descriptions and order', () => {
    const before = [
      { title: 'A', categories: [{ title: 'gone', categories: leaves(3) }, { title: 'stays' }] },
      { title: 'B' },
    ];
    const after = [
      { title: 'B', description: 'new' },
      { title: 'A', categories: [{ title: 'stays' }, { title: 'a/b "c"' }] },
    ];
    expect(categoryDifferences(before, after)).toEqual([
      { kind: 'order', path: '/* (order)', before: ['A', 'B'], after: ['B', 'A'] },
      { kind: 'description', path: '/B (description)', before: undefined, after: 'new' },
      { kind: 'category', path: '/A/gone', before: 'category with 3 below' },
      { kind: 'category', path: '/A/"a/b \\"c\\""', after: 'category' },
    ]);
    expect(categoryDifferences([], after).map(({ path }) => path)).toEqual(['/B', '/A']);
  });

  it('differ by look-alike letters, and by a title that a portal has twice', () => {
    expect(categoryDifferences([{ title: 'é' }], [{ title: 'e\u0301' }])).toHaveLength(2);
    expect(categoryDifferences([{ title: 'A' }, { title: 'A' }], [{ title: 'A' }])).toEqual([
      { kind: 'category', path: '/A', before: 'category' },
    ]);
  });
});
