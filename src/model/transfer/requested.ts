import { z } from 'zod';

/** An item of the source group as it was listed when the run started. */
export const requestedItem = z.object({
  itemId: z.string(),
  type: z.string(),
  title: z.string(),
  size: z.number().optional(),
  modified: z.number().optional(),
  url: z.string().optional(),
  typeKeywords: z.array(z.string()).optional(),
  /** Why an export leaves it out; absent where it takes it or the portal has to say. */
  skip: z.string().optional(),
  /** The route leaves it out, whatever its type; `skip` says why. */
  excluded: z.boolean().optional(),
  /** Id of the source's group that configures it: an app's data names it. */
  group: z.string().optional(),
  /** Why an export may leave it out; the portal decides. Absent where that is sure either way. */
  doubt: z.string().optional(),
  /** A hosted feature service: its layers are counted. */
  hosted: z.boolean().optional(),
});
export type RequestedItem = z.infer<typeof requestedItem>;

/** What the route leaves out of the requested items, by their ids, and why. */
export const excludedAmong = (items: readonly RequestedItem[]): Map<string, string> =>
  leftOutAmong(items.filter(({ excluded }) => excluded));

/** What is left out of them by the route or for what it is, by their ids, and why. */
export const leftOutAmong = (items: readonly RequestedItem[]): Map<string, string> =>
  new Map(
    items.flatMap(({ itemId, excluded, skip }) => (skip || excluded ? [[itemId, skip ?? 'excluded']] : [])),
  );

/** What the source group's listing came to. */
export interface Requested {
  readonly count: number;
  /** Of `count`, those that an export leaves out by their type. */
  readonly skipped: number;
  readonly hosted: number;
  /** In the whole group, also where only some are requested. */
  readonly inGroup: number;
  /** Bytes of the items that tell their size. */
  readonly knownBytes: number;
}
