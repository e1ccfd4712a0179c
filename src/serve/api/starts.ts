import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { seekGroupRun } from '../../service/run/find-run';
import type { ActingSources } from '../../service/run/run-sources';
import { beginPrepared, begunRun } from '../../service/portolan/start';
import { type BoundStart, notifyingFailedStart } from '../../service/start/failed-start';
import { backupRequest, drillRequest, prepareBackup, prepareDrill } from '../../service/start/backup';
import { named, type PreparedRun, type Requested, type Say } from '../../service/start/prepared-run';
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
import { requireNamed, requireOfRun, requireRightTo } from '../access';
import { BEGINS_WITHIN_MS, nothingToRetry, requireMayStart } from '../begin';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { whichRun } from './runs';

/** The chosen items of a group may be many. @format bytes */
const BODY_MAX = 512 * 1024;

const started = begunRun.extend({
  said: z.array(z.string()).optional().describe('what was done before it began'),
});

const asking = z.object({
  attended: z
    .stringbool()
    .default(false)
    .describe('whoever starts it is shown its plan, where that waits for a yes, and can answer'),
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
      ...{ tags, operationId, summary, headers: idempotent, querystring: asking },
      response: { 200: started, 202: started, default: problem },
    });
    const config = { right: 'start' } as const;
    const bodyLimit = BODY_MAX;

    /** Prepares a run, sees whether it may be begun by whoever asks, and begins it. */
    const begin = async (
      request: Pick<FastifyRequest, 'caller' | 'headers' | 'body'> & {
        readonly query: z.infer<typeof asking>;
      },
      reply: { code(status: 200 | 202): unknown },
      prepare: (
        found: ActingSources,
        by: Requested & { readonly say: Say },
      ) => Promise<PreparedRun | undefined>,
      bound?: BoundStart,
    ): Promise<z.infer<typeof started>> => {
      const { caller, headers, body, query } = request;
      // A yes that comes with the start is an approval as any other.
      const asked = body as { readonly yes?: boolean; readonly scheduledBy?: string };
      if (asked.yes) requireRightTo(caller, 'approve');
      // It ends a run of that name that is parked.
      if (asked.scheduledBy !== undefined) requireRightTo(caller, 'operate');
      const said: string[] = [];
      const say: Say = (words) => void said.push(words);
      const by = { requestId: headers['idempotency-key'] as string | undefined, say };
      const work = (onPrepared?: () => void) =>
        sources.acting(
          caller,
          async (found) => {
            const prepared = await prepare(found, by);
            if (!prepared) throw nothingToRetry();
            requireMayStart(caller, sources, prepared);
            onPrepared?.();
            return await beginPrepared(prepared, query.attended);
          },
          BEGINS_WITHIN_MS,
        );
      // A task of a portal is told by whoever could have started any run that is bound to it.
      const isTold = bound && caller.routes === undefined;
      const run = isTold ? await notifyingFailedStart(sources.config, bound, say, work) : await work();
      reply.code(run.isNew ? 202 : 200);
      return { ...run, ...(said.length > 0 && { said }) };
    };

    api.post(
      '/syncs',
      {
        config,
        bodyLimit,
        schema: { ...begins('startSync', 'Starts a sync of a route'), body: syncRequest },
      },
      (request, reply) =>
        begin(request, reply, (found, by) => prepareSync(found, request.body, by), {
          ...{ what: 'sync', request: request.body },
        }),
    );
    api.post(
      '/backups',
      { config, bodyLimit, schema: { ...begins('startBackup', 'Starts a backup'), body: backupRequest } },
      (request, reply) =>
        begin(request, reply, (found, by) => prepareBackup(found, request.body, by), {
          ...{ what: 'backup', request: request.body },
        }),
    );
    api.post(
      '/drills',
      {
        ...{ config, bodyLimit },
        schema: { ...begins('startDrill', 'Shows that a snapshot can be restored'), body: drillRequest },
      },
      (request, reply) => begin(request, reply, (found, by) => prepareDrill(found, request.body, by)),
    );
    api.post(
      '/restores',
      {
        ...{ config, bodyLimit },
        schema: {
          ...begins('startRestore', 'Brings what a snapshot holds into a group'),
          body: restoreRequest,
        },
      },
      (request, reply) =>
        begin(request, reply, (found, by) => prepareRestore(found, request.body, by), {
          ...{ what: 'restore', request: request.body },
        }),
    );
    api.post(
      '/releases',
      {
        ...{ config, bodyLimit },
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
        ...{ config, bodyLimit },
        schema: { ...begins('startPromotion', 'Brings a release into a stage'), body: promotionRequest },
      },
      (request, reply) => begin(request, reply, (found, by) => preparePromotion(found, request.body, by)),
    );
    api.post(
      '/pipelines/:pipeline/stages/:stage/rollback',
      {
        ...{ config, bodyLimit },
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
        ...{ config, bodyLimit },
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
        ...{ config, bodyLimit },
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
        ...{ config, bodyLimit },
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
