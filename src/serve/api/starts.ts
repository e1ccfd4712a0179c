import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { HEADER_KEY } from '../../service/portolan/answers-view';
import { begunRun, type Start } from '../../service/portolan/start';
import { backupRequest, drillRequest } from '../../service/start/backup';
import { named } from '../../service/start/prepared-run';
import { promotionRequest, stageRollbackRequest } from '../../service/start/promotion';
import { releaseRequest } from '../../service/start/release';
import { restartRequest } from '../../service/start/restart';
import { restoreRequest, rollbackRequest } from '../../service/start/restore';
import { retryRequest } from '../../service/start/retry';
import { syncRequest } from '../../service/start/sync';
import { begin } from '../begin';
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
  requestId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('a key with letters that the header Idempotency-Key cannot hold, in its place'),
});

/** By which the same request is the same run, however often it is sent: `--request-id`. */
const idempotent = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(HEADER_KEY, 'has 1 to 200 characters, and none is a space')
    .optional()
    .describe('the same key twice is the same run'),
});

/** Of each operation: how it is repeated after an answer was lost. */
const REPEATED =
  'Send an Idempotency-Key, and the same key with the same request again after an answer was lost: 202 for a new run, 200 for the one that it started before, 400 if the key has started something else. Without a key each request starts a run.';

interface Asked extends Pick<FastifyRequest, 'caller'> {
  readonly headers: z.infer<typeof idempotent>;
  readonly query: z.infer<typeof asking>;
}

const whichStage = z.object({ pipeline: named, stage: named });

/** What is begun: `portolan sync`, `backup create`, `restore`, `promote` and their like. 202, and 200 where it had begun. */
export const startsApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    const starts = <Body extends z.ZodType>(operationId: string, summary: string, body: Body) => ({
      config: { right: 'start' } as const,
      bodyLimit: BODY_MAX,
      schema: {
        ...{ tags: ['starts'], operationId, summary, description: REPEATED },
        ...{ headers: idempotent, querystring: asking, body },
        response: { 200: started, 202: started, default: problem },
      },
    });
    const ofRun = <Body extends z.ZodType>(operationId: string, summary: string, body: Body) => {
      const { schema, ...options } = starts(operationId, summary, body);
      return { ...options, schema: { ...schema, params: whichRun } };
    };

    const answer = async (
      { caller, headers, query }: Asked,
      reply: { code(status: 200 | 202): unknown },
      start: Start,
    ): Promise<z.infer<typeof started>> => {
      const said: string[] = [];
      const run = await begin(sources, start, {
        ...{ caller, attended: query.attended },
        requestId: headers['idempotency-key'] ?? query.requestId,
        say: (words) => void said.push(words),
      });
      reply.code(run.isNew ? 202 : 200);
      return { ...run, ...(said.length > 0 && { said }) };
    };

    api.post('/syncs', starts('startSync', 'Starts a sync of a route', syncRequest), (asked, reply) =>
      answer(asked, reply, { what: 'sync', request: asked.body }),
    );
    api.post('/backups', starts('startBackup', 'Starts a backup', backupRequest), (asked, reply) =>
      answer(asked, reply, { what: 'backup', request: asked.body }),
    );
    api.post(
      '/drills',
      starts('startDrill', 'Shows that a snapshot can be restored', drillRequest),
      (asked, reply) => answer(asked, reply, { what: 'drill', request: asked.body }),
    );
    api.post(
      '/restores',
      starts('startRestore', 'Brings what a snapshot holds into a group', restoreRequest),
      (asked, reply) => answer(asked, reply, { what: 'restore', request: asked.body }),
    );
    api.post(
      '/releases',
      starts('createRelease', "Makes a release of a pipeline's first stage", releaseRequest),
      (asked, reply) => answer(asked, reply, { what: 'release', request: asked.body }),
    );
    api.post(
      '/promotions',
      starts('startPromotion', 'Brings a release into a stage', promotionRequest),
      (asked, reply) => answer(asked, reply, { what: 'promotion', request: asked.body }),
    );

    const { schema, ...options } = starts(
      'rollBackStage',
      'Brings a stage back to what it was before its last promotion',
      stageRollbackRequest,
    );
    api.post(
      '/pipelines/:pipeline/stages/:stage/rollback',
      { ...options, schema: { ...schema, params: whichStage } },
      (asked, reply) =>
        answer(asked, reply, { what: 'stage rollback', ...asked.params, request: asked.body }),
    );

    api.post(
      '/runs/:run/retry',
      ofRun('retryRun', 'Tries items that have not arrived', retryRequest),
      (asked, reply) => answer(asked, reply, { what: 'retry', run: asked.params.run, request: asked.body }),
    );
    api.post(
      '/runs/:run/restart',
      ofRun('restartRun', 'Begins again in the place of a run that is over', restartRequest),
      (asked, reply) => answer(asked, reply, { what: 'restart', run: asked.params.run, request: asked.body }),
    );
    api.post(
      '/runs/:run/rollback',
      ofRun('rollBackRun', 'Restores what a run has overwritten', rollbackRequest),
      (asked, reply) =>
        answer(asked, reply, { what: 'rollback', run: asked.params.run, request: asked.body }),
    );
  };
