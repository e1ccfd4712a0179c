/** The phases of a run, in the order in which a sync walks them. */
export const phaseNames = [
  'guard',
  'export',
  'wait-export',
  'download',
  'upload',
  'preview',
  'approve',
  'safeguard',
  'import',
  'wait-import',
  'verify',
  'cleanup',
] as const;

export type PhaseName = (typeof phaseNames)[number];

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

/** What is known about the target when a run ends or is looked at. */
export type TargetState = 'untouched' | 'changed' | 'unknown';
