import { z } from 'zod';

/** Why a run is parked, what it holds meanwhile, and what a person can type. */
export const parkedRecord = z.object({
  phase: z.string(),
  at: z.string(),
  /** When the run gives up waiting for a person, and ends as failed. */
  until: z.string(),
  /** How often the run has been parked, this time included. */
  count: z.number(),
  code: z.string(),
  reason: z.string(),
  /** What was seen when it parked, a line each: words of the portal, free disk, how much of the target moved. */
  evidence: z.array(z.string()),
  /** What is kept until somebody decides, a line each; nothing else of the run is anywhere. */
  held: z.array(z.string()),
  reuses: z.array(z.string()),
  redoes: z.array(z.string()),
  /** To be typed as they stand; the first one goes on with the run. */
  commands: z.array(z.string()),
  /** How often somebody tried to resume it and was refused. */
  refusals: z.number(),
});
export type ParkedRecord = z.infer<typeof parkedRecord>;
