import { z } from 'zod';

/** A job on a portal as it travels through history. */
export interface JobHandle {
  readonly kind: 'job';
  readonly jobId: string;
  /** Sealed; absent where the portal gave none. */
  readonly sealedKey?: string;
}

export interface ListSizes {
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
}

/** How an export or import job ended. */
export interface JobOutcome {
  /** The portal's last word, as it wrote it. */
  readonly status: string;
  /** Export: the package item. */
  readonly packageItemId?: string;
  /** Why it could not be tagged as created by Portolan. */
  readonly unmarked?: string;
  /** Sizes of the three lists, which are in the store; absent if the portal gave none. */
  readonly lists?: ListSizes;
}

/** What a poll says when it waits; found by the next attempt, and by `run show` in the pending activities. */
export interface JobProgress {
  readonly lastStatus?: string;
  readonly consecutiveErrors: number;
  /** Start of the row of errors, milliseconds since the epoch. */
  readonly errorsSince?: number;
}

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
