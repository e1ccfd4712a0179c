import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { seekGroupRun } from '../../service/run/find-run';
import type { ActingSources } from '../../service/run/run-sources';
import type { StartedRun } from '../../service/run/start-run';
import { backupRequest, drillRequest, prepareBackup, prepareDrill } from '../../service/start/backup';
import { named, type PreparedRun, type Requested } from '../../service/start/prepared-run';
import {
  preparePromotion,
  prepareStageRollback,
  promotionRequest,
  stageRollbackRequest,
} from '../../service/start/promotion';
import { prepareRelease, releaseRequest } from '../../service/start/release';
import { prepareRestart, restartRequest } from '../../service/start/restart';
import {
  prepareRestore,
  prepareRollback,
  restoreRequest,
  rollbackRequest,
} from '../../service/start/restore';
import { prepareRetry, retryRequest } from '../../service/start/retry';
import { prepareSync, syncRequest } from '../../service/start/sync';
import { type Caller, requireEnds, requireNamed, requireOfRun, requireRightTo } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { whichRun } from './runs';

/** What is asked of workers and portals before a run begins may take so long. @format milliseconds */
const BEGINS_WITHIN_MS = 30_000;

const started = z.object({
  runId: z.string(),
  isNew: z.boolean().describe('false where the key has started it before'),
});

/** By which the same request is the same run, however often it is sent: `--request-id`. */
const idempotent = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'has 1 to 200 characters, and none is a space')
    .optional()
    .describe('the same key twice is the same run'),
});

const tags = ['starts'];

/** What is begun: `portolan sync`, `backup create`, `restore`, `promote` and their like. 202, and 200 where it had begun. */
export const startsApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    const begins = (operationId: string, summary: string) => ({
      ...{ tags, operationId, summary, headers: idempotent },
      response: { 200: started, 202: started, default: problem },
    });
    const config = { right: 'start' } as const;

    /** Prepares a run, sees whether it may be begun by whoever asks, and begins it. */
    const begin = async (
      request: Pick<FastifyRequest, 'caller' | 'headers' | 'body'>,
      reply: { code(status: 200 | 202): unknown },
      prepare: (found: ActingSources, by: Requested) => Promise<PreparedRun | undefined>,
    ): Promise<StartedRun> => {
      const { caller, headers, body } = request;
      // A yes that comes with the start is an approval as any other.
      if ((body as { readonly yes?: boolean }).yes) requireRightTo(caller, 'approve');
      const by = { requestId: headers['idempotency-key'] as string | undefined };
      const run = await sources.acting(
        caller,
        async (found) => {
          const prepared = await prepare(found, by);
          if (!prepared)
            throw new PortolanError('USAGE', 'There is nothing to retry: all items have arrived.');
          requireMayStart(caller, sources, prepared);
          return await prepared.begin();
        },
        BEGINS_WITHIN_MS,
      );
      reply.code(run.isNew ? 202 : 200);
      return run;
    };

    api.post(
      '/syncs',
      {
        config,
        schema: {
          ...begins('startSync', 'Starts a sync of a route'),
          body: syncRequest.omit({ scheduledBy: true }),
        },
      },
      (request, reply) => begin(request, reply, (found, by) => prepareSync(found, request.body, by)),
    );
    api.post(
      '/backups',
      { config, schema: { ...begins('startBackup', 'Starts a backup'), body: backupRequest } },
      (request, reply) => begin(request, reply, (found, by) => prepareBackup(found, request.body, by)),
    );
    api.post(
      '/drills',
      {
        config,
        schema: { ...begins('startDrill', 'Shows that a snapshot can be restored'), body: drillRequest },
      },
      (request, reply) => begin(request, reply, (found, by) => prepareDrill(found, request.body, by)),
    );
    api.post(
      '/restores',
      {
        config,
        schema: {
          ...begins('startRestore', 'Brings what a snapshot holds into a group'),
          body: restoreRequest,
        },
      },
      (request, reply) => begin(request, reply, (found, by) => prepareRestore(found, request.body, by)),
    );
    api.post(
      '/releases',
      {
        config,
        schema: {
          ...begins('createRelease', "Makes a release of a pipeline's first stage"),
          body: releaseRequest,
        },
      },
      (request, reply) => begin(request, reply, (found, by) => prepareRelease(found, request.body, by)),
    );
    api.post(
      '/promotions',
      {
        config,
        schema: { ...begins('startPromotion', 'Brings a release into a stage'), body: promotionRequest },
      },
      (request, reply) => begin(request, reply, (found, by) => preparePromotion(found, request.body, by)),
    );
    api.post(
      '/pipelines/:pipeline/stages/:stage/rollback',
      {
        config,
        schema: {
          ...begins('rollBackStage', 'Brings a stage back to what it was before its last promotion'),
          params: z.object({ pipeline: named, stage: named }),
          body: stageRollbackRequest,
        },
      },
      (request, reply) => {
        const { params, body, caller } = request;
        // It ends a promotion that is parked there before another one begins.
        requireNamed(caller, 'pipelines', params.pipeline);
        requireRightTo(caller, 'operate');
        return begin(request, reply, (found, by) => prepareStageRollback(found, params, body, by));
      },
    );

    api.post(
      '/runs/:run/retry',
      {
        config,
        schema: {
          ...begins('retryRun', 'Tries items that have not arrived'),
          params: whichRun,
          body: retryRequest,
        },
      },
      (request, reply) =>
        begin(request, reply, async (found, by) => {
          const { params, body, caller } = request;
          // With bisect, it ends a run that is parked.
          const { record } = await seekGroupRun(found, params.run);
          requireOfRun(caller)(record);
          if (body.bisect) requireRightTo(caller, 'operate');
          return await prepareRetry(found, record.runId, body, by);
        }),
    );
    api.post(
      '/runs/:run/restart',
      {
        config,
        schema: {
          ...begins('restartRun', 'Begins again in the place of a run that is over'),
          params: whichRun,
          body: restartRequest,
        },
      },
      (request, reply) =>
        begin(request, reply, (found, by) => prepareRestart(found, request.params.run, request.body, by)),
    );
    api.post(
      '/runs/:run/rollback',
      {
        config,
        schema: {
          ...begins('rollBackRun', 'Restores what a run has overwritten'),
          params: whichRun,
          body: rollbackRequest,
        },
      },
      (request, reply) =>
        begin(request, reply, async (found, by) =>
          prepareRollback(found, await seekGroupRun(found, request.params.run), request.body, by),
        ),
    );
  };

/** Throws where whoever asks may start runs of other routes and pipelines only, or between other groups. */
function requireMayStart(caller: Caller, { config }: Sources, { kind, route }: PreparedRun): void {
  requireOfRun(caller)({ kind, route });
  requireEnds(caller, config, kind, route);
}
