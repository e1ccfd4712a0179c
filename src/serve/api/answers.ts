import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { runRecord } from '../../model/run/run';
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
} from '../../service/run/answer-run';
import { May } from '../../service/may';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { whichRun } from './runs';

const tags = ['runs'];

/** Decisions for a run: `portolan run approve|reject|resume|cancel`. */
export const answersApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    const told = <Body extends z.ZodType, Shown extends z.ZodType>(
      operationId: string,
      summary: string,
      body: Body,
      shown: Shown,
    ) => ({
      tags,
      operationId,
      summary,
      params: whichRun,
      body,
      response: { 200: shown, default: problem },
    });

    api.post(
      '/runs/:run/approve',
      {
        config: { right: 'approve' },
        schema: told('approveRun', 'Approve the plan a run is waiting on', approveRequest, approved),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => approve(found, run, body, (run) => new May(caller).changeRun(run))),
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
        sources.acting(caller, (found) => reject(found, run, body, (run) => new May(caller).changeRun(run))),
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
        sources.acting(caller, (found) => resume(found, run, body, (run) => new May(caller).changeRun(run))),
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
        sources.acting(caller, (found) => cancel(found, run, body, (run) => new May(caller).changeRun(run))),
    );
  };
