import type { RunRecord } from '../../model/run/run';
import type { Plan } from '../../model/transfer/plan';
import type { PortalQueueView } from '../portal-queue/queue-view';
import type { ReleasedSlot } from '../run/release-slot';
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
import type { Log } from '../start/prepared-run';
import type { Beginning } from '../start/restart';
import type { StatusView } from '../status/status-view';
import type { PortolanFreezes, PortolanHooks, PortolanRoutes } from './operating';
import type { PortolanPipelines, PortolanReleases } from './releases';
import type { PortolanSchedules } from './schedules';
import type { PortolanSnapshots } from './snapshots';
import type { BegunRun, Start } from './start';
import type { Who } from './who-view';

/**
 * All operations of Portolan: directly with the store and Temporal of a configuration, or over HTTP through a server
 * that has both. Callers cannot tell the difference: error codes and results are the same.
 */
export interface Portolan {
  /** Where requests go, for people: the configuration file, or the URL of the server. */
  readonly place: { readonly label: 'config' | 'server'; readonly words: string };
  /** Where the worker of this machine writes its log, if there is one. */
  readonly workerLog?: string;

  whoami(): Promise<Who>;

  listRuns(asked: Omit<PageOptions, 'onUntold'>): Promise<ListedRuns>;
  /** Finds a run. Throws `RUN_NOT_FOUND`, and `USAGE` if several match. @param text id, an end of it, or `latest` */
  resolveRun(text: string): Promise<RunView>;
  /** Finds a run of a group. Throws `USAGE` for a portal change. */
  seekGroupRun(text: string): Promise<RunView>;
  /** Views of a run until it ends, or until the signal fires. @param runId its whole id */
  watchRun(runId: string, signal: AbortSignal): AsyncGenerator<RunView>;
  /** All rows of its plan; undefined without a reason if they do not exist. */
  readPlan(record: RunRecord): Promise<Noted<Plan>>;
  readEvents(text: string): Promise<readonly RunEvent[]>;

  approve(text: string, said: ApproveRequest): Promise<Approved>;
  reject(text: string, said: RejectRequest): Promise<Rejected>;
  resume(text: string, said: ResumeRequest): Promise<Resumed>;
  /** Includes the run as it was when cancellation was requested. */
  cancel(text: string, said: CancelRequest): Promise<Cancelled & { readonly record: RunRecord }>;

  /** Starts a run; undefined if there is nothing to retry. Throws the reason if it is refused. */
  begin(start: Start, by: Begin): Promise<BegunRun | undefined>;
  /** What a restart would reuse, without starting it. */
  lookAtRestart(text: string, from: Beginning): Promise<Takeover | undefined>;

  status(): Promise<StatusView>;
  listQueues(): Promise<readonly PortalQueueView[]>;
  /** Finds the run by the end of its ID, and the portal queue where it holds a slot. */
  seekHolder(queue: string, text: string): Promise<Held>;
  releaseSlot(held: Held, reason: string): Promise<ReleasedSlot>;
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
  /** Warnings about the source. */
  readonly notes: readonly string[];
  /** Start time before which older runs follow. @format milliseconds since the epoch */
  readonly next?: number;
  /** Records before this time were not read. @format milliseconds since the epoch */
  readonly unread?: number;
}

/** Options for starting a run. */
export interface Begin {
  /** Using the same ID again returns the same run. */
  readonly requestId?: string;
  /** The caller sees the plan and can decide. @default false */
  readonly attended?: boolean;
  readonly say?: Log;
  /** Called with what the run reuses, before its ID is known if possible. */
  readonly onPrepared?: (takeover: Takeover | undefined) => void;
  /** The typed options, for the command in a hint. @default none */
  readonly typed?: string;
}

export interface Held {
  readonly portal: string;
  readonly direction: PortalQueueView['direction'];
  readonly runId: string;
  /** ISO 8601, in UTC. */
  readonly since: string;
}
