import type { Side } from '../../model/transfer/guard-steps';

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

export const noWork = (): Work => ({
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
