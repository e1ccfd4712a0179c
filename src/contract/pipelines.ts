import { z } from 'zod';
import { promotionEntry } from '../model/release/promotion';
import { mappedFigures } from '../model/release/reference-map';
import { fieldChange } from '../model/run/run';
import { change } from '../model/transfer/change';
import { next, operation, paging } from './operation';
import { release } from './releases';

const pipeline = z.string().min(1).max(200).describe('pipeline in portolan.yaml');
const stage = z.string().min(1).max(200);

/** A stage of a pipeline, for people and programs. */
const stageShown = z.object({
  name: z.string(),
  portal: z.string(),
  after: z.string().optional(),
  release: z.string().optional().describe('current release; absent if none'),
  sha256: z.string().optional(),
  blocked: z.string().optional().describe('who blocked its release and why; it goes to no further stage'),
  since: z.string().optional().describe('ISO 8601, in UTC'),
  by: z.string().optional().describe('who promoted it'),
  verified: z
    .enum(['ok', 'failed'])
    .optional()
    .describe('`failed`: its promotion did not complete, or a parked one has written there'),
  checks: z.number().optional().describe('checks that passed'),
  hotfix: z.boolean().optional(),
  soakUntil: z
    .string()
    .optional()
    .describe('when its soak ends and the next stage can take it; absent once over'),
  underWay: z
    .object({ runId: z.string(), status: z.string() })
    .optional()
    .describe('open promotion: its run and status'),
  next: z
    .object({
      release: z.string(),
      from: z.string().optional().describe('when it can be promoted, if not now'),
      blocked: z.string().optional().describe('who blocked it and why; it cannot be promoted'),
      wentBack: z.literal(true).optional().describe('rolled back from this stage before'),
    })
    .optional()
    .describe(
      'current release of the previous stage, if verified there and not current here; absent if either stage failed',
    ),
  drift: z
    .union([
      z.object({
        edited: z
          .array(z.string())
          .readonly()
          .describe('IDs of items modified there since the last promotion or rollback'),
        fewer: z.number().describe('how many items its groups have lost since, net'),
      }),
      z.object({ unknown: z.string().describe('why drift is unknown') }),
    ])
    .optional(),
  frozen: z.string().optional().describe('why writes are refused'),
});
export type StageView = z.infer<typeof stageShown>;

const pipelineShown = z.object({ pipeline, stages: z.array(stageShown) });
export type PipelineView = z.infer<typeof pipelineShown>;

/** The changes a release would make on a stage. */
export const stageDifference = z.object({
  pipeline: z.string(),
  stage: z.string(),
  release: z.string(),
  blocked: z.string().optional().describe('who blocked it and why; it cannot be promoted'),
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
        change: change.optional().describe('only if asked for'),
      }),
    )
    .readonly(),
  settings: z.array(fieldChange).readonly().optional().describe('absent if the stage does not apply them'),
  categories: z.array(fieldChange).readonly().optional(),
  mapped: mappedFigures.optional().describe('absent if the stage has no map'),
});
export type StageDifference = z.infer<typeof stageDifference>;

/** The stages of pipelines, their history and differences: `portolan promote status|history|diff`. */
export const pipelineOperations = {
  listPipelines: operation({
    at: 'GET /pipelines',
    summary: 'List pipelines and their stages in order',
    input: z.strictObject({}),
    answer: z.array(z.object({ pipeline, stages: z.array(z.string()) })),
    right: 'view',
    needs: 'store',
  }),
  readPipeline: operation({
    at: 'GET /pipelines/:pipeline',
    summary: "Show each stage's current release, soak time and drift",
    input: z.strictObject({
      pipeline,
      drift: z.boolean().default(false).describe('also check the portals for drift'),
    }),
    answer: pipelineShown,
    right: 'view',
    needs: 'readable',
    turn: ({ drift }) => drift === true,
  }),
  readHistory: operation({
    at: 'GET /pipelines/:pipeline/history',
    summary: 'List promotions and rollbacks of a pipeline',
    input: z.strictObject({ pipeline, stage: stage.optional(), ...paging }),
    answer: z.object({ pipeline: z.string(), entries: z.array(promotionEntry).readonly(), next }),
    right: 'view',
    needs: 'store',
    pages: 'entries',
  }),
  diffStage: operation({
    at: 'GET /pipelines/:pipeline/stages/:stage/diff',
    summary: 'Show what a release would change on a stage (read-only)',
    input: z.strictObject({
      pipeline,
      stage,
      release: release.optional().describe('default: the current release of the previous stage'),
      changes: z.boolean().default(false).describe('also compare what is inside the items'),
    }),
    answer: stageDifference,
    right: 'view',
    needs: 'store',
    turn: true,
  }),
};
