import type { CategorySchemaInput } from '../model/portal-change/category-schema';
import { countOf } from '../model/text/words';
import { reading, writing } from './run/activity-options';
import { defineChange } from './portal-change/change-phases';
import { refusal } from './run/failure';

/** Assigns or deletes a portal's category schema. The previous one is saved in the store. */
export const categorySchema = defineChange('category-schema', (input: CategorySchemaInput) => {
  const { operation, filed } = input;
  const { portal } = input.portal;
  return {
    read: async (run) => {
      const found = await reading(`category schema of ${portal}`, portal).findCategorySchema(input);
      for (const warning of found.warnings) run.warn(warning);
      run.show({ changes: found.changes, saved: found.saved });
      const had =
        found.categories === 0
          ? 'none'
          : `${countOf(found.categories, 'category', 'categories')} in ${countOf(found.trees, 'tree')}`;
      const use = filed
        ? `, used by ${filed.isAtLeast ? 'at least ' : ''}${countOf(filed.count, 'item')}`
        : '';
      return {
        detail: `${had}${use}; differences: ${found.differences}`,
        found: found.differences > 0 || undefined,
      };
    },
    write: async () => {
      const calls = writing(`category schema of ${portal}`, portal);
      await (operation === 'delete' ? calls.deleteCategorySchema(input) : calls.assignCategorySchema(input));
      return { detail: operation === 'delete' ? 'deleted' : 'assigned' };
    },
    check: async (run) => {
      const { lacking, isReordered } = await reading(
        `category schema of ${portal}, again`,
        portal,
      ).checkCategorySchema(input);
      if (lacking.length > 0)
        throw refusal(
          'NOT_TAKEN',
          `${portal} reported success, but its category schema differs in: ${lacking.join(', ')}`,
          `Check the categories on ${portal}; someone else may be changing them too.`,
          portal,
        );
      if (isReordered) run.warn(`${portal} shows the categories in a different order`);
      return { detail: 'read back' };
    },
  };
});
