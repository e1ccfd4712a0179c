import type { ChangeInput, PortalPlace } from './change';

/** Words for the run of a scheduled task. docs/portal-interface.md, "Task runs" */
export const taskRunStatuses = [
  'scheduled',
  'executing',
  'succeeded',
  'skipped',
  'failed',
  'submitfailed',
] as const;
export type TaskRunStatus = (typeof taskRunStatuses)[number];

/** A scheduled task of a portal's user, and one of its runs; without one, the run that was created last. */
export interface TaskPlace extends PortalPlace {
  readonly username: string;
  readonly taskId: string;
  readonly taskRunId?: string;
}

/** Starts `task-run update`. */
export interface TaskRunInput extends ChangeInput {
  readonly task: TaskPlace;
  readonly status: TaskRunStatus;
  /** May be empty. @default the one that stands there */
  readonly result?: string;
}
