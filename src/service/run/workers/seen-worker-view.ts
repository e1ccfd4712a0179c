import { z } from 'zod';

/** A worker as Temporal lists it, with what it reports. */
export const seenWorker = z.object({
  takes: z.enum(['runs', 'calls', 'transfers']),
  name: z.string(),
  version: z.string().optional(),
  config: z.string().optional().describe('fingerprint of its configuration'),
  store: z.string().optional(),
  build: z.string().optional(),
});
export type SeenWorker = Readonly<z.infer<typeof seenWorker>>;
