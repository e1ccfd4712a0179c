import { z } from 'zod';

const entry = z.object({ itemId: z.string().optional(), reason: z.string().optional() });

/** The lists of an export or import result; portals name skipped and failed items with or without an id. */
export const jobLists = z.object({ done: z.array(entry), skipped: z.array(entry), failed: z.array(entry) });
export type JobLists = z.infer<typeof jobLists>;

/** The lists of several jobs as those of one; undefined where none of them told any. */
export function united(lists: readonly (JobLists | undefined)[]): JobLists | undefined {
  const told = lists.flatMap((each) => each ?? []);
  if (told.length === 0) return undefined;
  const all = (name: keyof JobLists): JobLists['done'] => told.flatMap((each) => each[name]);
  return { done: all('done'), skipped: all('skipped'), failed: all('failed') };
}
