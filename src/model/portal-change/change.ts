import { z } from 'zod';
import { changeSteps } from './change-steps';
import type { TaskAddress, TaskRunStatus } from './task-run';
import { phaseStatuses, runStatuses } from '../run/phase';
import { action, errorRecord } from '../run/run';

/** What is changed on a portal as a whole, by a run of its own. */
export const changeKinds = ['settings', 'category-schema', 'task-run'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** A portal by its name in portolan.yaml, with `{base_url}` as the starter's configuration has it. */
export const portalRef = z.object({ portal: z.string(), url: z.string() });
export type PortalRef = z.infer<typeof portalRef>;

/** One value that differs: where it stands, what it was, and what it became. Absent is not set. */
export const fieldChange = z.object({
  path: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type FieldChange = z.infer<typeof fieldChange>;

/**
 * A change of a portal as people and programs see it: `run show -o json`, what the store keeps under `runs/`, and what
 * its workflow holds.
 */
export const changeRecord = z.object({
  runId: z.string(),
  kind: z.enum(changeKinds),
  /** As it is typed: `apply`, `promote`, `delete`, `update`. */
  operation: z.string(),
  status: z.enum(runStatuses),
  target: z.enum(['untouched', 'changed', 'unknown']),
  /** The portal that is changed. */
  portal: portalRef,
  /** Where its new values come from, if from another portal. */
  from: portalRef.optional(),
  temporal: z.object({ workflowId: z.string(), runId: z.string() }),
  startedAt: z.string(),
  finishedAt: z.string().optional(),
  startedBy: z.string().optional(),
  phases: z.array(
    z.object({
      name: z.enum(changeSteps),
      status: z.enum(phaseStatuses),
      startedAt: z.string().optional(),
      finishedAt: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
  /** What differs from before, as far as it is read. */
  changes: z.array(fieldChange).optional(),
  /** Key of the store under which lies what was there before. */
  saved: z.string().optional(),
  actions: z.array(action),
  warnings: z.array(z.string()),
  error: errorRecord.optional(),
});
export type ChangeRecord = z.infer<typeof changeRecord>;

/** What starts a change of any kind. Travels through history: holds no secret. */
export interface ChangeInput {
  /** The Temporal workflow id, and the only id that people see. */
  readonly runId: string;
  readonly operation: string;
  readonly portal: PortalRef;
  readonly from?: PortalRef;
  /** Claimed, not proven: `user@host`. */
  readonly startedBy: string;
  /** `--reason`, kept in the record. */
  readonly reason?: string;
}

/** Starts `task-run update`. */
export interface TaskRunInput extends ChangeInput {
  readonly task: TaskAddress;
  readonly status: TaskRunStatus;
  /** May be empty. @default the one that stands there */
  readonly result?: string;
}

/** The workflow of each kind. */
export const changeWorkflows = {
  settings: 'changeSettings',
  'category-schema': 'changeCategorySchema',
  'task-run': 'changeTaskRun',
} as const satisfies Record<ChangeKind, string>;
