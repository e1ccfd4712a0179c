import { isDeepStrictEqual } from 'node:util';
import { type Category, countCategories } from '../../model/portal-change/category-schema';
import type { FieldChange } from '../../model/run/run';

/** What differs between two schemas at one path: categories, a description, or the order of siblings. */
interface CategoryDifference extends FieldChange {
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
  const gone = [...old.keys()].filter((key) => !now.has(key));
  const stayed = [...old.keys()].filter((key) => now.has(key));
  const inBoth = [...now.keys()].filter((key) => old.has(key));
  const differences: CategoryDifference[] = [];
  if (!isDeepStrictEqual(stayed, inBoth)) {
    const titles = (siblings: readonly Category[]) => siblings.map(({ title }) => title);
    const path = `${parent}/* (order)`;
    differences.push({ kind: 'order', path, before: titles(before), after: titles(after) });
  }
  for (const key of [...gone, ...now.keys()])
    differences.push(...differencesOf(old.get(key), now.get(key), parent));
  return differences;
}

function differencesOf(
  was: Category | undefined,
  is: Category | undefined,
  parent: string,
): CategoryDifference[] {
  const path = `${parent}/${nameOf((is ?? was)?.title ?? '')}`;
  if (!was || !is)
    return [{ kind: 'category', path, before: was && wordsFor(was), after: is && wordsFor(is) }];
  const [before, after] = [was.description || undefined, is.description || undefined];
  const description = { kind: 'description', path: `${path} (description)`, before, after } as const;
  return [
    ...(before === after ? [] : [description]),
    ...categoryDifferences(was.categories ?? [], is.categories ?? [], path),
  ];
}

function wordsFor({ categories = [] }: Category): string {
  const below = countCategories(categories);
  return below === 0 ? 'category' : `category with ${below} below`;
}

/** Quotes a title in which a slash or a space could be misread. */
const nameOf = (title: string): string => (/[/"]|^\s|\s$/.test(title) ? JSON.stringify(title) : title);

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
