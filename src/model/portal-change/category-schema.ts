import { z } from 'zod';

/** One category of an organization's schema, with those below it. docs/reference/portal-interface.md, "Category schema" */
export interface Category {
  readonly title: string;
  readonly description?: string;
  readonly categories?: readonly Category[];
  readonly [more: string]: unknown;
}

/** Limits of a schema. docs/reference/portal-interface.md, "Category schema" */
export const categoryLimits = {
  trees: 5,
  levels: 4,
  categories: 200,
  titleLength: 100,
  descriptionLength: 300,
} as const;

const category: z.ZodType<Category> = z.looseObject({
  title: z.string(),
  description: z.string().optional(),
  get categories() {
    return z.array(category).optional();
  },
});

/** As a portal answers it, a file holds it, and the store keeps it. */
export const categorySchema = z.object({ categorySchema: z.array(category) });

/** The trees with nothing but what a schema is made of; what is empty is left out. */
export const plainTrees = (trees: readonly Category[]): Category[] =>
  trees.map(({ title, description, categories }) => ({
    title,
    ...(description && { description }),
    ...(categories && categories.length > 0 && { categories: plainTrees(categories) }),
  }));

/** All categories of these trees, the trees themselves included. */
export const countCategories = (trees: readonly Category[]): number =>
  trees.reduce((sum, { categories = [] }) => sum + 1 + countCategories(categories), 0);
