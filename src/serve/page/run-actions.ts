import { addressOfRun } from '../../config/page-address';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { RunRecord } from '../../model/run/run';
import { changedCount, changesWords } from '../../model/transfer/plan-figures';
import { isNamed } from '../../model/transfer/plan-hash';
import { approve, cancel, reject, resume } from '../../service/run/answer-run';
import { requireOfRun } from '../access';
import { Refusal } from '../problem';
import type { Sources } from '../sources';
import type { Deed } from './deeds';
import { approveForm, cancelForm, rejectForm, resumeForm } from './forms/form-fields';
import { goTo, type Pages } from './page-reply';
import { runParams } from './queries';
import { aboveItsPage } from './refused';
import { showRun } from './run-pages';

/** What a run is told by the forms of its page. What is wrong with it is said above the run as it is by then. */
export const runActions =
  (sources: Sources, pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    app.setErrorHandler(
      aboveItsPage((request, reply, problem) =>
        showRun(pages, request, reply, { ...runParams.parse(request.params), problem }),
      ),
    );

    app.post(
      '/runs/:run/approve',
      { config: { right: 'approve' }, schema: { params: runParams, body: approveForm } },
      async ({ caller, params: { run }, body: { plan, portal, reason } }, reply) => {
        const { runId, taken } = await sources.acting(caller, (found) =>
          approve(found, run, { plan, reason }, (record) => {
            requireOfRun(caller)(record);
            requirePortal(record, plan, portal);
          }),
        );
        return answered(reply, runId, taken ? 'approve' : 'later');
      },
    );

    app.post(
      '/runs/:run/reject',
      { config: { right: 'approve' }, schema: { params: runParams, body: rejectForm } },
      async ({ caller, params: { run }, body: { plan, reason } }, reply) => {
        if (reason === undefined)
          throw new Refusal(
            400,
            'USAGE',
            'Nothing says why the plan is rejected.',
            'Write why, and send it again.',
          );
        const { runId, taken } = await sources.acting(caller, (found) =>
          reject(found, run, { plan, reason }, requireOfRun(caller)),
        );
        return answered(reply, runId, taken ? 'reject' : 'later');
      },
    );

    app.post(
      '/runs/:run/resume',
      { config: { right: 'operate' }, schema: { params: runParams, body: resumeForm } },
      async ({ caller, params: { run }, body }, reply) => {
        const { runId, taken } = await sources.acting(caller, (found) =>
          resume(found, run, body, requireOfRun(caller)),
        );
        return answered(reply, runId, taken ? 'resume' : 'later');
      },
    );

    app.post(
      '/runs/:run/cancel',
      { config: { right: 'operate' }, schema: { params: runParams, body: cancelForm } },
      async ({ caller, params: { run }, body }, reply) => {
        const { runId, taken } = await sources.acting(caller, (found) =>
          cancel(found, run, body, requireOfRun(caller)),
        );
        return answered(reply, runId, taken ? 'cancel' : 'later');
      },
    );
  };

const answered = (reply: FastifyReply, runId: string, deed: Deed): FastifyReply =>
  goTo(reply, addressOfRun(runId), deed);

/** If something is overwritten or removed the portal's name has to be typed, so that a yes to the wrong one is no slip. */
function requirePortal(
  { plan, route: { target } }: RunRecord,
  hash: string,
  typed: string | undefined,
): void {
  // Of another plan the run itself says that it waits with another one.
  if (!plan || !target || !isNamed(plan, hash) || changedCount(plan) === 0 || typed === target.portal) return;
  throw new Refusal(
    400,
    'USAGE',
    typed === undefined
      ? `The plan will ${changesWords(plan)} on ${target.portal}, and no name of a portal was typed.`
      : `The plan will ${changesWords(plan)} on ${target.portal}, and "${typed}" was typed.`,
    `To approve it, type ${target.portal}. Nothing was approved.`,
  );
}
