import { z } from 'zod';

const entry = z.object({ itemId: z.string().optional(), reason: z.string().optional() });

/** The lists of an export or import result; portals name skipped and failed items with or without an id. */
export const jobLists = z.object({ done: z.array(entry), skipped: z.array(entry), failed: z.array(entry) });
export type JobLists = z.infer<typeof jobLists>;
