import { type Categories, categoriesDocument, countFiledItems } from '../../domain/portal-change/categories';
import { parseCategories } from '../../domain/portal-change/category-file';
import { isEmpty } from '../../domain/portal-change/portal-document';
import { reasonOf } from '../../domain/transfer/retry';
import { PortolanError } from '../../model/errors/errors';
import { type Category, countCategories, plainTrees } from '../../model/portal-change/category-schema';
import { countOf } from '../../model/text/words';
import type { DocumentForm } from './document-form';

export const categoryForm: DocumentForm<Categories> = {
  kind: 'category-schema',
  document: categoriesDocument,
  none: { categorySchema: [] },

  summary: ({ categorySchema: trees }) =>
    trees.length === 0
      ? 'no category schema'
      : `${countOf(countCategories(trees), 'category', 'categories')} in ${countOf(trees.length, 'tree')}`,

  parse(content) {
    const { trees, problems } = parseCategories(content);
    return { wanted: { categorySchema: trees }, warnings: [], problems };
  },

  write: ({ value: { categorySchema: trees } }) => ({
    content: { categorySchema: plainTrees(trees) },
    comment: [],
    warnings: [...otherFields(trees)].sort().map((field) => `${field} is skipped: a file cannot set it`),
  }),

  async concerns({ value, portalId }, wanted, portal) {
    if (!isEmpty(wanted) || isEmpty(value)) return [];
    try {
      const { count, isAtLeast } = await countFiledItems(portal, portalId, value.categorySchema);
      if (count === 0) return [];
      const items = `${isAtLeast ? 'at least ' : ''}${countOf(count, 'item')}`;
      return [
        `category schema: ${items} ${count === 1 && !isAtLeast ? 'is' : 'are'} filed under it, according to search`,
      ];
    } catch (thrown) {
      // A failed count does not prevent the deletion.
      return [`category schema: its items could not be counted (${reasonOf(thrown)})`];
    }
  },

  requireApplicable({ name, value }, wanted) {
    if (wanted.categorySchema.length > 0 || value.categorySchema.length === 0) return;
    throw new PortolanError('USAGE', `The file has no categories, but ${name} has some. Nothing was sent.`, {
      hint: `To delete the schema: portolan category-schema delete ${name}`,
    });
  },
};

/** Category fields that are specific to this portal. */
function otherFields(trees: readonly Category[]): Set<string> {
  return new Set(
    trees.flatMap(({ title: _title, description: _description, categories = [], ...more }) => [
      ...Object.keys(more),
      ...otherFields(categories),
    ]),
  );
}
