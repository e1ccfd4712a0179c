import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { runRecord } from '../../model/run/run';
import type { WriteContext } from '../../service/run/run-sources';
import {
  approve,
  approved,
  approveRequest,
  cancel,
  cancelled,
  cancelRequest,
  reject,
  rejected,
  rejectRequest,
  resume,
  resumed,
  resumeRequest,
  withUnanswered,
} from '../../service/run/answer-run';
import { requireOfRun } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { whichRun } from './runs';

const tags = ['runs'];

const unanswered = z.object({
  unanswered: z.string().optional().describe('why the run has not confirmed it yet'),
});

/** Decisions for a run: `portolan run approve|reject|resume|cancel`. */
export const answersApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    const told = <Body extends z.ZodType, Shown extends z.ZodObject>(
      operationId: string,
      summary: string,
      body: Body,
      shown: Shown,
    ) => ({
      ...{ tags, operationId, summary, params: whichRun, body },
      response: { 200: shown.extend(unanswered.shape), default: problem },
    });
    const telling = async <Shown extends { readonly taken: boolean; readonly answer?: string }>(
      found: WriteContext,
      sent: Promise<Shown>,
    ) => {
      const { shown, unanswered: why } = await withUnanswered(found, await sent);
      return { ...shown, ...(why !== undefined && { unanswered: why }) };
    };

    api.post(
      '/runs/:run/approve',
      {
        config: { right: 'approve' },
        schema: told('approveRun', 'Approve the plan a run is waiting on', approveRequest, approved),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => telling(found, approve(found, run, body, requireOfRun(caller)))),
    );

    api.post(
      '/runs/:run/reject',
      {
        config: { right: 'approve' },
        schema: told(
          'rejectRun',
          'Reject the plan a run is waiting on, which ends the run',
          rejectRequest,
          rejected,
        ),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => telling(found, reject(found, run, body, requireOfRun(caller)))),
    );

    api.post(
      '/runs/:run/resume',
      {
        config: { right: 'operate' },
        schema: told(
          'resumeRun',
          'Resume a parked run after re-running its preflight checks',
          resumeRequest,
          resumed,
        ),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => telling(found, resume(found, run, body, requireOfRun(caller)))),
    );

    api.post(
      '/runs/:run/cancel',
      {
        config: { right: 'operate' },
        schema: told(
          'cancelRun',
          'Cancel a run; it deletes its packages first',
          cancelRequest,
          cancelled.extend({ record: runRecord.describe('the run when the request was made') }),
        ),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => cancel(found, run, body, requireOfRun(caller))),
    );
  };
