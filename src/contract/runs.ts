import { z } from 'zod';
import { runStatuses } from '../model/run/phase';
import { runRecord } from '../model/run/run';
import { plan, planActions } from '../model/transfer/plan';
import { next, operation, paging } from './operation';
import { portalQueueView } from './queues';
import { failingTask, runRow } from './run-row';

/** How operations name a run. */
export const run = z.string().min(1).max(300).describe('ID, a unique suffix of it, or `latest`');

/** How operations name a plan. */
export const planHash = z.string().regex(/^[0-9a-f-]{4,80}$/, 'is not the hash of a plan');

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
export type RunView = Readonly<z.infer<typeof runView>>;

/** An event of a run, from its Temporal history. */
export const runEvent = z.object({
  at: z.string().describe('ISO 8601, in UTC'),
  kind: z.enum(['step', 'message', 'problem', 'end']).describe('`problem`: a failure, retried or not'),
  subject: z.string().describe('activity and its object, or the run itself'),
  what: z.string(),
});
export type RunEvent = z.infer<typeof runEvent>;

const name = z.string().max(200);
const time = z.iso.datetime({ offset: true });

const listedRuns = z.object({
  runs: z.array(runRow),
  next,
  unread: z.literal(true).optional().describe('the search stopped early; `next` continues it'),
  notes: z
    .array(z.string())
    .optional()
    .describe('warnings about the source, such as that Temporal cannot be reached'),
});
export type ListedRuns = z.infer<typeof listedRuns>;

const planPage = plan.extend({ total: z.number().describe('matching rows on all pages'), next });
export type PlanPage = z.infer<typeof planPage>;

/** `portolan run list|show|logs`. */
export const runOperations = {
  listRuns: operation({
    at: 'GET /runs',
    summary: 'List runs, newest first',
    input: z.strictObject({
      ...paging,
      kind: name.optional(),
      status: z.enum(runStatuses).optional(),
      route: name.optional(),
      schedule: name.optional(),
      pipeline: name.optional().describe('runs of a pipeline and of its groups'),
      parent: z.string().max(300).optional().describe('child runs of the run with this ID'),
      startedBy: name.optional(),
      from: time.optional().describe('started at this time or later'),
      until: time.optional().describe('started before this time'),
      text: name.optional().describe('text in IDs, kinds, routes, operations, starters or schedules'),
    }),
    answer: listedRuns,
    right: 'view',
    needs: 'readable',
    pages: 'runs',
  }),
  readRun: operation({
    at: 'GET /runs/:run',
    summary: 'Show the record of a run',
    input: z.strictObject({ run }),
    answer: runRecord,
    right: 'view',
    needs: 'readable',
  }),
  viewRun: operation({
    at: 'GET /runs/:run/view',
    summary: 'Show a run: its record, where it was read from, and work in progress',
    input: z.strictObject({
      run,
      ofGroup: z
        .boolean()
        .default(false)
        .describe('consider only runs of groups, not changes of portal settings'),
    }),
    answer: runView,
    right: 'view',
    needs: 'readable',
  }),
  readPlan: operation({
    at: 'GET /runs/:run/plan',
    summary: 'Show the plan of a run, one page of rows at a time',
    input: z.strictObject({
      run,
      ...paging,
      plan: planHash.optional().describe('hash of the plan, short or full. @default the current one'),
      action: z.enum(planActions).optional(),
      changed: z.boolean().default(false).describe('only items whose content changes or was not compared'),
      search: z.string().max(200).optional().describe('text in titles, IDs, types or group names'),
      byAction: z.boolean().default(false).describe('order rows by action instead of by package'),
    }),
    answer: planPage,
    right: 'view',
    needs: 'readable',
    pages: 'rows',
  }),
  readEvents: operation({
    at: 'GET /runs/:run/events',
    summary: 'List the events of a run',
    input: z.strictObject({ run }),
    answer: z.array(runEvent),
    right: 'view',
    needs: 'temporal',
  }),
};
