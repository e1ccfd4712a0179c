import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { overlaps } from '../../model/schedule/schedule';
import { reasonText } from '../../model/text/reason';
import { paused, pauseSchedule, resumeSchedule, unpaused } from '../../service/schedule/pause-schedule';
import { readSchedule } from '../../service/portolan/local-schedules';
import { applySchedules } from '../../service/schedule/apply-schedules';
import { backfill } from '../../service/schedule/backfill-schedule';
import {
  appliedSchedules,
  applyRequest,
  backfilled,
  backfillRequest,
} from '../../service/schedule/schedule-change-view';
import { scheduleRows } from '../../service/schedule/schedule-rows';
import { scheduleDetail, scheduleRow } from '../../service/schedule/schedule-view';
import { triggerSchedule } from '../../service/schedule/trigger-schedule';
import { requireRightTo, requireUnlimited } from '../access';
import { findOwnSchedule } from '../begin';
import { problem } from '../problem';
import type { Sources } from '../sources';

/** A run that is parked leaves first, and removes what it holds. @format milliseconds */
const STARTS_WITHIN_MS = 45_000;

const tags = ['schedules'];
const which = z.object({ schedule: z.string().min(1).max(200) });

/** What is started by the clock: `portolan schedule` and all below it. */
export const schedulesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/schedules',
      {
        schema: {
          operationId: 'listSchedules',
          ...{
            tags,
            summary: 'What is started by the clock, how its last start ended, and when the next is due',
          },
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
          ...{ tags, summary: 'A schedule with its last runs and its next five times', params: which },
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
          ...{ tags, summary: 'It starts nothing until it is resumed', params: which },
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
          ...{ tags, summary: 'Undoes a pause', params: which },
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
          ...{ tags, summary: 'Starts a run of it now', params: which },
          description:
            'Takes no Idempotency-Key: sent again while that run is open, it is refused unless `overlap` says otherwise.',
          body: z.strictObject({
            overlap: z.enum(overlaps).optional().describe('where a run of it still goes on'),
          }),
          response: {
            202: z.object({
              name: z.string(),
              runId: z.string().optional().describe('absent where it starts once another run is over'),
            }),
            default: problem,
          },
        },
      },
      async ({ caller, params: { schedule }, body: { overlap } }, reply) => {
        const requireMayEnd = (): void => requireRightTo(caller, 'operate');
        if (overlap === 'cancel-other') requireMayEnd();
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
        // What would change may be asked by whoever may look.
        config: { right: 'view' },
        schema: {
          operationId: 'applySchedules',
          ...{ tags, summary: "The schedules of Temporal become those of the server's portolan.yaml" },
          body: applyRequest,
          response: { 200: appliedSchedules, default: problem },
        },
      },
      async ({ caller, body }) => {
        if (!body.dryRun) {
          requireRightTo(caller, 'operate');
          requireUnlimited(caller);
        }
        return await sources.acting(caller, (found) => applySchedules(found, body));
      },
    );

    api.post(
      '/schedules/:schedule/backfill',
      {
        config: { right: 'start' },
        schema: {
          operationId: 'backfillSchedule',
          ...{
            tags,
            summary: 'Starts what it has not started when it was due, each time once',
            description: 'Takes no Idempotency-Key: a time that has a run is not started again.',
            params: which,
          },
          body: backfillRequest,
          response: { 200: backfilled, default: problem },
        },
      },
      async ({ caller, params: { schedule }, body }) =>
        await sources.acting(caller, async (found) => {
          if (body.overlap === 'cancel-other') requireRightTo(caller, 'operate');
          return await backfill(found, await findOwnSchedule(caller, found, schedule), body);
        }),
    );
  };
