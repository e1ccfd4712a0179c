import type { PhaseName } from '../../model/run/phase';
import type { Approve, Refuse, Supersede } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import type { QueueEntries } from '../portal-queue/run-slots';
import { noWork, type Work } from './portal-work';
import { type Heard, nothingHeard } from './signed-answers';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Ruling } from '../../model/run/policy';
import type { PlanSummary } from '../../model/transfer/plan';
import type { Requested } from '../../model/transfer/requested';
import { refusal } from './failure';

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
