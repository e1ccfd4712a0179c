import { type Category, countCategories } from '../../../model/portal-change/category-schema';
import type { FieldChange } from '../../../model/run/run';

/** What differs between two schemas at one path: categories, a description, or the order of siblings. */
export interface CategoryDifference extends FieldChange {
  readonly kind: 'category' | 'description' | 'order';
}

/**
 * What would have to change for one schema to become the other, parents before children. A category that only one
 * of them has stands for all below it. Titles are compared as they are: items name them letter by letter.
 */
export function categoryDifferences(
  before: readonly Category[],
  after: readonly Category[],
  parent = '',
): CategoryDifference[] {
  const [old, now] = [byTitle(before), byTitle(after)];
  const inBoth = [...now.keys()].filter((key) => old.has(key));
  const wasInOrder = [...old.keys()].filter((key) => now.has(key));
  const order: CategoryDifference[] = inBoth.every((key, at) => key === wasInOrder[at])
    ? []
    : [
        {
          kind: 'order',
          path: `${parent}/* (order)`,
          before: before.map(({ title }) => title),
          after: after.map(({ title }) => title),
        },
      ];
  return [
    ...order,
    ...[...old].flatMap(([key, each]) => (now.has(key) ? [] : [gone(each, parent)])),
    ...[...now].flatMap(([key, each]) => {
      const was = old.get(key);
      return was ? within(was, each, parent) : [added(each, parent)];
    }),
  ];
}

function within(before: Category, after: Category, parent: string): CategoryDifference[] {
  const path = pathOf(after, parent);
  const [was = '', is = ''] = [before.description, after.description];
  return [
    ...(was === is
      ? []
      : [
          {
            kind: 'description',
            path: `${path} (description)`,
            before: was || undefined,
            after: is || undefined,
          } as const,
        ]),
    ...categoryDifferences(before.categories ?? [], after.categories ?? [], path),
  ];
}

const added = (each: Category, parent: string): CategoryDifference => ({
  kind: 'category',
  path: pathOf(each, parent),
  after: wordsFor(each),
});

const gone = (each: Category, parent: string): CategoryDifference => ({
  kind: 'category',
  path: pathOf(each, parent),
  before: wordsFor(each),
});

function wordsFor({ categories = [] }: Category): string {
  const below = countCategories(categories);
  return below === 0 ? 'category' : `category with ${below} below`;
}

/** A title in which a slash or a blank could be misread stands in quotes. */
const pathOf = ({ title }: Category, parent: string): string =>
  `${parent}/${/[/"]|^\s|\s$/.test(title) ? JSON.stringify(title) : title}`;

/** Siblings by title; a portal that has a title twice has it under two keys. */
function byTitle(siblings: readonly Category[]): Map<string, Category> {
  const found = new Map<string, Category>();
  for (const each of siblings) {
    let key = each.title;
    for (let copy = 2; found.has(key); copy += 1) key = `${each.title}\n${copy}`;
    found.set(key, each);
  }
  return found;
}
