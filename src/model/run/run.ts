import { z } from 'zod';
import { ledgerEntry } from '../transfer/ledger';
import { planSummary } from '../transfer/plan';
import { phaseStatuses, runStatuses, taskRunStatuses } from './phase';
import { finding, remark } from '../transfer/verification';
import { checkResult } from '../release/promotion';
import { identities } from './signature';
import { proofLevels } from '../snapshot/snapshot';

/** The result of a preflight check: what it saw, what is needed, and how to fix it. */
export const guardResult = z.object({
  name: z.string().describe('such as `version` or `disk on production`'),
  verdict: z.enum(['pass', 'refuse', 'unknown']),
  saw: z.string().describe('observation, for people'),
  needs: z.string().optional().describe('requirement, unless passed'),
  todo: z.string().optional().describe('fix, unless passed'),
  isNews: z.boolean().optional().describe('passes, but worth reporting'),
  code: z.string().optional().describe('[error code](errors.md) of a refusal'),
});
export type GuardResult = z.infer<typeof guardResult>;

/** Why a run is parked, what it keeps meanwhile, and the commands that end it. */
const parkedRecord = z.object({
  phase: z.string(),
  at: z.string(),
  until: z.string().describe('deadline for a decision'),
  count: z.number().describe('times parked so far'),
  code: z.string(),
  reason: z.string(),
  evidence: z.array(z.string()).describe('portal message, free disk space and the like'),
  held: z.array(z.string()).describe('kept meanwhile'),
  reuses: z.array(z.string()).describe('reused by a resume'),
  redoes: z.array(z.string()).describe('repeated by a resume'),
  commands: z.array(z.string()).describe('commands to try, best first'),
  refusals: z.number().describe('resumes refused so far'),
});
export type ParkedRecord = z.infer<typeof parkedRecord>;

/** A typed reason. */
export const reasonText = z.string().min(1).max(2_000);

/** The name of a kind or phase. Any name of this form is accepted, so that new ones need no change here. */
export const word = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);

/** Source or target of a run; has no group if the run changes a whole portal. */
export const recordEnd = z.object({
  portal: z.string().describe('name in portolan.yaml'),
  url: z.string(),
  groupId: z.string().optional(),
  groupTitle: z.string().optional(),
});
export type RecordEnd = z.infer<typeof recordEnd>;

export const phaseRecord = z.object({
  name: word,
  status: z.enum(phaseStatuses),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  attempts: z.number().describe('times entered'),
  detail: z.string().optional().describe('outcome, for people'),
});
export type PhaseRecord = z.infer<typeof phaseRecord>;

export const errorRecord = z.object({
  origin: z.enum(['source', 'target', 'transfer', 'tool', 'config']).describe('where it arose'),
  kind: z
    .enum(['transient', 'permanent', 'unknown'])
    .describe('`transient` passes by itself, `permanent` needs a person'),
  code: z.string().describe('[error code](errors.md)'),
  message: z.string().describe('what happened, with any portal message'),
  hint: z.string().describe('what to do'),
});
export type ErrorRecord = z.infer<typeof errorRecord>;

export const action = z.object({
  at: z.string(),
  who: z.string().describe('`user@host`, key name, or `user@portal`'),
  identity: z
    .enum(identities)
    .optional()
    .describe('source of `who`: `claimed` (unverified), API `key`, or `portal` sign-in'),
  what: z.string().describe('such as `start`, `approve`, `resume`'),
  reason: z.string().optional().describe('`--reason`'),
});
export type Action = z.infer<typeof action>;

/** What a person can correct of a parked run; `null` clears a value. */
const routeChange = z.object({
  folderId: z.string().nullish(),
  folderOwner: z.string().nullish(),
  overwrite: z.boolean().optional(),
  data: z.enum(['keep', 'replace']).optional(),
  jobDeadlineMs: z.number().optional(),
  freeDiskBytes: z.number().optional(),
});
export type RouteChange = z.infer<typeof routeChange>;

/** A portal's informational banner, as the portal reports it. */
export const bannerRecord = z.looseObject({
  text: z.string().optional(),
  bgColor: z.string().optional(),
  fontColor: z.string().optional(),
  enabled: z.boolean().optional(),
});
export type BannerRecord = z.infer<typeof bannerRecord>;

/** A list of up to 100 entries; a longer one is a count and a store key. */
const listOrRef = <T extends z.ZodType>(entry: T) =>
  z.union([z.array(entry), z.object({ count: z.number(), ref: z.string() })]);

