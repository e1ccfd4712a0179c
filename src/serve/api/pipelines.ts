import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { findPipeline } from '../../config/resolve-pipeline';
import { openSnapshots } from '../../domain/snapshot/open-snapshots';
import { readStages } from '../../service/promotion/read-stages';
import { stageShown } from '../../service/promotion/stage-view';
import { releaseShown, releaseView, unreadableRelease } from '../../service/release/release-view';
import { problem } from '../problem';
import type { Sources } from '../sources';

const named = z.object({
  pipeline: z.string().min(1).max(200).describe('name of a pipeline in portolan.yaml'),
});

/** What stands in which stage, and releases: `portolan promote status`, `portolan release list`. */
export const pipelinesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
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
      ({ params: { pipeline }, query: { drift } }) =>
        sources.readable(async (found) => ({
          pipeline,
          stages: await readStages(found, findPipeline(config, pipeline), { drift }),
        })),
    );

    api.get(
      '/releases',
      {
        schema: {
          operationId: 'listReleases',
          ...{ tags, summary: 'Releases, newest first', querystring: named.partial() },
          response: {
            200: z.object({ releases: z.array(releaseShown), unreadable: z.array(unreadableRelease) }),
            default: problem,
          },
        },
      },
      async ({ query: { pipeline } }) => {
        const { readable, unreadable } = await openSnapshots(config, store).releases.list();
        return {
          releases: readable
            .filter(({ manifest }) => pipeline === undefined || manifest.pipeline === pipeline)
            .map(releaseView),
          unreadable: [...unreadable],
        };
      },
    );
  };
