import { z } from 'zod';

/** Why a run is parked, what it holds meanwhile, and what a person can type. */
export const parkedRecord = z.object({
  phase: z.string(),
  at: z.string(),
  until: z.string().describe('when the run gives up waiting for a person, and ends as failed'),
  count: z.number().describe('how often the run has been parked, this time included'),
  code: z.string(),
  reason: z.string(),
  evidence: z
    .array(z.string())
    .describe('what was seen when it parked: words of the portal, free disk, how much of the target moved'),
  held: z
    .array(z.string())
    .describe('what is kept until somebody decides; nothing else of the run is anywhere'),
  reuses: z.array(z.string()).describe('what a resume takes as it is'),
  redoes: z.array(z.string()).describe('what a resume does again'),
  commands: z
    .array(z.string())
    .describe(
      'to be typed as they stand, the most likely first: after an import that failed as a whole the search for the items at fault',
    ),
  refusals: z.number().describe('how often somebody tried to resume it and was refused'),
});
export type ParkedRecord = z.infer<typeof parkedRecord>;
