import { addressOfRun } from '../../config/page-address';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { directions } from '../../model/run/portal-queue';
import { releaseSlot, seekHolder } from '../../service/run/release-slot';
import { pauseSchedule, resumeSchedule } from '../../service/schedule/pause-schedule';
import { triggerSchedule } from '../../service/schedule/trigger-schedule';
import { May } from '../../service/may';
import { findOwnSchedule } from '../begin';
import { Refusal } from '../problem';
import type { Sources } from '../sources';
import { slotForm, noFields, pauseForm } from './forms/form-fields';
import { sentDeed } from './flash-message';
import { goTo, type Pages } from './page-reply';
import { scheduleParams } from './queries';
import { showFormError } from './form-error';
import { showSchedules } from './room-pages';

/** A parked run may have to clean up and end first. @format milliseconds */
const STARTS_WITHIN_MS = 45_000;

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
      async ({ caller, params: { schedule }, body: { reason } }, reply) => {
        await sources.acting(caller, async (found) => {
          await pauseSchedule(found, await findOwnSchedule(caller, found, schedule), needed(reason));
        });
        return goTo(reply, '/schedules', 'pause');
      },
    );

    app.post(
      '/schedules/:schedule/resume',
      { config: { right: 'operate' }, schema: { params: scheduleParams, body: noFields } },
      async ({ caller, params: { schedule } }, reply) => {
        await sources.acting(caller, async (found) => {
          await resumeSchedule(found, await findOwnSchedule(caller, found, schedule));
        });
        return goTo(reply, '/schedules', 'resume-schedule');
      },
    );

    app.post(
      '/schedules/:schedule/trigger',
      { config: { right: 'start' }, schema: { params: scheduleParams, body: noFields } },
      async ({ caller, params: { schedule } }, reply) => {
        const runId = await sources.acting(
          caller,
          async (found) =>
            triggerSchedule(found, await findOwnSchedule(caller, found, schedule), undefined, () =>
              new May(caller).have('operate'),
            ),
          STARTS_WITHIN_MS,
        );
        return runId === undefined
          ? goTo(reply, '/schedules', 'trigger-later')
          : goTo(reply, addressOfRun(runId), 'started');
      },
    );

    app.post(
      '/queues/:portal/:direction/release',
      { config: { right: 'operate' }, schema: { params: queueParams, body: slotForm } },
      async ({ caller, params: { portal, direction }, body: { run, since, reason } }, reply) => {
        new May(caller).changeShared();
        const sent = await sources.acting(caller, async (found) => {
          const { address, holder } = await seekHolder(found, `${portal}/${direction}`, run);
          return await releaseSlot(found, address, { ...holder, since }, needed(reason));
        });
        return goTo(reply, addressOfRun(sent.runId), sentDeed(sent, 'release'));
      },
    );
  };

/** Throws if no reason was given. */
function needed(reason: string | undefined): string {
  if (reason !== undefined) return reason;
  throw new Refusal(400, 'USAGE', 'A reason is required.', 'Enter a reason and send the form again.');
}