/** One changed value, before and after; absent if not set. */
export const fieldChange = z.object({
  path: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type FieldChange = z.infer<typeof fieldChange>;

/**
 * The kind of a run: `sync`, `backup`, `restore`, `rollback`, `drill`; `bisect`, the search for items that make an
 * import fail; `release`, `promotion`, and `promote`, which starts a scheduled promotion; `protect`, the backups of a rule; `settings`, `category-schema`
 * and `task-run`, which change a portal.
 */
export type RunKind = string;

/** Kinds of runs whose route is a pipeline. */
export const pipelineKinds: ReadonlySet<RunKind> = new Set(['promotion', 'promote', 'release']);

const packageRecord = z.object({
  sizeBytes: z.number(),
  sha256: z.string(),
  itemCount: z.number().optional(),
  parts: z.number().describe('packages; `sha256` is of the first'),
  sourceVersion: z.string().optional().describe('source portal version'),
  of: z.string().optional().describe('exporting run, if reused'),
});

const snapshotRecord = z.object({
  id: z.string(),
  sha256: z.string().optional().describe('of the first package'),
  sizeBytes: z.number().optional().describe('of all packages'),
  items: z.number().optional().describe('items saved'),
  since: z.string().optional().describe('parent snapshot, unless everything was exported'),
  addedBytes: z.number().optional().describe('with `since`: bytes added to the store'),
  unchanged: z.boolean().optional().describe('nothing changed since, so nothing exported'),
});

const taskRunRecord = z.object({
  portal: z.string(),
  username: z.string(),
  taskId: z.string(),
  taskRunId: z.string(),
  said: z.enum(taskRunStatuses).optional().describe('last status reported'),
});

const bannerOfRun = z.object({
  ours: bannerRecord,
  before: bannerRecord.nullable().describe('banner it replaces; `null` if none'),
  status: z
    .enum(['planned', 'shown', 'back', 'theirs'])
    .describe('`back`: restored; `theirs`: left, since someone changed it'),
});

const created = z.object({
  removed: z.array(z.string()).describe('IDs of deleted items'),
  there: z
    .array(
      z.object({
        itemId: z.string(),
        title: z.string(),
        reason: z.string(),
        failed: z.boolean().optional(),
      }),
    )
    .describe('items still there, with reason'),
  whole: z
    .object({ removed: z.number(), there: z.number(), failed: z.number(), ref: z.string() })
    .optional()
    .describe('totals and store key, if lists are cut'),
});

const listed = z.object({
  imported: listOrRef(ledgerEntry),
  same: listOrRef(ledgerEntry).optional().describe('unchanged on both sides since an earlier run'),
  kept: listOrRef(ledgerEntry).describe('exist; not overwritten'),
  blocked: listOrRef(ledgerEntry).describe('exist; could not be overwritten'),
  skipped: listOrRef(ledgerEntry).describe('not exportable'),
  failed: listOrRef(ledgerEntry),
  notImported: listOrRef(ledgerEntry).optional().describe('run ended before importing'),
  unaccounted: listOrRef(ledgerEntry).describe('outcome unknown'),
});

const verificationRecord = z.object({
  checked: z.number().describe('items fully checked'),
  references: z.number().describe('references followed'),
  features: z.number().describe('rows of hosted layers counted on both sides'),
  notChecked: listOrRef(remark).describe('not checkable; never counted as passed'),
  external: listOrRef(remark).describe('references that neither portal holds'),
  findings: listOrRef(finding).describe('problems'),
});

/** What became of a group of a rule since the run before. */
export const groupChanges = ['new', 'back', 'renamed', 'owner', 'replaced', 'gone', 'unmatched'] as const;
export const groupChange = z.object({
  groupId: z.string(),
  title: z.string(),
  change: z
    .enum(groupChanges)
    .describe(
      '`replaced`: deleted, and another group has its title; `gone`: deleted; `unmatched`: exists but no longer matches',
    ),
  detail: z.string().describe('for people'),
});
export type GroupChange = z.infer<typeof groupChange>;

const matchedGroups = z.object({
  count: z.number(),
  changes: z.array(groupChange).describe('what changed since the last run of the rule, reported once'),
});

/**
 * A run as people and programs see it: `run show -o json`, and what the store keeps under `runs/`. The descriptions
 * below make docs/reference/json-record.md.
 */
export const runRecord = z.object({
  runId: z.string().describe('also the Temporal workflow ID'),
  kind: word.describe(
    '`sync`, `backup`, `restore`, `rollback`, `drill`, `bisect`, `release`, `promotion`, `promote` (starts a due promotion), `protect` (a rule); portal change: `settings`, `category-schema`, `task-run`',
  ),
  operation: z.string().optional().describe('portal change: `apply`, `promote`, `delete`, `update`'),
  status: z.enum(runStatuses).describe('`waiting`: for approval; `parked`: for a decision'),
  target: z.enum(['untouched', 'changed', 'unknown']).describe('state of the target group'),
  route: z
    .object({
      name: z.string(),
      source: recordEnd.optional(),
      target: recordEnd.optional(),
    })
    .describe('portal change: named after the target portal'),
  temporal: z.object({
    workflowId: z.string(),
    runId: z.string(),
    taskQueue: z.string().optional().describe('task queue of its workers'),
  }),
  startedAt: z.string().describe('ISO 8601 in UTC, as are all times'),
  finishedAt: z.string().optional().describe('absent while open'),
  startedBy: z.string().optional().describe('as `who`, or the schedule'),
  phases: z.array(phaseRecord).describe('all, in order; empty until a worker takes the run'),
  guards: z.array(guardResult).optional().describe('preflight checks'),
  package: packageRecord.optional().describe('export package'),
  snapshot: snapshotRecord
    .optional()
    .describe('backup: taken, or still matching; restore, rollback, drill: restored; sync: safeguard'),
  safeguard: z.object({ id: z.string() }).optional().describe('restore: safeguard of the overwritten items'),
  proof: z.enum(proofLevels).optional().describe('drill result'),
  taskRun: taskRunRecord.optional().describe('portal task run it updates'),
  banner: bannerOfRun.optional().describe('banner during the import'),
  created: created.optional().describe('rollback: items the original run created'),
  changes: z.array(fieldChange).optional().describe('portal change: changed values'),
  saved: z.string().optional().describe('portal change: store key of the previous values'),
  parent: z.string().optional().describe('run it retries, restarts or bisects'),
  children: z
    .array(
      z.object({
        runId: z.string(),
        items: z.number(),
        status: z.enum(runStatuses),
        name: z.string().optional(),
        snapshotId: z.string().optional(),
        does: z.enum(['plan', 'import', 'undo']).optional(),
        groupId: z.string().optional(),
        sizeBytes: z.number().optional(),
        startedAt: z.string().optional(),
        finishedAt: z.string().optional(),
        reason: z.string().optional(),
      }),
    )
    .optional()
    .describe('runs of a bisect, release, promotion or protect'),
  groups: matchedGroups.optional().describe('protect: the groups that match the rule'),
  release: z
    .object({ id: z.string(), sha256: z.string().optional() })
    .optional()
    .describe('release created, promoted or rolled back; `sha256` once created'),
  stage: z.string().optional().describe('promotion: target `PIPELINE/STAGE`'),
  undoes: z
    .object({ runId: z.string(), to: z.string().optional() })
    .optional()
    .describe('stage rollback: promotion rolled back, release returned to'),
  checks: z.array(checkResult).optional().describe('promotion: checks of the stage'),
  scheduledBy: z.string().optional().describe('schedule or job whose next run supersedes this one if parked'),
  plan: planSummary
    .partial({ ref: true, arrivedLater: true })
    .optional()
    .describe('counts; `run show --plan` lists rows'),
  items: listed.optional().describe('results: each requested item once'),
  verification: verificationRecord.optional().describe('imported items read back'),
  parked: parkedRecord.optional().describe('why, and what to do'),
  corrected: routeChange.optional().describe('corrections while parked; `null` clears'),
  queue: z
    .object({ id: z.string().describe('workflow ID'), position: z.number().optional().describe('from 1') })
    .optional()
    .describe('portal queue it waits in'),
  window: z.object({ until: z.string(), why: z.string() }).optional().describe('window the import waits for'),
  actions: z.array(action).describe('audit trail'),
  warnings: z.array(z.string()).describe('non-fatal problems'),
  leftRunning: z.array(z.string()).describe('portal jobs still running'),
  importFailure: z.string().optional().describe('portal message of a failed import job'),
  error: errorRecord.optional().describe('why it failed, parked or was ended'),
});
export type RunRecord = z.infer<typeof runRecord>;
