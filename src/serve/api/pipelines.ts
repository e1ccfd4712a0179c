import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { findPipeline } from '../../config/resolve-pipeline';
import { pipelineHistory, stageDifference } from '../../service/promotion/history-view';
import { readHistory, readStageDifference } from '../../service/promotion/pipelines';
import { readStages } from '../../service/promotion/read-stages';
import { stageShown } from '../../service/promotion/stage-view';
import { problem } from '../problem';
import type { Sources } from '../sources';
import type { Turns } from '../caller-limit';
import { limit, noCursor } from './cursors';
import { whichRelease } from './releases';

const named = z.object({
  pipeline: z.string().min(1).max(200).describe('pipeline in portolan.yaml'),
});

/** The stages of pipelines, their history and differences: `portolan promote status|history|diff`. */
export const pipelinesApi =
  (sources: Sources, turns: Turns): FastifyPluginAsyncZod =>
  async (api) => {
    const { config, store } = sources;
    const tags = ['pipelines'];

    api.get(
      '/pipelines',
      {
        schema: {
          operationId: 'listPipelines',
          tags,
          summary: 'List pipelines and their stages in order',
          response: { 200: z.array(named.extend({ stages: z.array(z.string()) })), default: problem },
        },
      },
      () =>
        [...config.pipelines.values()].map(({ name, stages }) => ({
          pipeline: name,
          stages: stages.map((stage) => stage.name),
        })),
    );

    api.get(
      '/pipelines/:pipeline',
      {
        schema: {
          operationId: 'readPipeline',
          tags,
          summary: "Show each stage's current release, soak time and drift",
          params: named,
          querystring: z.object({
            drift: z.stringbool().default(false).describe('also check the portals for drift'),
          }),
          response: { 200: named.extend({ stages: z.array(stageShown) }), default: problem },
        },
      },
      async (request) => {
        const { pipeline } = request.params;
        const { drift } = request.query;
        const read = (signal?: AbortSignal) =>
          sources.readable(async (found) => ({
            pipeline,
            stages: await readStages(found, findPipeline(config, pipeline), { drift, signal }),
          }));
        return drift ? await turns.of(request, read) : await read();
      },
    );

    api.get(
      '/pipelines/:pipeline/history',
      {
        schema: {
          operationId: 'readHistory',
          tags,
          summary: 'List promotions and rollbacks of a pipeline',
          params: named,
          querystring: z.object({
            stage: z.string().min(1).max(200).optional(),
            limit,
            cursor: z.string().max(300).optional().describe('`next` of the previous page'),
          }),
          response: {
            200: pipelineHistory.extend({
              next: z.string().optional().describe('cursor of the next page, with older entries'),
            }),
            default: problem,
          },
        },
      },
      async ({ params: { pipeline }, query: { stage, limit: count, cursor } }) => {
        const { entries } = await readHistory(sources, pipeline, stage);
        const marks = entries.map(({ kind, runId }) => `${kind} ${runId}`);
        const from = cursor === undefined ? 0 : marks.indexOf(cursor) + 1;
        if (cursor !== undefined && from === 0) throw noCursor();
        const page = entries.slice(from, from + count);
        const isMore = entries.length > from + count;
        return { pipeline, entries: page, ...(isMore && { next: marks[from + count - 1] }) };
      },
    );

    api.get(
      '/pipelines/:pipeline/stages/:stage/diff',
      {
        schema: {
          operationId: 'diffStage',
          tags,
          summary: 'Show what a release would change on a stage (read-only)',
          params: named.extend({ stage: z.string().min(1).max(200) }),
          querystring: z.object({
            release: whichRelease.shape.release
              .optional()
              .describe('default: the current release of the previous stage'),
          }),
          response: { 200: stageDifference, default: problem },
        },
      },
      (request) => {
        const { pipeline, stage } = request.params;
        return turns.of(request, (signal) =>
          readStageDifference({ config, store, signal }, pipeline, stage, request.query.release),
        );
      },
    );
  };
