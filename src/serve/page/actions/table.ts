import type { OperationId } from '../../../contract/contract';
import type { Right } from '../../../model/rights';
import type { Deed } from '../flash-message';

/** A field to fill in. Its option makes it part of the command that is shown. */
export interface Field {
  readonly label: string;
  /** `words` are several texts, separated by spaces. */
  readonly kind: 'text' | 'words' | 'tick' | 'select';
  /** Empty for an argument without an option. @default it is no part of the command */
  readonly option?: string;
  readonly isNeeded?: true;
  readonly hint?: string;
  /** Needed to fill it in. @default that of the action */
  readonly right?: Right;
}

/** A form with one button: the operation it asks for, what is filled in, and the command that does the same. */
export interface PageAction {
  readonly operation: OperationId;
  /** Path of the form; names in it are fields of the operation, or the page that shows an error. */
  readonly at: string;
  readonly button: string;
  /** @default quiet */
  readonly tone?: 'main' | 'danger';
  /** The command, up to what is filled in: words, and `:name` for what the page knows. */
  readonly command: string;
  /** Sent without being shown. */
  readonly hidden?: readonly string[];
  /** Input that is the same for everybody. */
  readonly always?: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, Field>>;
  /** Needed besides the right of the operation. */
  readonly also?: Right;
  /** The message afterwards. @default that of a start */
  readonly done?: Deed;
}

const reason: Field = { label: 'Reason (saved with the run)', kind: 'text', option: '--reason' };
const plainReason: Field = { label: 'Reason', kind: 'text', option: '--reason' };
const neededReason: Field = { ...plainReason, isNeeded: true };
const tick = (label: string, option: string): Field => ({ label, kind: 'tick', option });

