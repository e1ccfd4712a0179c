import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  forgottenRelease,
  listedReleases,
  releaseComparison,
  releaseShown,
} from '../../service/release/release-view';
import {
  diffReleases,
  forgetRelease,
  listReleases,
  type MayChange,
  pinRelease,
  readRelease,
  unpinRelease,
} from '../../service/release/releases';
import { type Caller, requireNamed, requireRightTo, requireUnlimited } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { pinsApi } from './pins';

const tags = ['releases'];
const text = z.string().min(1).max(300);
export const whichRelease = z.object({
  release: text.describe('id, an end of it, `latest`, or `latest:PIPELINE`'),
});

/** Throws of a release of another pipeline than whoever asks may change things of. */
const mayChange =
  (caller: Caller): MayChange =>
  (pipeline) =>
    pipeline === undefined ? requireUnlimited(caller) : requireNamed(caller, 'pipelines', pipeline);

/** What a pipeline's groups held at one moment: `portolan release list|show|diff|pin|unpin|forget`. */
export const releasesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/releases',
      {
        schema: {
          operationId: 'listReleases',
          ...{ tags, summary: 'Releases, newest first' },
          querystring: z.object({
            pipeline: z.string().min(1).max(200).optional().describe('only those of this pipeline'),
          }),
          response: { 200: listedReleases, default: problem },
        },
      },
      ({ query: { pipeline } }) => listReleases(sources, pipeline),
    );

    api.get(
      '/releases/:release',
      {
        schema: {
          operationId: 'readRelease',
          ...{ tags, summary: 'What a release holds, who made it, why, and of what', params: whichRelease },
          response: { 200: releaseShown, default: problem },
        },
      },
      ({ params: { release } }) => readRelease(sources, release),
    );

    api.get(
      '/releases/:release/diff',
      {
        schema: {
          operationId: 'diffReleases',
          ...{ tags, summary: 'How a later release differs from this one', params: whichRelease },
          querystring: z.object({ with: text.describe('the later one, named in the same ways') }),
          response: { 200: releaseComparison, default: problem },
        },
      },
      ({ params: { release }, query: { with: later } }) => diffReleases(sources, release, later),
    );

    await api.register(
      pinsApi({
        ...{ what: 'release', text: whichRelease.shape.release },
        pin: (named, pin, caller) => pinRelease(sources, named, pin, mayChange(caller)),
        unpin: (named, caller) => unpinRelease(sources, named, mayChange(caller)),
      }),
    );

    api.post(
      '/releases/:release/forget',
      {
        // Which one is meant may be asked by whoever may look.
        config: { right: 'view' },
        schema: {
          operationId: 'forgetRelease',
          ...{ tags, summary: 'Forgets it; its snapshots stay', params: whichRelease },
          body: z.strictObject({
            dryRun: z.boolean().default(false).describe('only says which one is meant'),
          }),
          response: { 200: forgottenRelease, default: problem },
        },
      },
      async ({ caller, params: { release }, body: { dryRun } }) => {
        if (!dryRun) requireRightTo(caller, 'operate');
        const require = dryRun ? undefined : mayChange(caller);
        return await sources.readable((found) => forgetRelease(found, release, { dryRun }, require));
      },
    );
  };
