import { z } from 'zod';
import { portalQueueView } from '../../contract/queues';
import { type FailingTask, failingTask } from '../../contract/run-row';
import { type ErrorCode, exitStatus, isErrorCode, meaningOf } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { type RecordEnd, type RunRecord, runRecord } from '../../model/run/run';
import type { Plan } from '../../model/transfer/plan';

export { failingTask, type FailingTask, type RunRow, runRow } from '../../contract/run-row';

/** A pending activity, as Temporal describes it. */
const pendingActivity = z.object({
  type: z.string(),
  attempt: z.number(),
  details: z.unknown().optional().describe('last reported progress of the job, transfer or reading'),
  lastFailure: z.string().optional(),
  scheduledAt: z.number().optional().describe('milliseconds since the epoch'),
  nextAttemptAt: z
    .number()
    .optional()
    .describe('milliseconds since the epoch, if it waits for its next attempt'),
});
export type PendingActivity = Readonly<z.infer<typeof pendingActivity>>;

/** The problem of a run whose workflow task is failing, and the fix. */
export const failingWords = ({ attempt, message }: FailingTask): { saw: string; todo: string } => ({
  saw: `workflow task failing (attempt ${attempt}): ${message}`,
  todo: /nondetermin|TMPRL1100|no such workflow type/i.test(message)
    ? 'The worker code does not match what the run has done. Deploy the version that started it; the run then continues.'
    : 'Check the worker logs and deploy the version that worked; the run then continues.',
});

/** Everything known about a run, from whichever source responded. */
export const runView = z.object({
  record: runRecord,
  open: z.boolean().describe('whether it has not ended'),
  source: z
    .enum(['run', 'record', 'start'])
    .describe(
      'where this comes from: the run, its record in the store, or only its start if neither could be read',
    ),
  pending: z.array(pendingActivity).readonly(),
  workers: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('workers that take tasks from its queue; absent if unknown'),
  failing: failingTask.optional().describe('set while its workflow task fails and is retried'),
  notes: z
    .array(z.string())
    .readonly()
    .describe('warnings about the source, such as that no worker is running'),
  portalQueue: portalQueueView.optional().describe('the portal queue it waits in'),
});
export interface RunView extends Readonly<z.infer<typeof runView>> {
  /** The run in Temporal's Web UI on this machine: never sent to another. */
  readonly ui?: string;
  /** Its plan with all rows, if its store is readable here. */
  readonly plan?: Plan;
  /** Its page in the web UI, if known. */
  readonly page?: string;
}

/** What a run in place of an earlier one reuses, and what it redoes. */
export const takeoverView = z.object({
  parent: runRecord,
  verb: z.string().describe('`restarts`, `retries 3 items of`'),
  reuses: z.array(z.string()).readonly(),
  redoes: z.array(z.string()).readonly(),
  notes: z.array(z.string()).readonly(),
});
export type Takeover = Readonly<z.infer<typeof takeoverView>>;

/** A list of a record: complete, or if long, its length and store key. */
type Listed<T> = readonly T[] | { readonly count: number; readonly ref: string };

export const lengthOf = (list: Listed<unknown> = []): number => ('count' in list ? list.count : list.length);
export const entriesOf = <T>(list: Listed<T> = []): readonly T[] => ('count' in list ? [] : list);

/** The target of a run. Throws `USAGE` if it has none, such as a backup. */
export function targetOf({ runId, kind, route }: RunRecord): RecordEnd & { readonly groupId: string } {
  const { groupId } = route.target ?? {};
  if (route.target && groupId !== undefined) return { ...route.target, groupId };
  throw new PortolanError('USAGE', `${runId} is a ${kind} and has no target.`);
}

/** Exit status of a command that showed or waited for this run. */
export function exitStatusOf(record: Pick<RunRecord, 'status' | 'error'>): number {
  switch (record.status) {
    case 'succeeded':
    case 'nothing-to-do':
    case 'running':
      return exitStatus.done;
    case 'partial':
      return exitStatus.partial;
    case 'waiting':
    case 'parked':
      return exitStatus.waiting;
    case 'cancelled':
      return exitStatus.cancelled;
    case 'failed':
      return failureStatus(record.error?.code);
  }
}

const failureStatus = (code: string | undefined): number => {
  const known: ErrorCode = code !== undefined && isErrorCode(code) ? code : 'INTERNAL';
  const { exit } = meaningOf(known);
  // A failed run never exits as success or waiting, whatever its last error says.
  return exit === exitStatus.done || exit === exitStatus.waiting ? exitStatus.failed : exit;
};
