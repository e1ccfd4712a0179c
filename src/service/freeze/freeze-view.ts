import { z } from 'zod';
import { reasonText } from '../../model/run/run';

const portal = z.string().min(1).max(400).describe('portal or `PIPELINE/STAGE` in portolan.yaml');

export const freezeRequest = z.strictObject({
  portal,
  reason: reasonText.describe('shown to everyone whose writes are refused'),
});
export type FreezeRequest = z.infer<typeof freezeRequest>;
export const unfreezeRequest = z.strictObject({ portal, reason: reasonText.optional() });
export type UnfreezeRequest = z.infer<typeof unfreezeRequest>;

const freeze = z.object({
  portal: z.string(),
  who: z.string(),
  at: z.number().describe('milliseconds since 1970'),
  reason: z.string(),
});

/** A portal or stage that is frozen from now on. */
export const frozen = freeze.extend({ frozen: z.literal(true) });
export type Frozen = z.infer<typeof frozen>;

/** A portal or stage that is no longer frozen. */
export const unfrozen = z.object({
  portal: z.string(),
  frozen: z.literal(false),
  was: freeze.optional().describe('absent if it was not frozen, or if its freeze was altered'),
  altered: z
    .literal(true)
    .optional()
    .describe('the freeze was lifted, but had been altered, so who froze it is unknown'),
});
export type Unfrozen = z.infer<typeof unfrozen>;

/** Freezes and unfreezes, newest first. */
export const freezes = z.object({
  events: z
    .array(freeze.extend({ what: z.enum(['frozen', 'unfrozen']), reason: z.string().optional() }))
    .readonly(),
  unreadable: z.array(z.string()).readonly().describe('keys of state files that cannot be read'),
});
export type Freezes = z.infer<typeof freezes>;
