import { z } from 'zod';

/** What a stage has in place of what items name: addresses, and ids of items, by those that they replace. */
export const referenceMap = z.object({
  urls: z.record(z.string(), z.string()),
  items: z.record(z.string(), z.string()),
});
export type ReferenceMap = z.infer<typeof referenceMap>;

/** A place that is mapped, for people to judge the rest by. */
export const mappedExample = z.object({
  itemId: z.string(),
  title: z.string().optional(),
  path: z.string().describe("JSON path in the item's data (`data.operationalLayers[3].url`), or `item.url`"),
  before: z.string().describe('a long text around the first place where it changes'),
  after: z.string(),
});
export type MappedExample = z.infer<typeof mappedExample>;

/** So many examples are shown of a plan. */
export const EXAMPLES_MAX = 3;

/** What the map of a stage changes in items that a plan creates or overwrites, as their source had them. */
export const mappedFigures = z.object({
  items: z.number().describe('in which something changes'),
  places: z.number().describe('texts that change, over all of them'),
  unknown: z
    .number()
    .describe(
      'items of whose data the snapshot has no copy: what changes in them is seen once they are imported',
    ),
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
