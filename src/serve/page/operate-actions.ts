import { addressOfRun } from '../../config/page-address';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { directions } from '../../model/run/portal-queue';
import { Refusal } from '../problem';
import type { Sources } from '../sources';
import { slotForm, noFields, pauseForm } from './forms/form-fields';
import { sentDeed } from './flash-message';
import { goTo, type Pages } from './page-reply';
import { scheduleParams } from './queries';
import { showFormError } from './form-error';
import { showSchedules } from './room-pages';

const queueParams = z.object({ portal: z.string().max(200), direction: z.enum(directions) });

/** Forms of schedules and portal queues. */
export const operateActions =
  (sources: Sources, pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    app.setErrorHandler(
      showFormError((request, reply, problem) => {
        scheduleParams.parse(request.params);
        return showSchedules(sources, pages, request, reply, { problem });
      }),
    );

    app.post(
      '/schedules/:schedule/pause',
      { config: { right: 'operate' }, schema: { params: scheduleParams, body: pauseForm } },
      async (request, reply) => {
        const asked = { ...request.params, reason: needed(request.body.reason) };
        await pages.portolan(request).pauseSchedule(asked);
        return goTo(reply, '/schedules', 'pause');
      },
    );

    app.post(
      '/schedules/:schedule/resume',
      { config: { right: 'operate' }, schema: { params: scheduleParams, body: noFields } },
      async (request, reply) => {
        await pages.portolan(request).resumeSchedule(request.params);
        return goTo(reply, '/schedules', 'resume-schedule');
      },
    );

    app.post(
      '/schedules/:schedule/trigger',
      { config: { right: 'start' }, schema: { params: scheduleParams, body: noFields } },
      async (request, reply) => {
        const { runId } = await pages.portolan(request).triggerSchedule(request.params);
        return runId === undefined
          ? goTo(reply, '/schedules', 'trigger-later')
          : goTo(reply, addressOfRun(runId), 'started');
      },
    );

    app.post(
      '/queues/:portal/:direction/release',
      { config: { right: 'operate' }, schema: { params: queueParams, body: slotForm } },
      async (request, reply) => {
        const { params, body } = request;
        const asked = { ...params, ...body, reason: needed(body.reason) };
        const sent = await pages.portolan(request).releaseSlot(asked);
        return goTo(reply, addressOfRun(sent.runId), sentDeed(sent, 'release'));
      },
    );
  };

/** Throws if no reason was given. */
function needed(reason: string | undefined): string {
  if (reason !== undefined) return reason;
  throw new Refusal(400, 'USAGE', 'A reason is required.', 'Enter a reason and send the form again.');
}
