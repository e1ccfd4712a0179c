import { z } from 'zod';

/** URLs and item IDs that a stage writes, by those they replace. */
export const referenceMap = z.object({
  urls: z.record(z.string(), z.string()),
  items: z.record(z.string(), z.string()),
});
export type ReferenceMap = z.infer<typeof referenceMap>;

/** An example of a mapped place. */
export const mappedExample = z.object({
  itemId: z.string(),
  title: z.string().optional(),
  path: z.string().describe("JSON path in the item's data, or `item.url`"),
  before: z.string().describe('text around the first change'),
  after: z.string(),
});
export type MappedExample = z.infer<typeof mappedExample>;

/** Examples shown per plan. */
export const EXAMPLES_MAX = 3;

/** Counts of what the map of a stage changes in the items a plan creates or overwrites. */
export const mappedFigures = z.object({
  items: z.number().describe('items changed'),
  places: z.number().describe('texts changed in them'),
  unknown: z.number().describe('items without data in the snapshot'),
  examples: z.array(mappedExample).describe(`the first ${EXAMPLES_MAX}`),
});
export type MappedFigures = z.infer<typeof mappedFigures>;

/** The figures of several plans together. */
export const joinedFigures = (all: readonly MappedFigures[]): MappedFigures => {
  const sum = (of: 'items' | 'places' | 'unknown'): number =>
    all.reduce((whole, each) => whole + each[of], 0);
  const examples = all.flatMap((each) => each.examples).slice(0, EXAMPLES_MAX);
  return { items: sum('items'), places: sum('places'), unknown: sum('unknown'), examples };
};
