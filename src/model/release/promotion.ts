import { z } from 'zod';

/** A group of a stage, and the run that promoted it or rolled it back. */
export const promotedGroup = z.object({
  /** As the pipeline names it. */
  name: z.string(),
  groupId: z.string(),
  runId: z.string(),
});
export type PromotedGroup = z.infer<typeof promotedGroup>;

/** Listing of a stage's group at the end of a promotion; later edits are drift. */
export const listedGroup = z.object({
  items: z.number(),
  /** When the last of them was changed, by the portal's clock; 0 where it holds none, or none tells. @format milliseconds since the epoch */
  modified: z.number(),
});
export type ListedGroup = z.infer<typeof listedGroup>;

/**
 * What became of a release that came to a stage, once the run that brought it is over: with the mark of the store's key,
 * and never changed.
 */
export const promotionEntry = z.object({
  pipeline: z.string(),
  stage: z.string(),
  runId: z.string(),
  /** `rolled-back`: a promotion was rolled back. */
  kind: z.enum(['promoted', 'rolled-back']),
  /** The release that the run was about. */
  release: z.string(),
  /** Of that release. */
  sha256: z.string(),
  /** `verified`: all of it was read back, and every check passed. `failed`: the stage holds some of it. */
  status: z.enum(['verified', 'failed']),
  /** For a rollback: the promotion it rolled back. */
  undoes: z.string().optional(),
  /** Stage order and soak time were skipped. */
  hotfix: z.boolean().optional(),
  /** Claimed, not proven: `user@host`. */
  who: z.string(),
  reason: z.string().optional(),
  /** Who approved its plan, if anyone. */
  approvedBy: z.string().optional(),
  /** When it ended, by the worker's clock. */
  at: z.iso.datetime(),
  groups: z.array(promotedGroup),
  /** Checks of the stage that passed; absent if it has none. */
  checks: z.number().optional(),
  /** By the groups' names; absent if they could not be listed. */
  listed: z.record(z.string(), listedGroup).optional(),
  /** Runs that changed the portal itself. */
  settings: z.string().optional(),
  categories: z.string().optional(),
  /** It came in a file with its release: when, and the sha256 of the public key that its signature was checked with. */
  imported: z.object({ at: z.iso.datetime(), keySha256: z.string() }).optional(),
});
export type PromotionEntry = z.infer<typeof promotionEntry>;
