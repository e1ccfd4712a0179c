import { z } from 'zod';
import { fieldChange } from '../run/run';

/**
 * What a promotion is going to do: the plans of all of its groups, and what becomes of the portal itself. Its sha256 is
 * what an approval is given for.
 */
export const wholePlan = z.object({
  pipeline: z.string(),
  stage: z.string(),
  /** Of the release, and of what is undone, where that is asked for. */
  release: z.string(),
  undoes: z.string().optional(),
  groups: z.array(
    z.object({
      name: z.string(),
      groupId: z.string(),
      /** Of the group's own plan; of a rollback, of what its run had imported. */
      sha256: z.string(),
      create: z.number(),
      overwrite: z.number(),
      /** Of a rollback: items that the promotion created. */
      remove: z.number().optional(),
      keep: z.number(),
      blocked: z.number(),
      /** Of a rollback: items that somebody has changed since, which it leaves. */
      edited: z.array(z.string()).optional(),
    }),
  ),
  /** What becomes other on the portal, with what tells whether that is still so. */
  settings: z.object({ expected: z.string(), changes: z.array(fieldChange) }).optional(),
  categories: z.object({ expected: z.string(), changes: z.array(fieldChange) }).optional(),
});
export type WholePlan = z.infer<typeof wholePlan>;
