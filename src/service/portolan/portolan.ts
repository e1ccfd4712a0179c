import type { StatusView } from '../../contract/status';
import type { Portolan as Described } from '../../contract/contract';
import type { PortalQueueView } from '../../contract/queues';
import type { ReleasedSlot } from '../run/release-slot';
import type { PortolanHooks, PortolanRoutes } from './operating';
import type { PortolanPipelines, PortolanReleases } from './releases';
import type { PortolanSchedules } from './schedules';
import type { PortolanSnapshots } from './snapshots';
import type { Who } from './who-view';

/**
 * All operations of Portolan: directly with the store and Temporal of a configuration, or over HTTP through a server
 * that has both. Callers cannot tell the difference: error codes and results are the same.
 */
export interface Portolan {
  /** What is described by the contract. */
  readonly portolan: Described;

  /** Where requests go, for people: the configuration file, or the URL of the server. */
  readonly place: { readonly label: 'config' | 'server'; readonly words: string };
  /** Where the worker of this machine writes its log, if there is one. */
  readonly workerLog?: string;

  whoami(): Promise<Who>;

  status(): Promise<StatusView>;
  listQueues(): Promise<readonly PortalQueueView[]>;
  /** Finds the run by the end of its ID, and the portal queue where it holds a slot. */
  seekHolder(queue: string, text: string): Promise<Held>;
  releaseSlot(held: Held, reason: string): Promise<ReleasedSlot>;
  readonly schedules: PortolanSchedules;
  readonly snapshots: PortolanSnapshots;
  readonly releases: PortolanReleases;
  readonly pipelines: PortolanPipelines;
  readonly hooks: PortolanHooks;
  readonly routes: PortolanRoutes;
}

export interface Held {
  readonly portal: string;
  readonly direction: PortalQueueView['direction'];
  readonly runId: string;
  /** ISO 8601, in UTC. */
  readonly since: string;
}
