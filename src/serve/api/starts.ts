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

/** A request may name many items. @format bytes */
const BODY_MAX = 512 * 1024;

const started = begunRun.extend({
  said: z.array(z.string()).optional().describe('what was done before the run started'),
});

const asking = z.object({
  attended: z
    .stringbool()
    .default(false)
    .describe('the caller is shown a plan that waits for approval and can decide'),
  requestId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('instead of Idempotency-Key, for keys with characters a header cannot hold'),
});

/** A repeated request starts only one run: `--request-id`. */
const idempotent = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(HEADER_KEY, 'needs 1 to 200 characters without spaces')
    .optional()
    .describe('the same key starts at most one run'),
});

/** Description of each operation: how to retry it. */
const REPEATED =
  'To retry safely, send an Idempotency-Key and repeat the request with the same key if no response arrives: 202 means a new run, 200 the run started before, 400 that the key has started something else. Without a key, each request starts a run.';

interface StartRequest extends Pick<FastifyRequest, 'caller'> {
  readonly headers: z.infer<typeof idempotent>;
  readonly query: z.infer<typeof asking>;
}

const whichStage = z.object({ pipeline: named, stage: named });

/** Commands that start runs: `portolan sync`, `backup create`, `restore`, `promote` and so on. */
export const startsApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    const starts = <Body extends z.ZodType>(operationId: string, summary: string, body: Body) => ({
      config: { right: 'start' } as const,
      bodyLimit: BODY_MAX,
      schema: {
        tags: ['starts'],
        operationId,
        summary,
        description: REPEATED,
        headers: idempotent,
        querystring: asking,
        body,
        response: { 200: started, 202: started, default: problem },
      },
    });
    const ofRun = <Body extends z.ZodType>(operationId: string, summary: string, body: Body) => {
      const { schema, ...options } = starts(operationId, summary, body);
      return { ...options, schema: { ...schema, params: whichRun } };
    };

    const answer = async (
      { caller, headers, query }: StartRequest,
      reply: { code(status: 200 | 202): unknown },
      start: Start,
    ): Promise<z.infer<typeof started>> => {
      const said: string[] = [];
      const run = await begin(sources, start, {
        caller,
        attended: query.attended,
        requestId: headers['idempotency-key'] ?? query.requestId,
        say: (words) => void said.push(words),
      });
      reply.code(run.isNew ? 202 : 200);
      return { ...run, ...(said.length > 0 && { said }) };
    };

    api.post('/syncs', starts('startSync', 'Start a sync of a route', syncRequest), (asked, reply) =>
      answer(asked, reply, { what: 'sync', request: asked.body }),
    );
    api.post('/backups', starts('startBackup', 'Start a backup', backupRequest), (asked, reply) =>
      answer(asked, reply, { what: 'backup', request: asked.body }),
    );
    api.post(
      '/drills',
      starts('startDrill', 'Test that a snapshot can be restored', drillRequest),
      (asked, reply) => answer(asked, reply, { what: 'drill', request: asked.body }),
    );
    api.post(
      '/restores',
      starts('startRestore', 'Restore a snapshot into a group', restoreRequest),
      (asked, reply) => answer(asked, reply, { what: 'restore', request: asked.body }),
    );
    api.post(
      '/releases',
      starts('createRelease', "Create a release from a pipeline's first stage", releaseRequest),
      (asked, reply) => answer(asked, reply, { what: 'release', request: asked.body }),
    );
    api.post(
      '/promotions',
      starts('startPromotion', 'Promote a release to a stage', promotionRequest),
      (asked, reply) => answer(asked, reply, { what: 'promotion', request: asked.body }),
    );

    const { schema, ...options } = starts(
      'rollBackStage',
      'Roll a stage back to its state before the last promotion',
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
      ofRun('retryRun', 'Retry items that were not imported', retryRequest),
      (asked, reply) => answer(asked, reply, { what: 'retry', run: asked.params.run, request: asked.body }),
    );
    api.post(
      '/runs/:run/restart',
      ofRun('restartRun', 'Restart an ended run as a new run', restartRequest),
      (asked, reply) => answer(asked, reply, { what: 'restart', run: asked.params.run, request: asked.body }),
    );
    api.post(
      '/runs/:run/rollback',
      ofRun('rollBackRun', 'Restore the items a run overwrote', rollbackRequest),
      (asked, reply) =>
        answer(asked, reply, { what: 'rollback', run: asked.params.run, request: asked.body }),
    );
  };
