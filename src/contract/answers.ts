import { z } from 'zod';
import { reasonText, runRecord } from '../model/run/run';
import { delivery } from './delivery';
import { operation } from './operation';
import { planHash, run } from './runs';

const answered = delivery.extend({ runId: z.string() });

const reason = reasonText.optional().describe('saved with the run');

const plan = planHash.describe('hash of the plan that was seen, short or full');

/** Decisions for a run: `portolan run approve|reject|resume|cancel`. */
export const answerOperations = {
  approveRun: operation({
    at: 'POST /runs/:run/approve',
    summary: 'Approve the plan a run is waiting on',
    input: z.strictObject({ run, plan, reason }),
    answer: answered.extend({ approved: z.string() }),
    right: 'approve',
    needs: 'temporal',
  }),
  rejectRun: operation({
    at: 'POST /runs/:run/reject',
    summary: 'Reject the plan a run is waiting on, which ends the run',
    input: z.strictObject({
      run,
      reason,
      plan: plan.optional().describe('hash of the plan that was seen. @default the plan that waits'),
    }),
    answer: answered.extend({ rejected: z.string().optional() }),
    right: 'approve',
    needs: 'temporal',
  }),
  resumeRun: operation({
    at: 'POST /runs/:run/resume',
    summary: 'Resume a parked run after re-running its preflight checks',
    input: z.strictObject({
      run,
      set: z
        .array(z.string().max(300))
        .max(20)
        .default([])
        .describe('corrections of route settings for this run, as `KEY=VALUE`'),
      reason,
    }),
    answer: answered.extend({ resumed: z.literal(true) }),
    right: 'operate',
    needs: 'temporal',
  }),
  cancelRun: operation({
    at: 'POST /runs/:run/cancel',
    summary: 'Cancel a run; it deletes its packages first',
    input: z.strictObject({
      run,
      now: z.boolean().default(false).describe('do not wait for a running portal job'),
      reason,
    }),
    answer: answered.extend({
      cancelled: z.literal(true),
      now: z.boolean(),
      record: runRecord.describe('the run when the request was made'),
    }),
    right: 'operate',
    needs: 'temporal',
  }),
};
