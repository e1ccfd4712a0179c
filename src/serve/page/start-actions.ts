import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { addressOfRun } from '../../config/page-address';
import type { Start } from '../../service/portolan/start';
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
import { goTo, type Pages } from './page-reply';
import { pipelineParams, routeParams, runParams, stageParams, startParams } from './queries';
import { showFormError } from './form-error';
import { showPipeline, showRoute } from './room-pages';
import { showRun, showRuns } from './run-pages';

/** Forms that start runs. Each leads to the page of its run. */
export const startActions =
  (sources: Sources, pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    const config = { right: 'start' } as const;
    app.setErrorHandler(
      showFormError((request, reply, problem) => {
        const params = startParams.parse(request.params);
        if (params.run !== undefined) return showRun(pages, request, reply, { run: params.run, problem });
        if (params.route !== undefined)
          return showRoute(sources, pages, request, reply, { route: params.route, problem });
        return params.pipeline === undefined
          ? showRuns(sources, pages, request, reply, {}, problem)
          : showPipeline(pages, request, reply, { pipeline: params.pipeline, problem });
      }),
    );
    const begun = async (
      { caller, body: { requestId } }: Sent,
      reply: FastifyReply,
      start: Start,
    ): Promise<FastifyReply> => {
      const { runId, isNew } = await begin(sources, start, { caller, requestId });
      return goTo(reply, addressOfRun(runId), isNew ? 'started' : 'again');
    };

    app.post('/syncs', { config, schema: { body: syncForm } }, (sent, reply) =>
      begun(sent, reply, { what: 'sync', request: asked(sent) }),
    );
    app.post(
      '/backups/:route/create',
      { config, schema: { params: routeParams, body: backupForm } },
      (sent, reply) => begun(sent, reply, { what: 'backup', request: { ...sent.params, ...asked(sent) } }),
    );
    app.post(
      '/backups/:route/restore',
      { config, schema: { params: routeParams, body: restoreForm } },
      (sent, reply) => begun(sent, reply, { what: 'restore', request: asked(sent) }),
    );
    app.post(
      '/pipelines/:pipeline/releases',
      { config, schema: { params: pipelineParams, body: releaseForm } },
      (sent, reply) => begun(sent, reply, { what: 'release', request: { ...sent.params, ...asked(sent) } }),
    );
    app.post(
      '/pipelines/:pipeline/:stage/promote',
      { config, schema: { params: stageParams, body: promoteForm } },
      (sent, reply) => {
        const { pipeline, stage } = sent.params;
        return begun(sent, reply, {
          what: 'promotion',
          request: { pipeline, to: stage, ...asked(sent) },
        });
      },
    );
    app.post(
      '/pipelines/:pipeline/:stage/rollback',
      { config, schema: { params: stageParams, body: rollbackForm } },
      (sent, reply) => begun(sent, reply, { what: 'stage rollback', ...sent.params, request: asked(sent) }),
    );
    app.post('/runs/:run/retry', { config, schema: { params: runParams, body: retryForm } }, (sent, reply) =>
      begun(sent, reply, { what: 'retry', ...sent.params, request: asked(sent) }),
    );
    app.post(
      '/runs/:run/restart',
      { config, schema: { params: runParams, body: restartForm } },
      (sent, reply) => begun(sent, reply, { what: 'restart', ...sent.params, request: asked(sent) }),
    );
    app.post(
      '/runs/:run/rollback',
      { config, schema: { params: runParams, body: rollbackForm } },
      (sent, reply) => begun(sent, reply, { what: 'rollback', ...sent.params, request: asked(sent) }),
    );
  };

interface Sent extends Pick<FastifyRequest, 'caller'> {
  readonly body: { readonly requestId?: string };
}

/** What a form asks for, without its request ID. */
function asked<Body extends Sent['body']>({ body }: { readonly body: Body }): Omit<Body, 'requestId'> {
  const { requestId: _once, ...request } = body;
  return request;
}
