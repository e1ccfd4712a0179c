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
import { type Caller, May } from '../../service/may';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { pinsApi } from './pins';

const tags = ['releases'];
const text = z.string().min(1).max(300);
export const whichRelease = z.object({
  release: text.describe('ID, a unique suffix of it, `latest` or `latest:PIPELINE`'),
});

/** Throws for a release of a pipeline that the caller may not change. */
const mayChange =
  (caller: Caller): MayChange =>
  (pipeline) =>
    pipeline === undefined
      ? new May(caller).changeShared()
      : new May(caller).changeNamed('pipelines', pipeline);

/** `portolan release list|show|diff|pin|unpin|forget`. */
export const releasesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/releases',
      {
        schema: {
          operationId: 'listReleases',
          tags,
          summary: 'List releases, newest first',
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
          tags,
          summary: 'Show what a release contains, who created it, when and why',
          params: whichRelease,
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
          tags,
          summary: 'Compare a release with a later one',
          params: whichRelease,
          querystring: z.object({ with: text.describe('the later release, named in the same way') }),
          response: { 200: releaseComparison, default: problem },
        },
      },
      ({ params: { release }, query: { with: later } }) => diffReleases(sources, release, later),
    );

    await api.register(
      pinsApi({
        what: 'release',
        text: whichRelease.shape.release,
        pin: (named, pin, caller) => pinRelease(sources, named, pin, mayChange(caller)),
        unpin: (named, caller) => unpinRelease(sources, named, mayChange(caller)),
      }),
    );

    api.post(
      '/releases/:release/forget',
      {
        // A dry run only needs the right to view.
        config: { right: 'view' },
        schema: {
          operationId: 'forgetRelease',
          tags,
          summary: 'Forget a release; its snapshots are kept',
          params: whichRelease,
          body: z.strictObject({
            dryRun: z.boolean().default(false).describe('only report which release would be forgotten'),
          }),
          response: { 200: forgottenRelease, default: problem },
        },
      },
      async ({ caller, params: { release }, body: { dryRun } }) => {
        if (!dryRun) new May(caller).have('operate');
        const require = dryRun ? undefined : mayChange(caller);
        return await sources.readable((found) => forgetRelease(found, release, { dryRun }, require));
      },
    );
  };
