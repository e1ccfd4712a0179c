import { z } from 'zod';
import { fieldChange } from '../../model/run/run';
import { mappedFigures } from '../../model/release/reference-map';
import { promotionEntry } from '../../model/release/promotion';

/** Promotions and rollbacks of a pipeline, newest first. */
export const pipelineHistory = z.object({
  pipeline: z.string(),
  entries: z.array(promotionEntry).readonly(),
});
export type PipelineHistory = z.infer<typeof pipelineHistory>;

/** The changes a release would make on a stage. */
export const stageDifference = z.object({
  pipeline: z.string(),
  stage: z.string(),
  release: z.string(),
  stands: z.string().optional().describe('current release; absent if none'),
  rows: z
    .array(
      z.object({
        group: z.string().describe('name of the group in the pipeline'),
        itemId: z.string(),
        type: z.string(),
        title: z.string(),
        difference: z
          .enum(['new', 'changed', 'same', 'extra'])
          .describe('`extra`: only in the group of the stage'),
        drifted: z
          .literal(true)
          .optional()
          .describe('modified on the stage since the last promotion or rollback'),
      }),
    )
    .readonly(),
  settings: z.array(fieldChange).readonly().optional().describe('absent if the stage does not apply them'),
  categories: z.array(fieldChange).readonly().optional(),
  mapped: mappedFigures.optional().describe('absent if the stage has no map'),
});
export type StageDifferenceView = z.infer<typeof stageDifference>;
