import { z } from 'zod';
import { portalId } from '../model/portal-id';
import { beginnings } from '../model/run/phase';
import { reasonText, runRecord } from '../model/run/run';
import { operation } from './operation';
import { run } from './runs';

const name = z.string().min(1).max(200);

/** A name to look up: ID, end of an ID, or `latest`. */
const named = z.string().min(1).max(300);

const itemIds = z.array(portalId('item id')).min(1).max(10_000).readonly();
const words = z.array(name).max(1_000).readonly().optional();

/** What a run in place of an earlier one reuses, and what it redoes. */
export const takeoverView = z.object({
  parent: runRecord,
  verb: z.string().describe('`restarts`, `retries 3 items of`'),
  reuses: z.array(z.string()).readonly(),
  redoes: z.array(z.string()).readonly(),
  notes: z.array(z.string()).readonly(),
});
export type Takeover = Readonly<z.infer<typeof takeoverView>>;

/** A started run, and what its starter is shown first. */
export const begunRun = z.object({
  runId: z.string(),
  isNew: z.boolean().describe('false if the key has started it before'),
  route: runRecord.shape.route.describe('source and target'),
  workers: z.array(z.string()).readonly().describe('names of the workers that take tasks'),
  approval: z
    .enum(['none', 'ask', 'required'])
    .optional()
    .describe('approval rule of the plan; absent if it was approved at the start'),
  planOnly: z.boolean().describe('stops after the plan'),
  takeover: takeoverView.optional().describe('what it reuses from an earlier run'),
  said: z.array(z.string()).optional().describe('what was done before the run started'),
});
export type BegunRun = Readonly<z.infer<typeof begunRun>>;

export const anyStart = { reason: reasonText.optional().describe('reason, saved with the run') };

const plannedStart = {
  ...anyStart,
  yes: z.boolean().default(false).describe('approve the plan, if the route allows it'),
};

/** The portal task that the run reports to. */
const taskRun = z
  .strictObject({
    portal: z.string().min(1).max(63),
    username: name,
    taskId: name,
    taskRunId: name.optional(),
  })
  .optional();

const imported = {
  items: itemIds.optional().describe('only these items'),
  overwrite: z.boolean().optional().describe('overwrite existing items'),
  data: z.enum(['keep', 'replace']).optional().describe('data of existing hosted layers'),
  take: itemIds.optional().describe('import these items even if blocked'),
};
const allowShrink = z.boolean().describe('accept a group that shrank by more than half');
const planOnly = z.boolean().optional().describe('stop after the plan');

/** Workers and portals are asked before a run begins. @format milliseconds */
const BEGINS_WITHIN_MS = 30_000;

export const start = <const At extends `POST /${string}`, Shape extends z.ZodRawShape>(
  at: At,
  summary: string,
  input: Shape,
  withinMs = BEGINS_WITHIN_MS,
) =>
  operation({
    at,
    summary,
    input: z.strictObject(input),
    answer: begunRun,
    right: 'start',
    needs: 'temporal',
    withinMs,
    starts: true,
  });

/** Commands that start runs: `portolan sync`, `backup create`, `restore`, `promote` and so on. */
export const startOperations = {
  startSync: start('POST /syncs', 'Start a sync of a route', {
    ...plannedStart,
    route: name.optional().describe('route in portolan.yaml'),
    from: name.optional().describe('source portal, instead of a route'),
    group: name.optional().describe('source group'),
    to: name.optional().describe('target portal'),
    into: name.optional().describe('target group'),
    ...imported,
    exclude: z
      .strictObject({ items: itemIds.optional(), types: words, tags: words })
      .optional()
      .describe('excluded in addition to those the route excludes'),
    full: z.boolean().optional().describe('transfer unchanged items too'),
    allowShrink: allowShrink.optional(),
    planOnly,
    scheduledBy: name.optional().describe('the schedule or job that starts this route'),
    taskRun,
  }),
  startBackup: start('POST /backups', 'Start a backup', {
    ...anyStart,
    route: name.optional().describe('route in portolan.yaml; its source is backed up'),
    from: name.optional().describe('portal, instead of a route'),
    group: name.optional().describe('group on that portal'),
    full: z.boolean().default(false).describe('export everything, changed or not'),
    allowShrink: allowShrink.default(false),
    tags: z.array(name).max(20).default([]).describe('tags of the snapshot'),
    taskRun,
  }),
  startDrill: start('POST /drills', 'Test that a snapshot can be restored', {
    ...anyStart,
    route: name.describe('route in portolan.yaml'),
    snapshot: named.optional().describe('a snapshot of the route, instead of the last good one'),
    import: z.boolean().default(false).describe('also import, then delete the imported items'),
  }),
  startRestore: start('POST /restores', 'Restore a snapshot into a group', {
    ...plannedStart,
    snapshot: named.describe('ID, a unique suffix of it, `latest` or `latest:ROUTE`'),
    to: name.describe('target portal'),
    into: name.describe('target group'),
    ...imported,
    folder: name.optional().describe('ID of the folder for new items'),
    folderOwner: name.optional().describe('owner of the folder'),
    planOnly,
    taskRun,
  }),
  createRelease: start('POST /releases', "Create a release from a pipeline's first stage", {
    ...anyStart,
    pipeline: named.describe('pipeline in portolan.yaml'),
  }),
  startPromotion: start('POST /promotions', 'Promote a release to a stage', {
    ...plannedStart,
    pipeline: named.describe('pipeline in portolan.yaml'),
    stage: named.describe('target stage'),
    release: named
      .optional()
      .describe(
        'ID, a unique suffix of it, `latest` or `latest:PIPELINE`; default: the current release of the previous stage',
      ),
    atSoak: z.boolean().optional().describe('wait until its soak in the previous stage ends'),
    hotfix: z.boolean().optional().describe('skip the order of stages and the soak; requires a reason'),
    planOnly,
  }),
  rollBackStage: start(
    'POST /pipelines/:pipeline/stages/:stage/rollback',
    'Roll a stage back to its state before the last promotion',
    {
      ...plannedStart,
      pipeline: named,
      stage: named,
      overwriteEdits: z
        .boolean()
        .optional()
        .describe('also restore overwritten items that were edited since'),
    },
  ),
  retryRun: start('POST /runs/:run/retry', 'Retry items that were not imported', {
    ...plannedStart,
    run,
    bisect: z.boolean().default(false).describe('find the items that make an import fail, by halving'),
  }),
  restartRun: start('POST /runs/:run/restart', 'Restart an ended run as a new run', {
    ...anyStart,
    run,
    from: z.enum(beginnings).describe('first phase to run'),
  }),
  lookAtRestart: operation({
    at: 'GET /runs/:run/takeover',
    summary: 'Show what a restart of a run would redo and reuse, without starting it',
    input: z.strictObject({ run, from: z.enum(beginnings) }),
    answer: z.object({ takeover: takeoverView.optional() }),
    right: 'view',
    needs: 'temporal',
    // Only the portal knows whether an uploaded package still exists.
    turn: true,
    withinMs: BEGINS_WITHIN_MS,
  }),
  rollBackRun: start('POST /runs/:run/rollback', 'Restore the items a run overwrote', {
    ...plannedStart,
    run,
    deleteCreated: z
      .string()
      .max(200)
      .optional()
      .describe('name of the target portal: delete items the run created, if unchanged since'),
  }),
};

/** What a start is asked for, checked. */
export type StartInput<K extends keyof typeof startOperations> = z.output<
  (typeof startOperations)[K]['input']
>;
