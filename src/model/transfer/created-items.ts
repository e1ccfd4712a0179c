import { z } from 'zod';

/** Items that a run created on its target, with what the target said of each right after the import. */
export const createdItems = z.object({
  /** Accounts to which the import gives what it creates. */
  accounts: z.array(z.string()),
  /**
   * By the target's clock, before anything was imported; null where it did not say.
   * @format milliseconds since the epoch
   */
  since: z.number().nullable(),
  items: z.record(
    z.string(),
    z.object({
      /** The target did not have it right before the import. */
      wasAbsent: z.boolean(),
      /** The import listed it as imported; false if its response was lost. */
      isListed: z.boolean(),
      /** Null where the target did not say. */
      owner: z.string().nullable(),
      /** @format milliseconds since the epoch; null where it did not say */
      modified: z.number().nullable(),
      /** Of a hosted service: the last edit of any layer; null where one did not say. */
      edited: z.number().nullable().optional(),
      /** The owner the run sets after the import. */
      givenTo: z.string().optional(),
      /** The run has protected it against being deleted. */
      protected: z.boolean().optional(),
    }),
  ),
});
export type CreatedItems = z.infer<typeof createdItems>;
export type CreatedItem = CreatedItems['items'][string];
