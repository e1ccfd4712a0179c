import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { runEvent } from '../../contract/runs';
import { runStatuses } from '../../model/run/phase';
import { runRecord } from '../../model/run/run';
import { listRuns } from '../../service/portolan/local-portolan';
import { resolveRun } from '../../service/run/find-run';
import { readRunEvents } from '../../service/run/run-events';
import { runsPage } from '../../service/portolan/answers-view';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { cursor, limit } from './cursors';

export const whichRun = z.object({
  run: z.string().min(1).max(300).describe('ID, a unique suffix of it, or `latest`'),
});

const runsQuery = z.object({
  limit,
  cursor,
  route: z.string().max(200).optional(),
  schedule: z.string().max(200).optional(),
  status: z.enum(runStatuses).optional(),
});

const tags = ['runs'];

/** `portolan run list|show` and what other commands read about runs. */
export const runsApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    api.get(
      '/runs',
      {
        schema: {
          operationId: 'listRuns',
          tags,
          summary: 'List runs, newest first',
          querystring: runsQuery,
          response: {
            200: runsPage,
            default: problem,
          },
        },
      },
      ({ query: { cursor: before, ...filter } }) =>
        sources.readable(async (found) => {
          const { runs, notes, next, unread } = await listRuns(found, { ...filter, before });
          const older = next ?? unread;
          return {
            runs: [...runs],
            ...(older !== undefined && { next: String(older) }),
            ...(next === undefined && unread !== undefined && { unread: true as const }),
            ...(notes.length > 0 && { notes: [...notes] }),
          };
        }),
    );

    api.get(
      '/runs/:run',
      {
        schema: {
          operationId: 'readRun',
          tags,
          summary: 'Show the record of a run',
          params: whichRun,
          response: { 200: runRecord, default: problem },
        },
      },
      ({ params: { run } }) => sources.readable(async (found) => (await resolveRun(found, run)).record),
    );

    api.get(
      '/runs/:run/events',
      {
        schema: {
          operationId: 'readEvents',
          tags,
          summary: 'List the events of a run',
          params: whichRun,
          response: { 200: z.array(runEvent), default: problem },
        },
      },
      ({ params: { run } }) =>
        sources.both(async (found) => {
          const { runId } = (await resolveRun(found, run)).record;
          return await readRunEvents(found.temporal, runId);
        }),
    );
  };
