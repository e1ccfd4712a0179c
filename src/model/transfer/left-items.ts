import { z } from 'zod';

/** How a run, or what undid it, has left items on its target that were there before. */
export const leftItems = z.object({
  items: z.record(
    z.string(),
    z.object({
      /** @format milliseconds since the epoch; null where the target did not say */
      modified: z.number().nullable(),
      /** Of a hosted service: the last edit of any layer; null where one did not say. */
      edited: z.number().nullable().optional(),
    }),
  ),
});
export type LeftItems = z.infer<typeof leftItems>;
