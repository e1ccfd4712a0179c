/** The phases of runs, in the order in which they are walked. */
export const phaseNames = [
  'guard',
  'export',
  'wait-export',
  'download',
  'snapshot',
  'retention',
  'upload',
  'preview',
  'approve',
  'safeguard',
  'import',
  'wait-import',
  'verify',
  'put-back',
  'prove',
  'cleanup',
] as const;

export type PhaseName = (typeof phaseNames)[number];

const making = ['guard', 'export', 'wait-export', 'download'] as const;
const importing = ['upload', 'preview', 'approve', 'safeguard', 'import', 'wait-import'] as const;

/** What a run of each kind walks. A bisect is made of runs of its own. */
export const phasesOf = {
  sync: [...making, ...importing, 'verify', 'cleanup'],
  bisect: [],
  backup: [...making, 'snapshot', 'retention', 'cleanup'],
  restore: ['guard', ...importing, 'verify', 'cleanup'],
  rollback: ['guard', ...importing, 'verify', 'put-back', 'cleanup'],
  drill: ['guard', 'upload', 'preview', 'approve', 'import', 'wait-import', 'verify', 'prove', 'cleanup'],
} as const satisfies Record<string, readonly PhaseName[]>;

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