/** Every form of the web UI. */
export const actions = {
  approve: {
    operation: 'approveRun',
    at: '/runs/:run/approve',
    button: 'Approve',
    tone: 'main',
    command: 'portolan run approve :run --plan :plan',
    hidden: ['plan'],
    fields: { portal: { label: 'Portal', kind: 'text', isNeeded: true }, reason },
    done: 'approve',
  },
  reject: {
    operation: 'rejectRun',
    at: '/runs/:run/reject',
    button: 'Reject',
    tone: 'danger',
    command: 'portolan run reject :run',
    hidden: ['plan'],
    fields: { reason: neededReason },
    done: 'reject',
  },
  resume: {
    operation: 'resumeRun',
    at: '/runs/:run/resume',
    button: 'Resume',
    tone: 'main',
    command: 'portolan run resume :run',
    fields: {
      set: { label: 'Corrections', kind: 'words', option: '--set', hint: 'KEY=VALUE, separated by spaces' },
      reason,
    },
    done: 'resume',
  },
  cancel: {
    operation: 'cancelRun',
    at: '/runs/:run/cancel',
    button: 'Cancel run',
    tone: 'danger',
    command: 'portolan run cancel :run',
    fields: { now: tick('Do not wait for running portal jobs', '--now'), reason },
    done: 'cancel',
  },
  retry: {
    operation: 'retryRun',
    at: '/runs/:run/retry',
    button: 'Retry items',
    command: 'portolan run retry :run',
    fields: { reason },
  },
  bisect: {
    operation: 'retryRun',
    at: '/runs/:run/bisect',
    button: 'Bisect: find failing items',
    command: 'portolan run retry :run --bisect',
    always: { bisect: true },
    fields: {
      yes: { ...tick('Approve the plans of all its imports', '--yes'), right: 'approve' },
      reason,
    },
    also: 'operate',
  },
  restart: {
    operation: 'restartRun',
    at: '/runs/:run/restart',
    button: 'Restart',
    command: 'portolan run restart :run --from :from --yes',
    hidden: ['from'],
    fields: { reason },
  },
  rollBack: {
    operation: 'rollBackRun',
    at: '/runs/:run/rollback',
    button: 'Roll back',
    tone: 'danger',
    command: 'portolan run rollback :run',
    fields: { reason },
  },
  sync: {
    operation: 'startSync',
    at: '/syncs',
    button: 'Start sync',
    command: 'portolan sync',
    fields: {
      route: { label: 'Route', kind: 'select', option: '' },
      planOnly: tick('Stop after the plan', '--plan-only'),
      reason,
    },
  },
  backUp: {
    operation: 'startBackup',
    at: '/backups/:route/create',
    button: 'Back up',
    command: 'portolan backup create :route',
    fields: { full: tick('Export unchanged items too', '--full'), reason },
  },
  protect: {
    operation: 'startProtect',
    at: '/coverage/:rule/runs',
    button: 'Back up its groups',
    command: 'portolan protect run :rule',
    fields: { reason },
  },
  restore: {
    operation: 'startRestore',
    at: '/backups/:route/restore',
    button: 'Plan restore',
    command: 'portolan restore',
    fields: {
      snapshot: { label: 'Snapshot', kind: 'select', option: '' },
      to: { label: 'Portal', kind: 'select', option: '--to' },
      into: { label: 'Group ID', kind: 'text', option: '--into', isNeeded: true },
      overwrite: tick('Overwrite existing items', '--overwrite'),
      reason,
    },
  },
  restoreItem: {
    operation: 'restoreItem',
    at: '/items/:item/restore',
    button: 'Restore',
    command: 'portolan item restore :item --at :at',
    hidden: ['at'],
    fields: { reason },
  },
  createRelease: {
    operation: 'createRelease',
    at: '/pipelines/:pipeline/releases',
    button: 'Create release',
    command: 'portolan release create :pipeline',
    fields: { reason },
  },
  block: {
    operation: 'blockRelease',
    at: '/pipelines/:pipeline/releases/:release/block',
    button: 'Block release',
    command: 'portolan release block :release',
    fields: { reason: neededReason },
    done: 'block',
  },
  unblock: {
    operation: 'unblockRelease',
    at: '/pipelines/:pipeline/releases/:release/unblock',
    button: 'Unblock release',
    command: 'portolan release unblock :release',
    fields: { reason: plainReason },
    done: 'unblock',
  },
  promote: {
    operation: 'startPromotion',
    at: '/pipelines/:pipeline/:stage/promote',
    button: 'Promote',
    tone: 'main',
    command: 'portolan promote :pipeline --to :stage --release :release',
    hidden: ['release'],
    fields: {
      atSoak: tick('Start now and wait for the soak time', '--at-soak'),
      hotfix: tick('Hotfix: skip stage order and soak time (reason required)', '--hotfix'),
      reason,
    },
  },
  rollBackStage: {
    operation: 'rollBackStage',
    at: '/pipelines/:pipeline/:stage/rollback',
    button: 'Roll back stage',
    tone: 'danger',
    command: 'portolan promote rollback :pipeline :stage',
    fields: { reason },
    also: 'operate',
  },
  pause: {
    operation: 'pauseSchedule',
    at: '/schedules/:schedule/pause',
    button: 'Pause',
    command: 'portolan schedule pause :schedule',
    fields: { reason: neededReason },
    done: 'pause',
  },
  resumeSchedule: {
    operation: 'resumeSchedule',
    at: '/schedules/:schedule/resume',
    button: 'Resume',
    command: 'portolan schedule resume :schedule',
    fields: {},
    done: 'resume-schedule',
  },
  trigger: {
    operation: 'triggerSchedule',
    at: '/schedules/:schedule/trigger',
    button: 'Run now',
    command: 'portolan schedule trigger :schedule',
    fields: {},
  },
  releaseSlot: {
    operation: 'releaseSlot',
    at: '/queues/:portal/:direction/release',
    button: 'Free this slot',
    tone: 'danger',
    command: 'portolan queue release :portal/:direction :run',
    hidden: ['run', 'since'],
    fields: { reason: neededReason },
    done: 'release',
  },
} as const satisfies Readonly<Record<string, PageAction>>;

export type ActionId = keyof typeof actions;
