import { z } from 'zod';

/** Form of what is kept of a promotion; what has a higher number than is read is of a newer Portolan. */
export const PROMOTION_FORMAT = 1;

/** A group of a stage, and the run that brought it there, or that undid it. */
export const promotedGroup = z.object({
  /** As the pipeline names it. */
  name: z.string(),
  groupId: z.string(),
  runId: z.string(),
});
export type PromotedGroup = z.infer<typeof promotedGroup>;

/** What a group of a stage listed when a promotion was over: what is edited there later is drift. */
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
  /** `rolled-back`: what a promotion had done is undone. */
  kind: z.enum(['promoted', 'rolled-back']),
  /** The release that the run was about. */
  release: z.string(),
  /** Of that release. */
  sha256: z.string(),
  /** `verified`: all of it was read back, and every check passed. `failed`: the stage holds some of it. */
  status: z.enum(['verified', 'failed']),
  /** Of a rollback: the run whose promotion it undid. */
  undoes: z.string().optional(),
  /** Its order and its soak were skipped. */
  hotfix: z.boolean().optional(),
  /** Claimed, not proven: `user@host`. */
  who: z.string(),
  reason: z.string().optional(),
  /** Who said yes to its plan, where somebody did. */
  approvedBy: z.string().optional(),
  /** When it was over, by the worker's clock. */
  at: z.iso.datetime(),
  groups: z.array(promotedGroup),
  /** Checks of the stage that passed; absent where it has none, and in entries of earlier versions. */
  checks: z.number().optional(),
  /** By the groups' names; absent where they could not be listed, and in entries of earlier versions. */
  listed: z.record(z.string(), listedGroup).optional(),
  /** Runs that changed the portal itself. */
  settings: z.string().optional(),
  categories: z.string().optional(),
  /** It came in a file with its release: when, and the sha256 of the public key that its signature was checked with. */
  imported: z.object({ at: z.iso.datetime(), keySha256: z.string() }).optional(),
});
export type PromotionEntry = z.infer<typeof promotionEntry>;
