import { z } from 'zod';
import { ledgerEntry } from '../transfer/ledger';
import { planSummary } from '../transfer/plan';
import { phaseStatuses, runStatuses } from './phase';
import { finding, remark } from '../transfer/verification';
import { checkResult } from '../release/check-result';
import { guardResult } from './guard';
import { identities } from './signature';
import { parkedRecord } from './parked';
import { proofLevels } from '../snapshot/snapshot';
import { taskRunStatuses } from '../portal-change/task-run';

/** The names of kinds and phases: a contributor's new one is read as those that stand. */
export const word = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);

/** One end of a run; a portal that is changed as a whole has no group. */
const end = z.object({
  portal: z.string().describe('its name in portolan.yaml'),
  url: z.string(),
  groupId: z.string().optional(),
  groupTitle: z.string().optional(),
});
export type RecordEnd = z.infer<typeof end>;

export const phaseRecord = z.object({
  name: word,
  status: z.enum(phaseStatuses),
  startedAt: z.string().optional().describe('ISO 8601, in UTC'),
  finishedAt: z.string().optional(),
  attempts: z.number().describe('how often the run came to it'),
  detail: z.string().optional().describe('one line for people: what came of it'),
});
export type PhaseRecord = z.infer<typeof phaseRecord>;

export const errorRecord = z.object({
  origin: z.enum(['source', 'target', 'transfer', 'tool', 'config']).describe('where it comes from'),
  kind: z
    .enum(['transient', 'permanent', 'unknown'])
    .describe('`transient` goes away by itself, `permanent` needs a person, `unknown` may be either'),
  code: z.string().describe('one of [these](errors.md)'),
  message: z.string().describe("what happened, with the portal's own words where there are any"),
  hint: z.string().describe('what to do next'),
});
export type ErrorRecord = z.infer<typeof errorRecord>;

export const action = z.object({
  at: z.string(),
  who: z.string().describe('user and host of whoever typed the command, name of a key, or user and portal'),
  identity: z
    .enum(identities)
    .optional()
    .describe(
      'how `who` is known: `claimed` by the machine that sent it, and proven by nobody; by an API `key`; signed in at a `portal`',
    ),
  what: z.string().describe('`start`, `approve`, `resume` and their like'),
  reason: z.string().optional().describe('what was given as `--reason`'),
});
export type Action = z.infer<typeof action>;

/** What was corrected of the route while the run was parked; `null` takes a value away. */
const corrections = z.object({
  folderId: z.string().nullish(),
  folderOwner: z.string().nullish(),
  overwrite: z.boolean().optional(),
  data: z.enum(['keep', 'replace']).optional(),
  jobDeadlineMs: z.number().optional(),
  freeDiskBytes: z.number().optional(),
});

/** A portal's informational banner as the portal tells it. */
export const bannerRecord = z.looseObject({
  text: z.string().optional(),
  bgColor: z.string().optional(),
  fontColor: z.string().optional(),
  enabled: z.boolean().optional(),
});
export type BannerRecord = z.infer<typeof bannerRecord>;

/** A list of the ledger: itself up to 100 entries, a count and a key of the store beyond. */
const listOrRef = <T extends z.ZodType>(entry: T) =>
  z.union([z.array(entry), z.object({ count: z.number(), ref: z.string() })]);

const STATES =
  'where it is, or how it ended; a run that is `waiting` is open for an approval, one that is `parked` for a correction';

