import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { runStatuses } from '../../model/run/phase';
import { runRecord } from '../../model/run/run';
import { plan, planActions } from '../../model/transfer/plan';
import { listRuns } from '../../service/portolan/local-portolan';
import { seekGroupRun, resolveRun } from '../../service/run/find-run';
import { planPage } from '../../service/run/lookup/plan-page';
import { readPlan } from '../../service/run/read-run';
import { readRunEvents } from '../../service/run/run-events';
import { runEvent } from '../../service/run/run-event-view';
import { runView, takeoverView } from '../../service/run/run-view';
import { beginnings, prepareRestart } from '../../service/start/restart';
import { runsPage } from '../../service/portolan/answers-view';
import { problem } from '../problem';
import type { Sources } from '../sources';
import type { Turns } from '../caller-limit';
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

const planQuery = z.object({
  limit,
  cursor,
  action: z.enum(planActions).optional(),
  search: z.string().max(200).optional().describe('text in titles, IDs, types or group names'),
});

const tags = ['runs'];

/** `portolan run list|show` and what other commands read about runs. */
export const runsApi =
  (sources: Sources, turns: Turns): FastifyPluginAsyncZod =>
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
      '/runs/:run/view',
      {
        schema: {
          operationId: 'viewRun',
          tags,
          summary: 'Show a run: its record, where it was read from, and work in progress',
          params: whichRun,
          querystring: z.object({
            ofGroup: z
              .stringbool()
              .default(false)
              .describe('consider only runs of groups, not changes of portal settings'),
          }),
          response: { 200: runView, default: problem },
        },
      },
      ({ params: { run }, query: { ofGroup } }) =>
        sources.readable((found) => (ofGroup ? seekGroupRun : resolveRun)(found, run)),
    );

    api.get(
      '/runs/:run/takeover',
      {
        schema: {
          operationId: 'lookAtRestart',
          tags,
          summary: 'Show what a restart of a run would redo and reuse, without starting it',
          params: whichRun,
          querystring: z.object({ from: z.enum(beginnings) }),
          response: { 200: z.object({ takeover: takeoverView.optional() }), default: problem },
        },
      },
      (request) =>
        // Only the portal knows whether an uploaded package still exists.
        turns.of(request, (signal) =>
          sources.acting(request.caller, async (found) => {
            const { params, query } = request;
            const looked = await prepareRestart(found, params.run, query, { isLook: true, signal });
            return { takeover: looked.takeover };
          }),
        ),
    );

    api.get(
      '/runs/:run/plan',
      {
        schema: {
          operationId: 'readPlan',
          tags,
          summary: 'Show the plan of a run, one page of rows at a time',
          params: whichRun,
          querystring: planQuery,
          response: {
            200: plan.extend({
              total: z.number().describe('matching rows on all pages'),
              next: z.string().optional().describe('cursor of the next page'),
            }),
            default: problem,
          },
        },
      },
      ({ params: { run }, query: { cursor: from = 0, limit: count, action, search } }) =>
        sources.readable(async (found) => {
          const { record } = await resolveRun(found, run);
          const { value, why } = await readPlan(found.store, record);
          if (value === undefined) throw why ?? noPlan(record.runId);
          const { rows, total, next } = planPage(value, { action, search, from, count });
          return { ...value, rows, total, ...(next !== undefined && { next: String(next) }) };
        }),
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

const noPlan = (runId: string): PortolanError =>
  new PortolanError('NOT_FOUND', `${runId} has no plan in the store.`, {
    hint: 'A plan is created in the phase "preview".',
  });
