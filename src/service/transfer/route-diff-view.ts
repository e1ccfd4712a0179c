import { z } from 'zod';
import { planActions, planRow } from '../../model/transfer/plan';

const end = z.object({ portal: z.string(), url: z.string(), groupId: z.string() });
const count = z.number();

/** Both groups of a route, by their listings and the results of earlier runs. */
export const routeDiff = z.object({
  route: z.object({
    name: z.string(),
    source: end.loose(),
    target: end.loose(),
    options: z.record(z.string(), z.unknown()).describe('options a run would use'),
  }),
  sourceTitle: z.string().optional().describe('title of the group'),
  targetTitle: z.string().optional(),
  rows: z
    .array(
      planRow.extend({
        difference: z.enum(['new', 'changed', 'drifted', 'kept', 'same', 'extra', 'left out']),
        withOverwrite: z
          .enum(planActions)
          .optional()
          .describe('for a kept item: what a sync would do with `overwrite: true`'),
      }),
    )
    .readonly(),
  counts: z.object(Object.fromEntries(planActions.map((action) => [action, count]))),
});
export type RouteDiff = z.infer<typeof routeDiff>;

/** The same, with warnings. */
export const routeDiffSeen = routeDiff.extend({
  unknown: z.string().optional().describe('why the results of earlier runs are unknown'),
});
export type RouteDiffSeen = z.infer<typeof routeDiffSeen>;