/** One value that differs: where it stands, what it was, and what it became. Absent is not set. */
export const fieldChange = z.object({
  path: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type FieldChange = z.infer<typeof fieldChange>;

/**
 * What a run is of: `sync`, `backup`, `restore`, `rollback`, `drill`; `bisect`, the search for items with which an
 * import fails as a whole; `release`, `promotion`, and `promote`, which starts one when it is due; `settings`,
 * `category-schema` and `task-run`, which change a portal.
 */
export type RunKind = string;

const packageRecord = z.object({
  sizeBytes: z.number(),
  sha256: z.string(),
  itemCount: z.number().optional(),
  parts: z
    .number()
    .optional()
    .describe('in how many packages it goes, where these are several; `sha256` is of the first'),
  sourceVersion: z.string().optional().describe('release of the portal that made it'),
  of: z.string().optional().describe('the run that made it, where it was taken over from there'),
});

const snapshotRecord = z.object({
  id: z.string(),
  sha256: z.string().optional().describe('of its first package'),
  sizeBytes: z.number().optional().describe('of all its packages'),
  items: z.number().optional().describe('items that are saved in it'),
  since: z
    .string()
    .optional()
    .describe('the snapshot on which it builds; absent where everything was exported'),
  addedBytes: z.number().optional().describe('with `since`: what of `sizeBytes` it added to the store'),
  unchanged: z
    .boolean()
    .optional()
    .describe('the group is as it was when this one was taken, and nothing was exported'),
});

const taskRunRecord = z.object({
  portal: z.string(),
  username: z.string(),
  taskId: z.string(),
  taskRunId: z.string(),
  said: z.enum(taskRunStatuses).optional().describe('what was last said there'),
});

const bannerOfRun = z.object({
  ours: bannerRecord,
  before: bannerRecord.nullable().describe('what was there before it; `null` is no banner'),
  status: z
    .enum(['planned', 'shown', 'back', 'theirs'])
    .describe(
      '`back`: what was there before is there again; `theirs`: somebody has changed it since, and it was left so',
    ),
});

const created = z.object({
  removed: z.array(z.string()).describe('ids of those that were removed'),
  there: z
    .array(
      z.object({
        itemId: z.string(),
        title: z.string(),
        reason: z.string(),
        failed: z.boolean().optional(),
      }),
    )
    .describe('those that are still there, and why'),
  whole: z
    .object({ removed: z.number(), there: z.number(), failed: z.number(), ref: z.string() })
    .optional()
    .describe(
      'where either list is longer than what stands here: how long each is, and its key in the store',
    ),
});

const listed = z.object({
  imported: listOrRef(ledgerEntry),
  same: listOrRef(ledgerEntry)
    .optional()
    .describe(
      'neither side has touched them since a run had brought them, and they stayed where they are; absent in records of earlier versions',
    ),
  kept: listOrRef(ledgerEntry).describe('existed, and the route leaves them'),
  blocked: listOrRef(ledgerEntry).describe('existed, and were not to be touched'),
  skipped: listOrRef(ledgerEntry).describe('cannot be exported'),
  failed: listOrRef(ledgerEntry),
  notImported: listOrRef(ledgerEntry)
    .optional()
    .describe('the run ended before their import, for example after a reject'),
  unaccounted: listOrRef(ledgerEntry).describe('nobody can say what became of them'),
});

const verificationRecord = z.object({
  checked: z.number().describe('items that were looked at to the end'),
  references: z.number().describe('references that were followed'),
  features: z.number().describe('rows of hosted layers that were counted on both sides'),
  notChecked: listOrRef(remark).describe('what could not be checked, and why; never counted as passed'),
  external: listOrRef(remark).describe('references that neither portal holds'),
  findings: listOrRef(finding).describe('what is wrong'),
});

/**
 * A run as people and programs see it: `run show -o json`, and what the store keeps under `runs/`. What each field
 * means stands at it, and is what docs/reference/json-record.md says.
 */
export const runRecord = z.object({
  runId: z.string().describe('its id, which is the workflow id in Temporal as well'),
  kind: word.describe(
    '`sync`, `backup`, `restore`, `rollback`, `drill`; `bisect`, the search for items with which an import fails as a whole; `release`, which makes one, `promotion`, which brings one into a stage, and `promote`, which chooses it when it is due; `settings`, `category-schema` and `task-run`, which change a portal',
  ),
  operation: z
    .string()
    .optional()
    .describe('of a change of a portal, as it is typed: `apply`, `promote`, `delete`, `update`'),
  status: z.enum(runStatuses).describe(STATES),
  target: z
    .enum(['untouched', 'changed', 'unknown'])
    .describe('whether anything was written into the target group'),
  route: z
    .object({
      name: z.string(),
      source: end.optional(),
      target: end.optional(),
    })
    .describe(
      'a backup has no target. A change of a portal has its name for a name, the portal as target, and as source the one where its new values come from, if from another portal',
    ),
  temporal: z
    .object({
      workflowId: z.string(),
      runId: z.string(),
      taskQueue: z
        .string()
        .optional()
        .describe('whose workers it is of: configurations that share a namespace have one each'),
    })
    .describe('where Temporal has it'),
  startedAt: z.string().describe('ISO 8601, in UTC, as all times of the record'),
  finishedAt: z.string().optional().describe('absent while the run is open'),
  startedBy: z.string().optional().describe('user and host, or the schedule'),
  phases: z
    .array(phaseRecord)
    .describe('in their order, also those that are still to come; none before a worker has taken the run'),
  guards: z.array(guardResult).optional().describe('what the checks answered'),
  package: packageRecord.optional().describe('the package that travels'),
  snapshot: snapshotRecord
    .optional()
    .describe(
      'of a backup: what it took, or the earlier one that still holds everything as it is. Of a restore, rollback or drill: what it restores. Of a sync: the safeguard of what it overwrote',
    ),
  safeguard: z.object({ id: z.string() }).optional().describe('of a restore: that of what it overwrote'),
  proof: z.enum(proofLevels).optional().describe('of a drill: what it has shown'),
  taskRun: taskRunRecord
    .optional()
    .describe("the run of a portal's scheduled task that is kept up to date on how this run goes"),
  banner: bannerOfRun.optional().describe('the banner on the target while the run imports'),
  created: created.optional().describe('of a rollback: what the run that it undid had created'),
  changes: z
    .array(fieldChange)
    .optional()
    .describe('of a change of a portal: what differs from before, as far as it is read'),
  saved: z
    .string()
    .optional()
    .describe('of a change of a portal: key of the store under which lies what was there before'),
  parent: z.string().optional().describe('the run that this one retries, restarts or searches for'),
  children: z
    .array(
      z.object({
        runId: z.string(),
        items: z.number(),
        status: z.enum(runStatuses),
        name: z.string().optional(),
        snapshotId: z.string().optional(),
        does: z.enum(['plan', 'import', 'undo']).optional(),
      }),
    )
    .optional()
    .describe(
      'of a bisect: the runs of its parts, in their order. Of a release: the backups of its groups, with their names and what they took. Of a promotion: the runs that plan, import or undo its groups',
    ),
  release: z
    .object({ id: z.string(), sha256: z.string().optional() })
    .optional()
    .describe(
      'of a release: the id that it has claimed, and what it came to once it was made. Of a promotion: what it brings into the stage, or takes back from there',
    ),
  stage: z.string().optional().describe('of a promotion: `PIPELINE/STAGE` into which it goes'),
  undoes: z
    .object({ runId: z.string(), to: z.string().optional() })
    .optional()
    .describe(
      'of a stage rollback: the promotion that it undoes, and the release that the stage returns to, if it held one before',
    ),
  checks: z.array(checkResult).optional().describe('of a promotion: the checks of the stage'),
  scheduledBy: z
    .string()
    .optional()
    .describe(
      'whoever or whatever starts this route regularly; its next run supersedes this one where it is parked',
    ),
  plan: planSummary
    .partial({ ref: true, arrivedLater: true })
    .optional()
    .describe('the plan in figures; its rows are in `run show --plan`'),
  items: listed
    .optional()
    .describe(
      'the ledger: each requested item in exactly one list. A list of over 100 is `{ count, ref }`, a figure and a key of the store; so in `verification`',
    ),
  verification: verificationRecord.optional().describe('what reading back the imported items has shown'),
  parked: parkedRecord.optional().describe('why the run is parked, what it holds, and what to type'),
  corrected: corrections
    .optional()
    .describe('what was corrected of the route while the run was parked; `null` takes a value away'),
  queue: z
    .object({ id: z.string().describe('workflow id'), position: z.number().optional().describe('from 1') })
    .optional()
    .describe('the portal queue in which the run waits'),
  window: z
    .object({ until: z.string(), why: z.string() })
    .optional()
    .describe('the window for which the import waits: when it opens, and why it is not open now'),
  actions: z.array(action).describe('who did what, when and why'),
  warnings: z.array(z.string()).describe('what did not keep the run from going on'),
  leftRunning: z.array(z.string()).describe('jobs that go on at a portal although the run has ended'),
  importFailure: z
    .string()
    .optional()
    .describe(
      "the portal's words where its last import job failed as a whole; they stay when the run is ended later",
    ),
  error: errorRecord.optional().describe('why the run failed, is parked or was ended'),
});
export type RunRecord = z.infer<typeof runRecord>;
