import { z } from 'zod';
import { ledgerEntry } from '../transfer/ledger';
import { planSummary } from '../transfer/plan';
import { phaseStatuses, runStatuses } from './phase';
import { finding, remark } from '../transfer/verification';
import { guardResult } from './guard';
import { parkedRecord } from './parked';
import { proofLevels } from '../snapshot/snapshot';
import { taskRunStatuses } from '../portal-change/task-run';

/** The names of kinds and phases: a contributor's new one is read as those that stand. */
export const word = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);

/** One end of a run; a portal that is changed as a whole has no group. */
const end = z.object({
  portal: z.string(),
  url: z.string(),
  groupId: z.string().optional(),
  groupTitle: z.string().optional(),
});
export type RecordEnd = z.infer<typeof end>;

export const phaseRecord = z.object({
  name: word,
  status: z.enum(phaseStatuses),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  attempts: z.number(),
  /** One line for people: what came of it. */
  detail: z.string().optional(),
});
export type PhaseRecord = z.infer<typeof phaseRecord>;

export const errorRecord = z.object({
  origin: z.enum(['source', 'target', 'transfer', 'tool', 'config']),
  kind: z.enum(['transient', 'permanent', 'unknown']),
  code: z.string(),
  message: z.string(),
  hint: z.string(),
});
export type ErrorRecord = z.infer<typeof errorRecord>;

export const action = z.object({
  at: z.string(),
  /** User and host of whoever typed the command. */
  who: z.string(),
  /** How `who` is known: it was claimed by the machine that sent it, and nobody proved it. */
  identity: z.literal('claimed').optional(),
  what: z.string(),
  reason: z.string().optional(),
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

/** One value that differs: where it stands, what it was, and what it became. Absent is not set. */
export const fieldChange = z.object({
  path: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type FieldChange = z.infer<typeof fieldChange>;

/**
 * What a run is of: `sync`, `backup`, `restore`, `rollback`, `drill`; `bisect`, the search for items with which an
 * import fails as a whole; `settings`, `category-schema` and `task-run`, which change a portal.
 */
export type RunKind = string;

/** A run as people and programs see it: `run show -o json`, and what the store keeps under `runs/`. */
export const runRecord = z.object({
  runId: z.string(),
  kind: word,
  /** Of a change of a portal, as it is typed: `apply`, `promote`, `delete`, `update`. */
  operation: z.string().optional(),
  status: z.enum(runStatuses),
  target: z.enum(['untouched', 'changed', 'unknown']),
  /**
   * A backup has no target. A change of a portal has its name for a name, the portal as target, and as source the
   * one where its new values come from, if from another portal.
   */
  route: z.object({ name: z.string(), source: end.optional(), target: end.optional() }),
  temporal: z.object({ workflowId: z.string(), runId: z.string() }),
  startedAt: z.string(),
  finishedAt: z.string().optional(),
  startedBy: z.string().optional(),
  phases: z.array(phaseRecord),
  guards: z.array(guardResult).optional(),
  package: z
    .object({
      sizeBytes: z.number(),
      sha256: z.string(),
      itemCount: z.number().optional(),
      sourceVersion: z.string().optional(),
      /** The run that made it, where it was taken over from there. */
      of: z.string().optional(),
    })
    .optional(),
  /**
   * Of a backup: what it took, or the earlier one that still holds everything as it is. Of a restore, rollback or
   * drill: what it restores. Of a sync: the safeguard of what it overwrote; so for a restore in `safeguard`.
   */
  snapshot: z
    .object({
      id: z.string(),
      sha256: z.string().optional(),
      sizeBytes: z.number().optional(),
      /** Items that are saved in it. */
      items: z.number().optional(),
      /** The group is as it was when this one was taken, and nothing was exported. */
      unchanged: z.boolean().optional(),
    })
    .optional(),
  safeguard: z.object({ id: z.string() }).optional(),
  /** Of a drill: what it has shown. */
  proof: z.enum(proofLevels).optional(),
  /** The run of a portal's scheduled task that is told how this run goes, and what it was told last. */
  taskRun: z
    .object({
      portal: z.string(),
      username: z.string(),
      taskId: z.string(),
      taskRunId: z.string(),
      said: z.enum(taskRunStatuses).optional(),
    })
    .optional(),
  /**
   * The banner on the target while the run imports: what was there before it, and what became of ours. `theirs`:
   * somebody has changed it since, and it was left so.
   */
  banner: z
    .object({
      ours: bannerRecord,
      before: bannerRecord.nullable(),
      status: z.enum(['planned', 'shown', 'back', 'theirs']),
    })
    .optional(),
  /** Of a rollback: what the run that it undid had created. */
  created: z
    .object({
      /** Ids that were removed. */
      removed: z.array(z.string()),
      /** Those that are still there, and why. */
      there: z.array(
        z.object({
          itemId: z.string(),
          title: z.string(),
          reason: z.string(),
          failed: z.boolean().optional(),
        }),
      ),
    })
    .optional(),
  /** Of a change of a portal: what differs from before, as far as it is read. */
  changes: z.array(fieldChange).optional(),
  /** Of a change of a portal: key of the store under which lies what was there before. */
  saved: z.string().optional(),
  /** The run that this one retries, restarts or searches for. */
  parent: z.string().optional(),
  /** Of a bisect: the runs of its parts, in their order. */
  children: z
    .array(z.object({ runId: z.string(), items: z.number(), status: z.enum(runStatuses) }))
    .optional(),
  /** Whoever or whatever starts this route regularly; its next run supersedes this one where it is parked. */
  scheduledBy: z.string().optional(),
  plan: planSummary.partial({ ref: true, arrivedLater: true }).optional(),
  items: z
    .object({
      imported: listOrRef(ledgerEntry),
      kept: listOrRef(ledgerEntry),
      blocked: listOrRef(ledgerEntry),
      skipped: listOrRef(ledgerEntry),
      failed: listOrRef(ledgerEntry),
      unaccounted: listOrRef(ledgerEntry),
    })
    .optional(),
  verification: z
    .object({
      checked: z.number(),
      references: z.number(),
      features: z.number(),
      notChecked: listOrRef(remark),
      external: listOrRef(remark),
      findings: listOrRef(finding),
    })
    .optional(),
  parked: parkedRecord.optional(),
  corrected: corrections.optional(),
  /** The gate at which the run stands in line; the position where the gate could be asked, from 1. */
  queue: z.object({ gate: z.string(), position: z.number().optional() }).optional(),
  actions: z.array(action),
  warnings: z.array(z.string()),
  leftRunning: z.array(z.string()),
  error: errorRecord.optional(),
});
export type RunRecord = z.infer<typeof runRecord>;
