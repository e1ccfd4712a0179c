import type { RunRow } from '../../contract/run-row';
import type { Portolan as Described } from '../../contract/contract';
import type { RunEvent } from '../../contract/runs';
import type { PageOptions } from '../run/run-rows';

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

  listRuns(asked: Omit<PageOptions, 'onUntold'>): Promise<ListedRuns>;
  readEvents(text: string): Promise<readonly RunEvent[]>;
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
