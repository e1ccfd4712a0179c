import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { scheduleRows } from '../../service/schedule/schedule-rows';
import { scheduleRow } from '../../service/schedule/schedule-view';
import { serverSchedules } from '../../service/schedule/server-schedules';
import { problem } from '../problem';
import type { Sources } from '../sources';

/** What is started by the clock: `portolan schedule list`. */
export const schedulesApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/schedules',
      {
        schema: {
          summary: 'What is started by the clock, how its last start ended, and when the next is due',
          tags: ['schedules'],
          response: { 200: z.array(scheduleRow), default: problem },
        },
      },
      () =>
        sources.both(async (found) =>
          scheduleRows(found, await serverSchedules(found.temporal, found.config), { runs: 1 }),
        ),
    );
  };
