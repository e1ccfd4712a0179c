import { z } from 'zod';
import type { ListSizes } from './job';

const entry = z.object({ itemId: z.string().optional(), reason: z.string().optional() });

/** The lists of an export or import result; portals name skipped and failed items with or without an id. */
export const jobLists = z.object({ done: z.array(entry), skipped: z.array(entry), failed: z.array(entry) });
export type JobLists = z.infer<typeof jobLists>;

export const sizesOf = ({ done, skipped, failed }: JobLists): ListSizes => ({
  done: done.length,
  skipped: skipped.length,
  failed: failed.length,
});

/** The lists of several jobs as those of one; undefined where none of them told any. */
export function united(lists: readonly (JobLists | undefined)[]): JobLists | undefined {
  const told = lists.flatMap((each) => each ?? []);
  if (told.length === 0) return undefined;
  const all = (name: keyof JobLists): JobLists['done'] => told.flatMap((each) => each[name]);
  return { done: all('done'), skipped: all('skipped'), failed: all('failed') };
}
