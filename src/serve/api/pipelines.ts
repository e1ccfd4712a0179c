import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { findPipeline } from '../../config/resolve-pipeline';
import { pipelineHistory, stageDifference } from '../../service/promotion/history-view';
import { readHistory, readStageDifference } from '../../service/promotion/pipelines';
import { readStages } from '../../service/promotion/read-stages';
import { stageShown } from '../../service/promotion/stage-view';
import { problem } from '../problem';
import type { Sources } from '../sources';
import type { Turns } from '../turns';
import { limit, noCursor } from './cursors';
import { whichRelease } from './releases';

const named = z.object({
  pipeline: z.string().min(1).max(200).describe('name of a pipeline in portolan.yaml'),
});

/** What stands in which stage, and what became of releases there: `portolan promote status|history|diff`. */
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
          ...{ tags, summary: 'Pipelines, and their stages in their order' },
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
          ...{ tags, summary: 'What stands in the stages of a pipeline', params: named },
          querystring: z.object({
            drift: z.stringbool().default(false).describe('asks the portals what was edited there since'),
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
          ...{ tags, summary: 'What was promoted to stages of a pipeline and rolled back from there' },
          params: named,
          querystring: z.object({
            stage: z.string().min(1).max(200).optional(),
            limit,
            cursor: z.string().max(300).optional().describe('`next` of the page before'),
          }),
          response: {
            200: pipelineHistory.extend({ next: z.string().optional().describe('cursor of older ones') }),
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
          ...{ tags, summary: 'What a release would make of a stage, by listings: nothing is written' },
          params: named.extend({ stage: z.string().min(1).max(200) }),
          querystring: z.object({
            release: whichRelease.shape.release
              .optional()
              .describe('by default what stands in the stage before'),
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
