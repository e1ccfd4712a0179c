import { addressOfRun } from '../../config/page-address';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { RunRecord } from '../../model/run/run';
import { changedCount, changesWords, matchesPlanHash } from '../../model/transfer/plan-summary';
import { approve, cancel, reject, resume } from '../../service/run/answer-run';
import type { Delivery } from '../../service/run/send-answer';
import { requireOfRun } from '../access';
import { Refusal } from '../problem';
import type { Sources } from '../sources';
import { type Deed, sentDeed } from './flash-message';
import { approveForm, cancelForm, rejectForm, resumeForm } from './forms/form-fields';
import { goTo, type Pages } from './page-reply';
import { runParams } from './queries';
import { showFormError } from './form-error';
import { showRun } from './run-pages';

/** Forms on the page of a run. An error is shown above the run's current state. */
export const runActions =
  (sources: Sources, pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    app.setErrorHandler(
      showFormError((request, reply, problem) =>
        showRun(pages, request, reply, { ...runParams.parse(request.params), problem }),
      ),
    );

    app.post(
      '/runs/:run/approve',
      { config: { right: 'approve' }, schema: { params: runParams, body: approveForm } },
      async ({ caller, params: { run }, body: { plan, portal, reason } }, reply) => {
        const sent = await sources.acting(caller, (found) =>
          approve(found, run, { plan, reason }, (record) => {
            requireOfRun(caller)(record);
            requirePortal(record, plan, portal);
          }),
        );
        return answered(reply, sent, 'approve');
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
            'A reason is required.',
            'Enter why you reject the plan and send the form again.',
          );
        const sent = await sources.acting(caller, (found) =>
          reject(found, run, { plan, reason }, requireOfRun(caller)),
        );
        return answered(reply, sent, 'reject');
      },
    );

    app.post(
      '/runs/:run/resume',
      { config: { right: 'operate' }, schema: { params: runParams, body: resumeForm } },
      async ({ caller, params: { run }, body }, reply) => {
        const sent = await sources.acting(caller, (found) => resume(found, run, body, requireOfRun(caller)));
        return answered(reply, sent, 'resume');
      },
    );

    app.post(
      '/runs/:run/cancel',
      { config: { right: 'operate' }, schema: { params: runParams, body: cancelForm } },
      async ({ caller, params: { run }, body }, reply) => {
        const sent = await sources.acting(caller, (found) => cancel(found, run, body, requireOfRun(caller)));
        return answered(reply, sent, 'cancel');
      },
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
  // If the plan is no longer the current one, the run itself refuses the approval.
  if (!plan || !target || !matchesPlanHash(plan, hash) || changedCount(plan) === 0 || typed === target.portal)
    return;
  throw new Refusal(
    400,
    'USAGE',
    typed === undefined
      ? `The plan will ${changesWords(plan)} on ${target.portal}. You did not type the portal name.`
      : `The plan will ${changesWords(plan)} on ${target.portal}. You typed "${typed}".`,
    `Nothing was approved. To approve, type ${target.portal}.`,
  );
}
