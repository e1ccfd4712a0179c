import { z } from 'zod';
import { fieldChange } from '../run/run';

/**
 * The whole plan of a promotion: the plans of its groups, and changes of portal settings. Its sha256 is what an
 * approval covers.
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
      /** For a rollback: items the promotion created. */
      remove: z.number().optional(),
      keep: z.number(),
      blocked: z.number(),
      /** For a rollback: items edited since, which it keeps. */
      edited: z.array(z.string()).optional(),
    }),
  ),
  /** Changes of the portal, with a fingerprint of its current values. */
  settings: z.object({ expected: z.string(), changes: z.array(fieldChange) }).optional(),
  categories: z.object({ expected: z.string(), changes: z.array(fieldChange) }).optional(),
});
export type WholePlan = z.infer<typeof wholePlan>;
