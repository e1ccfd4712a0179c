import type { FiledItems } from '../../../domain/portal-change/categories';
import { type Category, countCategories } from '../../../model/portal-change/category-schema';
import { countOf } from '../../../model/text/words';

/** `13 categories in 1 tree`. */
export const schemaWords = (trees: readonly Category[]): string =>
  `${countOf(countCategories(trees), 'category', 'categories')} in ${countOf(trees.length, 'tree')}`;

/** The number of items in these categories; undefined if they could not be counted. */
export function filedWords(filed: FiledItems | undefined): string {
  if (filed === undefined) return 'Its items could not be counted.';
  const { count, isAtLeast } = filed;
  const items = `${isAtLeast ? 'At least ' : ''}${countOf(count, 'item')}`;
  return `${items} ${count === 1 && !isAtLeast ? 'is' : 'are'} filed under it, according to search.`;
}
