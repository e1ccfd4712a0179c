import { z } from 'zod';
import { fieldChange } from '../../model/run/run';
import { mappedFigures } from '../../model/release/reference-map';
import { promotionEntry } from '../../model/release/promotion';

/** What became of releases in the stages of a pipeline, the newest first. */
export const pipelineHistory = z.object({
  pipeline: z.string(),
  entries: z.array(promotionEntry).readonly(),
});
export type PipelineHistory = z.infer<typeof pipelineHistory>;

/** What a release would make of a stage. */
export const stageDifference = z.object({
  pipeline: z.string(),
  stage: z.string(),
  release: z.string(),
  stands: z.string().optional().describe('what stands there; absent where nothing does'),
  rows: z
    .array(
      z.object({
        group: z.string().describe('as the pipeline names it'),
        itemId: z.string(),
        type: z.string(),
        title: z.string(),
        difference: z
          .enum(['new', 'changed', 'same', 'extra'])
          .describe("`extra`: only the stage's group has it"),
        drifted: z
          .literal(true)
          .optional()
          .describe('somebody has changed it there since the last promotion'),
      }),
    )
    .readonly(),
  settings: z
    .array(fieldChange)
    .readonly()
    .optional()
    .describe('absent where the stage takes none of the release'),
  categories: z.array(fieldChange).readonly().optional(),
  mapped: mappedFigures.optional().describe('absent where the stage maps nothing'),
});
export type StageDifferenceView = z.infer<typeof stageDifference>;
