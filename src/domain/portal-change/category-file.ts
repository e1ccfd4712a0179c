import { z } from 'zod';
import { problemLines } from '../../config/problems';
import { type Category, categoryLimits, plainTrees } from '../../model/portal-change/category-schema';
import { toRecord } from '../../portal/http/reading';

/**
 * The category trees of a file's content, an object with `categorySchema` or its list alone, and all that keeps a
 * portal from taking them, one line each with its place. docs/reference/portal-interface.md, "Category schema"
 */
export function parseCategories(content: unknown): {
  readonly trees: readonly Category[];
  readonly problems: readonly string[];
} {
  const { data, error } = file.safeParse(toRecord(content) ?? { categorySchema: content });
  if (error) return { trees: [], problems: problemLines(error, 'the file', () => fields) };
  return { trees: plainTrees(data.categorySchema), problems: [] };
}

const fields = ['title', 'description', 'categories'];

const missingOr = (words: string): { error: (issue: { readonly input?: unknown }) => string } => ({
  error: ({ input }) => (input == null ? 'is missing' : words),
});

const text = (most: number) =>
  z.string(missingOr('must be text; put it in quotes')).superRefine((value, { addIssue }) => {
    const { length } = [...value];
    if (length > most) addIssue(`has ${length} characters; the limit is ${most}`);
  });

/** Siblings at a level of their tree, from 1. All that is wrong is listed at once, so checks run after others failed. */
const siblings = (level: number): z.ZodType<Category[]> =>
  z.array(category(level), missingOr('must be a list')).superRefine(
    (list, { addIssue }) => {
      const places = new Map<string, number>();
      for (const [at, each] of listOf(list).entries()) {
        const title = toRecord(each)?.['title'];
        if (typeof title !== 'string' || title.trim() === '') continue;
        // People cannot tell titles apart that differ in how an accent is encoded, or in blanks at their ends.
        const seen = title.normalize('NFC').trim();
        const first = places.get(seen);
        if (first === undefined) places.set(seen, at);
        else
          addIssue({
            code: 'custom',
            path: [at, 'title'],
            message: `${JSON.stringify(title)} is already the title of sibling ${first}`,
          });
      }
    },
    { when: () => true },
  );

const category = (level: number): z.ZodType<Category> =>
  z.strictObject(
    {
      title: text(categoryLimits.titleLength).refine((title) => title.trim() !== '', 'is missing'),
      description: text(categoryLimits.descriptionLength).nullish().transform(orUndefined),
      categories: (level < categoryLimits.levels ? siblings(level + 1) : none(level + 1))
        .nullish()
        .transform(orUndefined),
    },
    'must be an object with a title',
  );

/** No siblings, below the last level. */
const none = (level: number): z.ZodType<Category[]> =>
  z
    .array(z.unknown(), 'must be a list')
    .refine(
      ({ length }) => length === 0,
      `is level ${level} of its tree; the limit is ${categoryLimits.levels}`,
    )
    .transform(() => []);

const orUndefined = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const countOf = (list: unknown): number =>
  listOf(list).reduce<number>((sum, each) => sum + 1 + countOf(toRecord(each)?.['categories']), 0);

const file = z.strictObject({
  categorySchema: siblings(1).superRefine(
    (trees, { addIssue }) => {
      const [has, count] = [listOf(trees).length, countOf(trees)];
      if (has > categoryLimits.trees) addIssue(`has ${has} trees; the limit is ${categoryLimits.trees}`);
      if (count > categoryLimits.categories)
        addIssue(`has ${count} categories; the limit is ${categoryLimits.categories}`);
    },
    { when: () => true },
  ),
});
