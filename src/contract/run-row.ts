import { z } from 'zod';
import { runStatuses } from '../model/run/phase';
import { runRecord } from '../model/run/run';
import { queue } from './queues';

/** A workflow task that fails repeatedly: the run makes no progress until fitting code is deployed. */
export const failingTask = z.object({
  attempt: z.number().describe('current or next attempt'),
  message: z.string().describe('message of the last failure in the history'),
});
export type FailingTask = z.infer<typeof failingTask>;

/** A run in one line. */
export const runRow = z.object({
  runId: z.string(),
  kind: z.string(),
  operation: z.string().optional().describe('portal change: the operation, as typed'),
  route: z.string().describe('portal change: the portal'),
  status: z.enum(runStatuses),
  phase: z.string().optional(),
  queue: queue.optional().describe('its place in a portal queue'),
  failing: failingTask.optional().describe('set while its workflow task fails and is retried'),
  window: runRecord.shape.window,
  startedAt: z.string().describe('ISO 8601, in UTC'),
  finishedAt: z.string().optional(),
  startedBy: z.string().optional().describe('`user@host`, key name, `user@portal` or `schedule NAME`'),
  scheduledBy: z.string().optional(),
});
export type RunRow = z.infer<typeof runRow>;
