import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { overlaps } from '../../model/schedule/schedule';
import { reasonText } from '../../model/run/run';
import { paused, pauseSchedule, resumeSchedule, unpaused } from '../../service/schedule/pause-schedule';
import { readSchedule } from '../../service/portolan/local-schedules';
import { applySchedules } from '../../service/schedule/apply-schedules';
import { appliedSchedules, applyRequest } from '../../service/schedule/schedule-change-view';
import { scheduleRows } from '../../service/schedule/schedule-rows';
import { scheduleDetail, scheduleRow } from '../../service/schedule/schedule-view';
import { triggerSchedule } from '../../service/schedule/trigger-schedule';
import { May } from '../../service/may';
import { findOwnSchedule } from '../begin';
import { problem } from '../problem';
import type { Sources } from '../sources';

/** A parked run may have to clean up and end first. @format milliseconds */
const STARTS_WITHIN_MS = 45_000;

const tags = ['schedules'];
const which = z.object({ schedule: z.string().min(1).max(200) });

/** `portolan schedule` and its subcommands. */
export const schedulesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/schedules',
      {
        schema: {
          operationId: 'listSchedules',
          tags,
          summary: 'List schedules with their last run and next start',
          response: { 200: z.array(scheduleRow), default: problem },
        },
      },
      () => sources.both((found) => scheduleRows(found, { runs: 1 })),
    );

    api.get(
      '/schedules/:schedule',
      {
        schema: {
          operationId: 'readSchedule',
          tags,
          summary: 'Show a schedule with its last runs and next five starts',
          params: which,
          response: { 200: scheduleDetail, default: problem },
        },
      },
      ({ params: { schedule } }) => sources.both((found) => readSchedule(found, schedule)),
    );

    api.post(
      '/schedules/:schedule/pause',
      {
        config: { right: 'operate' },
        schema: {
          operationId: 'pauseSchedule',
          tags,
          summary: 'Pause a schedule until it is resumed',
          params: which,
          body: z.strictObject({ reason: reasonText }),
          response: { 200: paused, default: problem },
        },
      },
      ({ caller, params: { schedule }, body: { reason } }) =>
        sources.acting(caller, async (found) => {
          return await pauseSchedule(found, await findOwnSchedule(caller, found, schedule), reason);
        }),
    );

    api.post(
      '/schedules/:schedule/resume',
      {
        config: { right: 'operate' },
        schema: {
          operationId: 'resumeSchedule',
          tags,
          summary: 'Resume a paused schedule',
          params: which,
          body: z.strictObject({}).optional(),
          response: { 200: unpaused, default: problem },
        },
      },
      ({ caller, params: { schedule } }) =>
        sources.acting(caller, async (found) => {
          return await resumeSchedule(found, await findOwnSchedule(caller, found, schedule));
        }),
    );

    api.post(
      '/schedules/:schedule/trigger',
      {
        config: { right: 'start' },
        schema: {
          operationId: 'triggerSchedule',
          tags,
          summary: 'Start a run of a schedule now',
          params: which,
          description:
            'Takes no Idempotency-Key. A repeated request is refused while that run is open, unless `overlap` allows it.',
          body: z.strictObject({
            overlap: z
              .enum(overlaps)
              .optional()
              .describe('what to do if a run of the schedule is still open'),
          }),
          response: {
            202: z.object({
              name: z.string(),
              runId: z.string().optional().describe('absent if it starts after another run ends'),
            }),
            default: problem,
          },
        },
      },
      async ({ caller, params: { schedule }, body: { overlap } }, reply) => {
        const requireMayEnd = (): void => new May(caller).have('operate');
        const runId = await sources.acting(
          caller,
          async (found) => {
            const own = await findOwnSchedule(caller, found, schedule);
            return await triggerSchedule(found, own, overlap, requireMayEnd);
          },
          STARTS_WITHIN_MS,
        );
        reply.code(202);
        return { name: schedule, runId };
      },
    );

    api.post(
      '/schedules/apply',
      {
        // A dry run only needs the right to view.
        config: { right: 'view' },
        schema: {
          operationId: 'applySchedules',
          tags,
          summary: "Apply the schedules in the server's portolan.yaml to Temporal",
          body: applyRequest,
          response: { 200: appliedSchedules, default: problem },
        },
      },
      async ({ caller, body }) => {
        if (!body.dryRun) {
          new May(caller).have('operate');
          new May(caller).changeShared();
        }
        return await sources.acting(caller, (found) => applySchedules(found, body));
      },
    );
  };
