import type { Category, FiledItems } from '../../../model/portal-change/category-schema';
import type { Portal } from '../../../portal/client';
import { SEARCH_RESULTS_MAX } from '../../../portal/http/limits';
import { searchItems } from '../../../portal/resources/listings';
import type { CallOptions } from '../../../portal/http/request';

/**
 * How many items of a portal are filed under its category trees, among those that the one who is signed in can
 * find. docs/reference/portal-interface.md, "Category schema"
 */
export async function countFiledItems(
  portal: Portal,
  portalId: string,
  trees: readonly Category[],
  options?: CallOptions,
): Promise<FiledItems> {
  const roots = trees.map(({ title }) => `/${title}`.normalize('NFC'));
  const isUnder = (path: string): boolean =>
    roots.some((root) => path.normalize('NFC') === root || path.normalize('NFC').startsWith(`${root}/`));
  const seen = new Set<string>();
  let count = 0;
  // Pages may overlap while items are added; each counts once.
  for await (const page of searchItems(portal, `accountid:${portalId}`, options)) {
    for (const { id, categories = [] } of page) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (categories.some(isUnder)) count += 1;
    }
  }
  return { count, isAtLeast: seen.size >= SEARCH_RESULTS_MAX };
}
