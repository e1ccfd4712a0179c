import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { addressOfRun } from '../../config/page-address';
import type { How } from '../../contract/operation';
import type { BegunRun } from '../../contract/starts';
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
    /** Leads to the page of the run. */
    const led = async (reply: FastifyReply, starting: Promise<BegunRun>): Promise<FastifyReply> => {
      const { runId, isNew } = await starting;
      return goTo(reply, addressOfRun(runId), isNew ? 'started' : 'again');
    };

    app.post('/syncs', { config, schema: { body: syncForm } }, (sent, reply) =>
      led(reply, pages.portolan(sent).startSync(...asked(sent.body))),
    );
    app.post(
      '/backups/:route/create',
      { config, schema: { params: routeParams, body: backupForm } },
      (sent, reply) => led(reply, pages.portolan(sent).startBackup(...asked(sent.body, sent.params))),
    );
    app.post(
      '/backups/:route/restore',
      { config, schema: { params: routeParams, body: restoreForm } },
      (sent, reply) => led(reply, pages.portolan(sent).startRestore(...asked(sent.body))),
    );
    app.post(
      '/pipelines/:pipeline/releases',
      { config, schema: { params: pipelineParams, body: releaseForm } },
      (sent, reply) => led(reply, pages.portolan(sent).createRelease(...asked(sent.body, sent.params))),
    );
    app.post(
      '/pipelines/:pipeline/:stage/promote',
      { config, schema: { params: stageParams, body: promoteForm } },
      (sent, reply) => {
        const { pipeline, stage: to } = sent.params;
        return led(reply, pages.portolan(sent).startPromotion(...asked(sent.body, { pipeline, to })));
      },
    );
    app.post(
      '/pipelines/:pipeline/:stage/rollback',
      { config, schema: { params: stageParams, body: rollbackForm } },
      (sent, reply) => led(reply, pages.portolan(sent).rollBackStage(...asked(sent.body, sent.params))),
    );
    app.post('/runs/:run/retry', { config, schema: { params: runParams, body: retryForm } }, (sent, reply) =>
      led(reply, pages.portolan(sent).retryRun(...asked(sent.body, sent.params))),
    );
    app.post(
      '/runs/:run/restart',
      { config, schema: { params: runParams, body: restartForm } },
      (sent, reply) => led(reply, pages.portolan(sent).restartRun(...asked(sent.body, sent.params))),
    );
    app.post(
      '/runs/:run/rollback',
      { config, schema: { params: runParams, body: rollbackForm } },
      (sent, reply) => led(reply, pages.portolan(sent).rollBackRun(...asked(sent.body, sent.params))),
    );
  };

/** What a form of a page asks for. @param about what the page is about */
const asked = <Body extends { readonly requestId?: string }, About extends object = object>(
  { requestId, ...form }: Body,
  about?: About,
): [Omit<Body, 'requestId'> & About, How] => [{ ...form, ...(about as About) }, { requestId }];
