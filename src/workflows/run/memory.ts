import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { PhaseName } from '../../model/run/phase';
import type { Approve, Refuse, Supersede } from '../../model/run/run-input';
import type { QueueEntries } from '../portal-queue/run-slots';
import { type Heard, nothingHeard } from './signed-answers';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Ruling } from '../../model/run/policy';
import type { PlanSummary } from '../../model/transfer/plan';
import type { Requested } from '../../model/transfer/requested';
import { refusal } from './failure';
import type { Side } from '../../model/transfer/guard-steps';
import type { RunState } from '../../model/run/run-state';
import type { Signed } from '../../model/run/signature';

/** Decisions of operators and later runs. */
export interface Answers {
  approved?: Approve;
  rejected?: Refuse;
  superseded?: Supersede;
  cancelled?: boolean;
  /** `cancel --now`: do not wait for a running portal job. */
  hurry?: boolean;
  /** A resume is being checked; another must wait. */
  resuming?: boolean;
  /** An accepted resume: the phase to resume with. */
  goOnWith?: PhaseName;
  /** `--yes` approves one plan: a plan that changes later needs a new approval. */
  yesIsSpent: boolean;
}

/** All that a run knows, as JSON, so that its next execution continues with it. */
export interface Memory<Own = unknown> {
  readonly state: RunState;
  readonly facts: Partial<Facts>;
  readonly work: Work;
  readonly answers: Answers;
  readonly heard: Heard;
  /** How many decisions it has refused. */
  refused: number;
  /** The portal queues it has asked. */
  readonly queues: QueueEntries;
  /** How often it has parked. */
  parks: number;
  /** Whether it has waited, however briefly, since the last preflight checks. */
  hasWaited: boolean;
  /** The current phase, or the next one. */
  at?: PhaseName;
  /** What only its kind needs. */
  readonly own: Own;
}

/** The memory of a run that has done nothing yet. */
export const firstMemory = <Own>(state: RunState, own: Own): Memory<Own> => ({
  state,
  facts: {},
  work: noWork(),
  answers: { yesIsSpent: false },
  heard: nothingHeard(),
  refused: 0,
  queues: {},
  parks: 0,
  hasWaited: false,
  own,
});

/** What phases hand to later ones: figures, IDs and store keys, nothing large or secret. */
export interface Facts {
  source: PortalFacts;
  target: PortalFacts;
  /** What the worker's policy requires of the run. */
  ruling: Ruling;
  requested: Requested;
  /** The group shrank by more than half since the last run of the route. */
  shrunk: boolean;
  /** The guard phase has already counted rows of hosted layers. */
  rowsRead: boolean;
  /** Of a restore: the snapshot, and how many of its items are saved as copies. */
  snapshotId: string;
  copies: number;
  /** Items that were requested but are not in the snapshot, or were not restored. */
  notSaved: number;
  /** How often the preview was read; each reading has its own store key. */
  planReading: number;
  plan: PlanSummary;
  /** Full hash of the plan that was approved. */
  approved: string;
  /** Full hash of the plan whose overwritten items are saved. */
  safeguarded: string;
}

/** A fact an earlier phase must have found; if absent, the phases are in the wrong order. */
export function requireFact<Found, K extends keyof Found & string>(
  found: Found,
  name: K,
): NonNullable<Found[K]> {
  const value = found[name];
  if (value === undefined || value === null) throw refusal('INTERNAL', `no phase has read "${name}"`);
  return value;
}

type JobName = 'export' | 'safeguard' | 'import';

/** A portal job not yet known to have ended. */
export interface OpenJob {
  readonly name: JobName;
  /** Index of the package, from 0. */
  readonly packageIndex: number;
  /** Absent if the response that named it was lost. */
  readonly jobId?: string;
  readonly sealedKey?: string;
  readonly startedAt: number;
}

/** What a run has started on portals and may leave there: waited for, shown, and removed however the run ends. */
export interface Work {
  /** At most one of each purpose is open. */
  readonly jobs: Partial<Record<JobName, OpenJob | undefined>>;
  /** Portolan's packages on portals, which cleanup deletes. */
  packages: readonly { readonly side: Side; readonly itemId: string }[];
  /** Portals where something created by Portolan may be; noted before the first write. */
  readonly written: Partial<Record<Side, true>>;
  /** Something of the run is on the target, unless the portal refused it outright. Ending the run would lose it. */
  isOnTarget: boolean;
  /** How many imports the portal accepted, or may have; noted before each is sent. */
  begun: number;
  /** Number of the imports' round, from 1. */
  round: number;
  /** How the target changed after an import that failed or was lost. */
  targetSeen?: string;
  /** Start of the current deadline: a resume, or the end of the run, restarts it. @format milliseconds since the epoch */
  jobDeadlineFrom: number;
}

const noWork = (): Work => ({
  jobs: {},
  packages: [],
  written: {},
  isOnTarget: false,
  begun: 0,
  round: 1,
  jobDeadlineFrom: 0,
});

export const openJobs = ({ jobs }: Work): OpenJob[] => Object.values(jobs).flatMap((job) => job ?? []);

/** The portal of a job. */
export const sideOf = (name: JobName): Side => (name === 'export' ? 'source' : 'target');

/** Notes a package of Portolan's on a portal. */
export function holds(work: Work, side: Side, itemId: string): void {
  if (!work.packages.some((each) => each.itemId === itemId && each.side === side))
    work.packages = [...work.packages, { side, itemId }];
}

/** A workflow continues as new after this many events. */
export const EVENTS_MAX = 4_000;

/** Whether to continue as new. Earlier than the server suggests, so that replay stays fast. */
export function isLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > EVENTS_MAX;
}

/** Continues the run as new, with its signed input and its memory. Returns only if the run was cancelled. */
export async function continueRun(run: {
  readonly signed: Signed;
  readonly memory: Memory;
  readonly isCancelled: boolean;
}): Promise<void> {
  await condition(allHandlersFinished);
  if (run.isCancelled) return;
  await continueAsNew<(signed: Signed, memory: Memory) => Promise<RunState>>(run.signed, run.memory);
}
