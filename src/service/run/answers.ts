import { parseRouteChange } from '../../config/route-change';
import type { answerOperations } from '../../contract/answers';
import { bindToPlan } from '../../model/transfer/plan-summary';
import type { Handlers } from '../context';
import { resolveRun, seekGroupRun } from './find-run';
import {
  approveRun,
  cancelRun,
  runEndedError,
  rejectRun,
  requireParked,
  requirePlan,
  resumeRun,
} from './send-decision';

/** Decisions for a run, each sent only to one that it fits. */
export const answerHandlers: Handlers<typeof answerOperations> = {
  async approveRun(context, { run, plan: hash, reason }) {
    const view = await seekGroupRun(context, run);
    const { runId, plan } = view.record;
    context.may.changeRun(view.record);
    requirePlan(view, hash);
    const sent = await approveRun(context, runId, { ...bindToPlan(plan, hash), reason });
    return { runId, approved: hash, ...sent };
  },

  async rejectRun(context, { run, plan: seen, reason }) {
    const view = await seekGroupRun(context, run);
    const { runId, plan } = view.record;
    context.may.changeRun(view.record);
    requirePlan(view, seen);
    const sent = await rejectRun(context, runId, { reason });
    return { runId, rejected: plan?.hash, ...sent };
  },

  async resumeRun(context, { run, set: texts, reason }) {
    const set = parseRouteChange(texts);
    const view = await seekGroupRun(context, run);
    const { runId } = view.record;
    context.may.changeRun(view.record);
    requireParked(view);
    const sent = await resumeRun(context, runId, { reason, set });
    return { runId, resumed: true, ...sent };
  },

  async cancelRun(context, { run, now, reason }) {
    // A portal change ends in seconds, so the newest one is hardly meant.
    const { record, open } = await (run === 'latest' ? seekGroupRun : resolveRun)(context, run);
    const { runId } = record;
    context.may.changeRun(record);
    if (!open) throw runEndedError(runId);
    const sent = await cancelRun(context, runId, { reason, now });
    return { record, runId, cancelled: true, now, ...sent };
  },
};
