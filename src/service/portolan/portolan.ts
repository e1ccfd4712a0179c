import type { RunRecord } from '../../model/run/run';
import type { Plan } from '../../model/transfer/plan';
import type { PortalQueueView } from '../portal-queue/queue-view';
import type {
  Approved,
  ApproveRequest,
  Cancelled,
  CancelRequest,
  Rejected,
  RejectRequest,
  Resumed,
  ResumeRequest,
} from '../run/answer-run';
import type { RunEvent } from '../run/run-event-view';
import type { PageOptions } from '../run/run-rows';
import type { Noted } from '../run/run-sources';
import type { RunRow, RunView, Takeover } from '../run/run-view';
import type { Say } from '../start/prepared-run';
import type { Beginning } from '../start/restart';
import type { StatusView } from '../status/status-view';
import type { PortolanFreezes, PortolanHooks, PortolanRoutes } from './operating';
import type { PortolanPipelines, PortolanReleases } from './releases';
import type { PortolanSchedules } from './schedules';
import type { PortolanSnapshots } from './snapshots';
import type { BegunRun, Start } from './start';
import type { Who } from './who-view';

/**
 * What one can ask of Portolan and tell it: by the store and Temporal of a configuration, or over HTTP by a server that
 * has both. Whoever asks does not know which it is: what is thrown has the same code, and what is answered is the same.
 */
export interface Portolan {
  /** Who answers, for people: the file of the configuration, or the address of the server. */
  readonly place: { readonly label: 'config' | 'server'; readonly words: string };
  /** Where the worker of this machine writes its log, if there is one. */
  readonly workerLog?: string;

  whoami(): Promise<Who>;

  listRuns(asked: Omit<PageOptions, 'onUntold'>): Promise<ListedRuns>;
  /** The run that somebody means. Throws `RUN_NOT_FOUND`, and `USAGE` where several are meant. @param text id, an end of it, or `latest` */
  resolveRun(text: string): Promise<RunView>;
  /** The same of a run of a group. Throws `USAGE` for a change of a portal. */
  seekGroupRun(text: string): Promise<RunView>;
  /** Views of it as it goes on, the last of its end. Ends early when the signal fires. @param runId its whole id */
  watchRun(runId: string, signal: AbortSignal): AsyncGenerator<RunView>;
  /** All rows of its plan; neither these nor a reason where they are not there to be seen. */
  readPlan(record: RunRecord): Promise<Noted<Plan>>;
  readEvents(text: string): Promise<readonly RunEvent[]>;

  approve(text: string, said: ApproveRequest): Promise<Told<Approved>>;
  reject(text: string, said: RejectRequest): Promise<Told<Rejected>>;
  resume(text: string, said: ResumeRequest): Promise<Told<Resumed>>;
  /** With the run as it was when it was asked to end. */
  cancel(
    text: string,
    said: CancelRequest,
  ): Promise<{ readonly shown: Cancelled; readonly record: RunRecord }>;

  /** Begins a run; undefined where there is nothing left to be tried again. Throws what stands against it. */
  begin(start: Start, by: Begin): Promise<BegunRun | undefined>;
  /** What a restart would take over, without one. */
  lookAtRestart(text: string, from: Beginning): Promise<Takeover | undefined>;

  status(): Promise<StatusView>;
  listQueues(): Promise<readonly PortalQueueView[]>;
  /** The run that somebody means by an end of its id, and the portal queue where it holds a slot. */
  seekHolder(queue: string, text: string): Promise<Held>;
  releaseSlot(held: Held, reason: string): Promise<Told<ReleasedSlot>>;
  readonly schedules: PortolanSchedules;
  readonly snapshots: PortolanSnapshots;
  readonly releases: PortolanReleases;
  readonly pipelines: PortolanPipelines;
  readonly freezes: PortolanFreezes;
  readonly hooks: PortolanHooks;
  readonly routes: PortolanRoutes;
}

/** A page of runs. */
export interface ListedRuns {
  readonly runs: readonly RunRow[];
  /** What the reader has to know about where they come from. */
  readonly notes: readonly string[];
  /** Older runs are those before then. @format milliseconds since the epoch */
  readonly next?: number;
  /** Records before then were not read. @format milliseconds since the epoch */
  readonly unread?: number;
}

/** What became of an answer. */
export interface Told<Shown> {
  readonly shown: Shown;
  /** Why nothing has been said to it yet. */
  readonly unanswered?: string;
}

/** How a run is begun. */
export interface Begin {
  /** The same id twice is the same run. */
  readonly requestId?: string;
  /** Whoever begins it sees its plan and can be asked. @default false */
  readonly attended?: boolean;
  readonly say?: Say;
  /** Is told what it takes over, before its id is known where that can be. */
  readonly onPrepared?: (takeover: Takeover | undefined) => void;
  /** Options as they were typed, for the command that a hint names. @default none */
  readonly typed?: string;
}

export interface Held {
  readonly portal: string;
  readonly direction: PortalQueueView['direction'];
  readonly runId: string;
  /** ISO 8601, in UTC. */
  readonly since: string;
}

export interface ReleasedSlot {
  readonly queue: string;
  readonly runId: string;
  readonly released: true;
  readonly taken: boolean;
}
