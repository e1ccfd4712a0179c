import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { seekGroupRun } from '../../service/run/find-run';
import type { StartedRun } from '../../service/run/start-run';
import { prepareBackup } from '../../service/start/backup';
import { preparePromotion, prepareStageRollback } from '../../service/start/promotion';
import { prepareRelease } from '../../service/start/release';
import { prepareRestart } from '../../service/start/restart';
import { prepareRestore, prepareRollback } from '../../service/start/restore';
import { prepareRetry } from '../../service/start/retry';
import { prepareSync } from '../../service/start/sync';
import { requireNamed, requireOfRun, requireRightTo } from '../access';
import { begin } from '../begin';
import type { Sources } from '../sources';
import {
  backupForm,
  promoteForm,
  releaseForm,
  restartForm,
  restoreForm,
  retryForm,
  rollbackForm,
  syncForm,
} from './forms/form-fields';
import { goTo } from './page-reply';
import { addressOfRun } from './parts/run-marks';
import { pipelineParams, routeParams, runParams, stageParams } from './queries';

/** What is begun by forms. Each leads to the page of the run that it has begun. */
export const startActions =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (app) => {
    const config = { right: 'start' } as const;

    app.post('/syncs', { config, schema: { body: syncForm } }, async (request, reply) => {
      const { requestId, ...asked } = request.body;
      return begun(
        reply,
        await begin(
          sources,
          { caller: request.caller, requestId, bound: { what: 'sync', request: asked } },
          (found, by) => prepareSync(found, asked, by),
        ),
      );
    });

    app.post(
      '/backups/:route/create',
      { config, schema: { params: routeParams, body: backupForm } },
      async ({ caller, params, body: { requestId, ...asked } }, reply) =>
        begun(
          reply,
          await begin(
            sources,
            { caller, requestId, bound: { what: 'backup', request: { ...params, ...asked } } },
            (found, by) => prepareBackup(found, { ...params, ...asked }, by),
          ),
        ),
    );

    app.post(
      '/backups/:route/restore',
      { config, schema: { params: routeParams, body: restoreForm } },
      async ({ caller, body: { requestId, ...asked } }, reply) =>
        begun(
          reply,
          await begin(sources, { caller, requestId }, (found, by) => prepareRestore(found, asked, by)),
        ),
    );

    app.post(
      '/pipelines/:pipeline/releases',
      { config, schema: { params: pipelineParams, body: releaseForm } },
      async ({ caller, params, body: { requestId, ...asked } }, reply) =>
        begun(
          reply,
          await begin(sources, { caller, requestId }, (found, by) =>
            prepareRelease(found, { ...params, ...asked }, by),
          ),
        ),
    );

    app.post(
      '/pipelines/:pipeline/:stage/promote',
      { config, schema: { params: stageParams, body: promoteForm } },
      async ({ caller, params: { pipeline, stage }, body: { requestId, ...asked } }, reply) =>
        begun(
          reply,
          await begin(sources, { caller, requestId }, (found, by) =>
            preparePromotion(found, { pipeline, to: stage, ...asked }, by),
          ),
        ),
    );

    app.post(
      '/pipelines/:pipeline/:stage/rollback',
      { config, schema: { params: stageParams, body: rollbackForm } },
      async ({ caller, params, body: { requestId, ...asked } }, reply) => {
        // It ends a promotion that is parked there before another one begins.
        requireNamed(caller, 'pipelines', params.pipeline);
        requireRightTo(caller, 'operate');
        return begun(
          reply,
          await begin(sources, { caller, requestId }, (found, by) =>
            prepareStageRollback(found, params, asked, by),
          ),
        );
      },
    );

    app.post(
      '/runs/:run/retry',
      { config, schema: { params: runParams, body: retryForm } },
      async ({ caller, params, body: { requestId, ...asked } }, reply) =>
        begun(
          reply,
          await begin(sources, { caller, requestId, yes: asked.yes }, async (found, by) => {
            // With bisect, it ends a run that is parked.
            const { record } = await seekGroupRun(found, params.run);
            requireOfRun(caller)(record);
            if (asked.bisect) requireRightTo(caller, 'operate');
            return await prepareRetry(found, record.runId, asked, by);
          }),
        ),
    );

    app.post(
      '/runs/:run/restart',
      { config, schema: { params: runParams, body: restartForm } },
      async ({ caller, params, body: { requestId, ...asked } }, reply) =>
        begun(
          reply,
          await begin(sources, { caller, requestId }, (found, by) =>
            prepareRestart(found, params.run, asked, by),
          ),
        ),
    );

    app.post(
      '/runs/:run/rollback',
      { config, schema: { params: runParams, body: rollbackForm } },
      async ({ caller, params, body: { requestId, ...asked } }, reply) =>
        begun(
          reply,
          await begin(sources, { caller, requestId }, async (found, by) =>
            prepareRollback(found, await seekGroupRun(found, params.run), asked, by),
          ),
        ),
    );
  };

const begun = (reply: FastifyReply, { runId, isNew }: StartedRun): FastifyReply =>
  goTo(reply, addressOfRun(runId), isNew ? 'started' : 'again');
