import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { type z } from 'zod';
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
import { requireOfRun } from '../access';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { whichRun } from './runs';

const tags = ['runs'];

/** What a run is told: `portolan run approve|reject|resume|cancel`. */
export const answersApi =
  (sources: Sources): FastifyPluginAsyncZod =>
  async (api) => {
    const told = <Body extends z.ZodType, Shown extends z.ZodType>(
      operationId: string,
      summary: string,
      body: Body,
      shown: Shown,
    ) => ({ tags, operationId, summary, params: whichRun, body, response: { 200: shown, default: problem } });

    api.post(
      '/runs/:run/approve',
      {
        config: { right: 'approve' },
        schema: told('approveRun', 'Approves the plan that a run waits with', approveRequest, approved),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => approve(found, run, body, requireOfRun(caller))),
    );

    api.post(
      '/runs/:run/reject',
      {
        config: { right: 'approve' },
        schema: told('rejectRun', 'Rejects the plan that waits, which ends the run', rejectRequest, rejected),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, (found) => reject(found, run, body, requireOfRun(caller))),
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
        sources.acting(caller, (found) => resume(found, run, body, requireOfRun(caller))),
    );

    api.post(
      '/runs/:run/cancel',
      {
        config: { right: 'operate' },
        schema: told(
          'cancelRun',
          'Asks a run to end; it removes its packages first',
          cancelRequest,
          cancelled,
        ),
      },
      ({ caller, params: { run }, body }) =>
        sources.acting(caller, async (found) => {
          const { record: _record, ...shown } = await cancel(found, run, body, requireOfRun(caller));
          return shown;
        }),
    );
  };
