import { z } from 'zod';

/** Items that a run created on its target, by id, with what the target said of each right after the import. */
export const createdItems = z.record(
  z.string(),
  z.object({
    /** @format milliseconds since the epoch; null where it did not say */
    modified: z.number().nullable(),
    /** Of a hosted service: the last edit of any layer; null where one did not say. */
    edited: z.number().nullable().optional(),
  }),
);
export type CreatedItems = z.infer<typeof createdItems>;
