import { type Category, categoryLimits } from '../../../model/portal-change/category-schema';

/** Trees that were read from a file or the store, or all that keeps a portal from taking them. */
export type ReadCategories =
  { readonly trees: readonly Category[]; readonly problems?: undefined } | { readonly problems: string[] };

const known: ReadonlySet<string> = new Set(['title', 'description', 'categories']);

/**
 * Reads what is to become a portal's category schema: an object with `categorySchema`, or its list alone. Each
 * problem is a line with its place, such as `categorySchema.0.categories.2.title: is missing`.
 * docs/reference/portal-interface.md, "Category schema"
 *
 * @param isOurs whether people wrote it: then a field that no category has is a slip, else it is sent as it is
 */
export function readCategories(value: unknown, { isOurs }: { readonly isOurs: boolean }): ReadCategories {
  const whole = objectOf(value);
  const list = whole ? whole['categorySchema'] : value;
  const problems = whole
    ? Object.keys(whole).flatMap((key) => (key === 'categorySchema' ? [] : [`${key}: unknown field`]))
    : [];
  if (!Array.isArray(list)) {
    return { problems: [...problems, `categorySchema: ${list == null ? 'is missing' : 'must be a list'}`] };
  }
  const walk = new Walk(isOurs, problems);
  const trees = walk.siblings(list, 'categorySchema', 1);
  if (list.length > categoryLimits.trees)
    problems.push(`categorySchema: has ${list.length} trees; the limit is ${categoryLimits.trees}`);
  if (walk.count > categoryLimits.categories)
    problems.push(`categorySchema: has ${walk.count} categories; the limit is ${categoryLimits.categories}`);
  return problems.length > 0 ? { problems } : { trees };
}

/** One walk over all trees, which notes what is wrong. */
class Walk {
  count = 0;

  constructor(
    private readonly isOurs: boolean,
    private readonly problems: string[],
  ) {}

  siblings(list: readonly unknown[], place: string, level: number): Category[] {
    const places = new Map<string, string>();
    return list.flatMap((each, at) => {
      const here = `${place}.${at}`;
      const category = this.category(each, here, level);
      if (!category) return [];
      const first = places.get(sameTitle(category.title));
      if (first === undefined) places.set(sameTitle(category.title), here);
      else if (category.title !== '')
        this.note(here, 'title', `${JSON.stringify(category.title)} is already the title of ${first}`);
      return [category];
    });
  }

  private category(value: unknown, here: string, level: number): Category | undefined {
    this.count += 1;
    const fields = objectOf(value);
    if (!fields) {
      this.problems.push(`${here}: must be an object with a title`);
      return undefined;
    }
    const { title, description, categories, ...more } = fields;
    if (this.isOurs)
      for (const key of Object.keys(more)) if (!known.has(key)) this.note(here, key, 'unknown field');
    return {
      ...more,
      title: this.title(title, here),
      ...this.description(description, here),
      ...this.below(categories, here, level),
    };
  }

  private title(title: unknown, here: string): string {
    if (title === undefined || title === null || (typeof title === 'string' && title.trim() === '')) {
      this.note(here, 'title', 'is missing');
      return '';
    }
    return this.text(title, here, 'title', categoryLimits.titleLength) ?? '';
  }

  private description(description: unknown, here: string): { description?: string } {
    if (description === undefined || description === null || description === '') return {};
    return { description: this.text(description, here, 'description', categoryLimits.descriptionLength) };
  }

  private text(value: unknown, here: string, field: string, most: number): string | undefined {
    if (typeof value !== 'string') {
      this.note(here, field, 'must be text; put it in quotes');
      return undefined;
    }
    const { length } = [...value];
    if (length > most) this.note(here, field, `has ${length} characters; the limit is ${most}`);
    return value;
  }

  private below(categories: unknown, here: string, level: number): { categories?: Category[] } {
    if (categories === undefined || categories === null) return {};
    if (!Array.isArray(categories)) {
      this.note(here, 'categories', 'must be a list');
      return {};
    }
    if (categories.length === 0) return {};
    if (level >= categoryLimits.levels) {
      this.note(
        here,
        'categories',
        `is level ${level + 1} of its tree; the limit is ${categoryLimits.levels}`,
      );
      this.count += categories.length;
      return {};
    }
    return { categories: this.siblings(categories, `${here}.categories`, level + 1) };
  }

  private note(here: string, field: string, words: string): void {
    this.problems.push(`${here}.${field}: ${words}`);
  }
}

/** People cannot tell titles apart that differ in how an accent is encoded, or in blanks at their ends. */
const sameTitle = (title: string): string => title.normalize('NFC').trim();

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
