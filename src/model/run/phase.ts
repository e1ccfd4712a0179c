/** A step of a run that people see, such as `wait-export`: letters and hyphens. Each workflow lists its own. */
export type PhaseName = string;

/** Phases a run can restart from; later ones need a fresh preview. */
export const beginnings = ['guard', 'export', 'upload', 'preview'] as const satisfies readonly PhaseName[];
export type Beginning = (typeof beginnings)[number];

export const phaseStatuses = [
  'pending',
  'running',
  'waiting',
  'parked',
  'done',
  'skipped',
  'failed',
] as const;
export type PhaseStatus = (typeof phaseStatuses)[number];

export const runStatuses = [
  'running',
  'waiting',
  'parked',
  'succeeded',
  'partial',
  'failed',
  'cancelled',
  'nothing-to-do',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Whether a run with this status is open. */
export const isOpenStatus = (status: RunStatus): boolean =>
  status === 'running' || status === 'waiting' || status === 'parked';

/** What is known about the target. */
export type TargetState = 'untouched' | 'changed' | 'unknown';

/** A target's state, for people. */
export const targetStateText = (state: TargetState): string => (state === 'untouched' ? 'unchanged' : state);

/** Words for the run of a scheduled task. docs/reference/portal-interface.md, "Task runs" */
export const taskRunStatuses = [
  'scheduled',
  'executing',
  'succeeded',
  'skipped',
  'failed',
  'submitfailed',
] as const;
export type TaskRunStatus = (typeof taskRunStatuses)[number];
