import { z } from 'zod';
import { reasonText, type RunRecord } from '../../model/run/run';
import { parseRouteChange } from '../../config/route-change';
import { bindToPlan } from '../../model/transfer/plan-summary';
import {
  approveRun,
  cancelRun,
  runEndedError,
  rejectRun,
  requireParked,
  requirePlan,
  resumeRun,
} from './send-decision';
import { seekGroupRun, resolveRun } from './find-run';
import type { WriteContext } from './run-sources';
import type { RunView } from './run-view';
import { delivery } from './send-answer';

const reason = reasonText.optional().describe('saved with the run');

export const approveRequest = z.strictObject({
  plan: z
    .string()
    .regex(/^[0-9a-f-]{4,80}$/, 'is not the hash of a plan')
    .describe('hash of the plan that was seen, short or full'),
  reason,
});
export const rejectRequest = z.strictObject({
  reason,
  plan: approveRequest.shape.plan
    .optional()
    .describe('hash of the plan that was seen. @default the plan that waits'),
});
export const resumeRequest = z.strictObject({
  set: z
    .array(z.string().max(300))
    .max(20)
    .default([])
    .describe('corrections of route settings for this run, as `KEY=VALUE`'),
  reason,
});
export const cancelRequest = z.strictObject({
  now: z.boolean().default(false).describe('do not wait for a running portal job'),
  reason,
});

const runId = z.string();

/** Results of decisions. */
export const approved = delivery.extend({ runId, approved: z.string() });
export const rejected = delivery.extend({ runId, rejected: z.string().optional() });
export const resumed = delivery.extend({ runId, resumed: z.literal(true) });
export const cancelled = delivery.extend({ runId, cancelled: z.literal(true), now: z.boolean() });

export type ApproveRequest = z.input<typeof approveRequest>;
export type RejectRequest = z.input<typeof rejectRequest>;
export type ResumeRequest = z.input<typeof resumeRequest>;
export type CancelRequest = z.input<typeof cancelRequest>;
export type Approved = z.infer<typeof approved>;
export type Rejected = z.infer<typeof rejected>;
export type Resumed = z.infer<typeof resumed>;
export type Cancelled = z.infer<typeof cancelled>;

/** A run the caller may decide on; throws if not. */
export type MayAnswer = (record: RunRecord) => void;

const anybody: MayAnswer = () => undefined;

/** Approves exactly one plan. Throws `USAGE` if another one waits, or none. */
export async function approve(
  sources: WriteContext,
  text: string,
  { plan: hash, ...said }: ApproveRequest,
  may = anybody,
): Promise<Approved> {
  const view = await seekGroupRun(sources, text);
  const { runId: id, plan } = view.record;
  may(view.record);
  requirePlan(view, hash);
  const sent = await approveRun(sources, id, { ...bindToPlan(plan, hash), ...said });
  return { runId: id, approved: hash, ...sent };
}

/** Rejects the waiting plan, which ends the run. Throws `USAGE` if none waits, or not the plan that was seen. */
export async function reject(
  sources: WriteContext,
  text: string,
  { plan, ...said }: RejectRequest,
  may = anybody,
): Promise<Rejected> {
  const view = await seekGroupRun(sources, text);
  const { runId: id, plan: waits } = view.record;
  may(view.record);
  requirePlan(view, plan);
  const sent = await rejectRun(sources, id, said);
  return { runId: id, rejected: waits?.hash, ...sent };
}

/** Resumes a parked run, with corrections if given. Throws `USAGE` if it is not parked. */
export async function resume(
  sources: WriteContext,
  text: string,
  { set: texts = [], ...said }: ResumeRequest,
  may = anybody,
): Promise<Resumed> {
  const set = parseRouteChange(texts);
  const view = await seekGroupRun(sources, text);
  const { runId: id } = view.record;
  may(view.record);
  requireParked(view);
  const sent = await resumeRun(sources, id, { ...said, set });
  return { runId: id, resumed: true, ...sent };
}

/** Asks a run to clean up and end. Throws `USAGE` if it has ended. */
export async function cancel(
  sources: WriteContext,
  text: string,
  { now = false, ...said }: CancelRequest,
  may = anybody,
): Promise<Cancelled & Pick<RunView, 'record'>> {
  // A portal change ends in seconds, so the newest one is hardly meant.
  const { record, open } = await (text === 'latest' ? seekGroupRun : resolveRun)(sources, text);
  const { runId: id } = record;
  may(record);
  if (!open) throw runEndedError(id);
  const sent = await cancelRun(sources, id, { ...said, now });
  return { record, runId: id, cancelled: true, now, ...sent };
}
