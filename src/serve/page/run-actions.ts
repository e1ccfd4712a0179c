import type { Delivery } from '../../contract/delivery';
import { addressOfRun } from '../../config/page-address';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { RunRecord } from '../../model/run/run';
import { changedCount, changesWords, isNamed } from '../../model/transfer/plan-words';
import { Refusal } from '../problem';
import { type Deed, sentDeed } from './flash-message';
import { approveForm, cancelForm, rejectForm, resumeForm } from './forms/form-fields';
import { goTo, type Pages } from './page-reply';
import { runParams } from './queries';
import { showFormError } from './form-error';
import { showRun } from './run-pages';

/** Forms on the page of a run. An error is shown above the run's current state. */
export const runActions =
  (pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    app.setErrorHandler(
      showFormError((request, reply, problem) =>
        showRun(pages, request, reply, { ...runParams.parse(request.params), problem }),
      ),
    );

    app.post(
      '/runs/:run/approve',
      { config: { right: 'approve' }, schema: { params: runParams, body: approveForm } },
      async (request, reply) => {
        const { run } = request.params;
        const { plan, portal, reason } = request.body;
        const portolan = pages.portolan(request);
        const { record } = await portolan.viewRun({ run, ofGroup: true });
        requirePortal(record, plan, portal);
        return answered(reply, await portolan.approveRun({ run: record.runId, plan, reason }), 'approve');
      },
    );

    app.post(
      '/runs/:run/reject',
      { config: { right: 'approve' }, schema: { params: runParams, body: rejectForm } },
      async (request, reply) => {
        const { plan, reason } = request.body;
        if (reason === undefined)
          throw new Refusal(
            400,
            'USAGE',
            'A reason is required.',
            'Enter why you reject the plan and send the form again.',
          );
        const sent = await pages.portolan(request).rejectRun({ ...request.params, plan, reason });
        return answered(reply, sent, 'reject');
      },
    );

    app.post(
      '/runs/:run/resume',
      { config: { right: 'operate' }, schema: { params: runParams, body: resumeForm } },
      async (request, reply) =>
        answered(
          reply,
          await pages.portolan(request).resumeRun({ ...request.params, ...request.body }),
          'resume',
        ),
    );

    app.post(
      '/runs/:run/cancel',
      { config: { right: 'operate' }, schema: { params: runParams, body: cancelForm } },
      async (request, reply) =>
        answered(
          reply,
          await pages.portolan(request).cancelRun({ ...request.params, ...request.body }),
          'cancel',
        ),
    );
  };

/** Leads to the page of the run, with what became of the decision. */
const answered = (
  reply: FastifyReply,
  { runId, ...sent }: Delivery & { readonly runId: string },
  deed: Deed,
): FastifyReply => goTo(reply, addressOfRun(runId), sentDeed(sent, deed));

/** Requires the portal's name before items are overwritten or removed, so that nobody approves for the wrong portal by mistake. */
function requirePortal(
  { plan, route: { target } }: RunRecord,
  hash: string,
  typed: string | undefined,
): void {
  if (!plan || !isNamed(plan, hash))
    throw new Refusal(
      400,
      'USAGE',
      `The plan of this run is ${plan?.hash ?? 'not made yet'}, not ${hash}.`,
      'Nothing was approved. Look at its plan below, and decide again.',
    );
  if (!target || changedCount(plan) === 0 || typed === target.portal) return;
  throw new Refusal(
    400,
    'USAGE',
    typed === undefined
      ? `The plan will ${changesWords(plan)} on ${target.portal}. You did not type the portal name.`
      : `The plan will ${changesWords(plan)} on ${target.portal}. You typed "${typed}".`,
    `Nothing was approved. To approve, type ${target.portal}.`,
  );
}
