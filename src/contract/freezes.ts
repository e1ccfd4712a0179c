import { z } from 'zod';
import { reasonText } from '../model/run/run';
import { operation } from './operation';

const portal = z.string().min(1).max(400).describe('portal or `PIPELINE/STAGE` in portolan.yaml');

/** A portal or stage that is frozen. */
export const freeze = z.object({
  portal: z.string().describe('portal or `PIPELINE/STAGE` in portolan.yaml'),
  who: z.string(),
  at: z.number().describe('milliseconds since 1970'),
  reason: z.string(),
});

const freezes = z.object({
  events: z
    .array(freeze.extend({ what: z.enum(['frozen', 'unfrozen']), reason: z.string().optional() }))
    .readonly(),
  unreadable: z.array(z.string()).readonly().describe('keys of state files that cannot be read'),
});
export type Freezes = z.infer<typeof freezes>;

const unfrozen = z.object({
  portal: z.string(),
  frozen: z.literal(false),
  was: freeze.optional().describe('absent if it was not frozen, or if its freeze was altered'),
  altered: z
    .literal(true)
    .optional()
    .describe('the freeze was lifted, but had been altered, so who froze it is unknown'),
});
export type Unfrozen = z.infer<typeof unfrozen>;

/** Blocked writes: `portolan freeze`, `unfreeze`, `freezes`. */
export const freezeOperations = {
  listFreezes: operation({
    at: 'GET /freezes',
    summary: 'List freezes and unfreezes, newest first',
    input: z.strictObject({ portal: portal.optional() }),
    answer: freezes,
    right: 'view',
    needs: 'store',
  }),
  freeze: operation({
    at: 'POST /freeze',
    summary: 'Block writes to a portal or stage until it is unfrozen',
    input: z.strictObject({
      portal,
      reason: reasonText.describe('shown to everyone whose writes are refused'),
    }),
    answer: freeze.extend({ frozen: z.literal(true) }),
    right: 'operate',
    needs: 'store',
  }),
  unfreeze: operation({
    at: 'POST /unfreeze',
    summary: 'Allow writes to a portal or stage again',
    input: z.strictObject({ portal, reason: reasonText.optional() }),
    answer: unfrozen,
    right: 'operate',
    needs: 'store',
  }),
};
