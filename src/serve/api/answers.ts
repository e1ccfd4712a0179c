import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { runRecord } from '../../model/run/run';
import type { ActingSources } from '../../service/run/run-sources';
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
  unanswered: z.string().optional().describe('why nothing has been said to it yet'),
});

/** What a run is told: `portolan run approve|reject|resume|cancel`. */
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
      found: ActingSources,
      sent: Promise<Shown>,
    ) => {
      const { shown, unanswered: why } = await withUnanswered(found, await sent);
      return { ...shown, ...(why !== undefined && { unanswered: why }) };
    };

    api.post(
      '/runs/:run/approve',
      {
        config: { right: 'approve' },
        schema: told('approveRun', 'Approves the plan that a run waits with', approveRequest, approved),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => telling(found, approve(found, run, body, requireOfRun(caller)))),
    );

    api.post(
      '/runs/:run/reject',
      {
        config: { right: 'approve' },
        schema: told('rejectRun', 'Rejects the plan that waits, which ends the run', rejectRequest, rejected),
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
          'Goes on with a parked run; both portals are looked at first',
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
          'Asks a run to end; it removes its packages first',
          cancelRequest,
          cancelled.extend({ record: runRecord.describe('the run as it was when it was asked to end') }),
        ),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => cancel(found, run, body, requireOfRun(caller))),
    );
  };
