import { z } from 'zod';

/** A row of an import preview as the run keeps it. */
export const previewRow = z.object({
  itemId: z.string(),
  type: z.string(),
  title: z.string(),
  size: z.number().optional(),
  exists: z.boolean(),
  canImport: z.boolean(),
  modified: z.number().optional(),
});
export type PreviewRow = z.infer<typeof previewRow>;
