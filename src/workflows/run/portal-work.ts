import type { Side } from '../../model/transfer/guard-steps';

/** A portal job not yet known to have ended. */
export interface OpenJob {
  readonly name: 'export' | 'safeguard' | 'import';
  readonly side: Side;
  /** Index of the package, from 0. */
  readonly packageIndex: number;
  /** Absent if the response that named it was lost. */
  readonly jobId?: string;
  readonly sealedKey?: string;
  readonly startedAt: number;
}

/** What a run has started on portals and may leave there. */
export interface Work {
  jobs: readonly OpenJob[];
  packages: readonly { readonly side: Side; readonly itemId: string }[];
  /** Portals where something created by Portolan may be. */
  written: readonly Side[];
  isOnTarget: boolean;
  imports: { readonly posted: boolean; readonly begun: number; readonly round: number };
  targetSeen?: string;
  jobDeadlineFrom: number;
}

/** Notes what a run has started on portals. It is waited for, shown, and removed however the run ends. */
export class PortalWork {
  constructor(private readonly work: Work) {}

  /** Jobs not yet known to have ended. */
  get openJobs(): readonly OpenJob[] {
    return this.work.jobs;
  }

  /** Portolan's packages on portals, which cleanup deletes. */
  get packages(): Work['packages'] {
    return this.work.packages;
  }

  /** Something of the run is on the target, unless the portal refused it outright. Ending the run would lose it. */
  get isOnTarget(): boolean {
    return this.work.isOnTarget;
  }

  /** Whether something created by Portolan may be there. */
  mayBeOn(side: Side): boolean {
    return this.work.written.includes(side);
  }

  /** `posted`: an import may have started. `begun`: how many the portal accepted, or may have. `round`: from 1. */
  get imports(): Work['imports'] {
    return this.work.imports;
  }

  /** How the target changed after an import that failed or was lost. */
  get targetSeen(): string | undefined {
    return this.work.targetSeen;
  }

  /** Start of the current deadline: a resume, or the end of the run, restarts it. @format milliseconds since the epoch */
  get jobDeadlineFrom(): number {
    return this.work.jobDeadlineFrom;
  }

  /** Call before the first write to a portal. */
  writesOn(side: Side): void {
    if (!this.mayBeOn(side)) this.work.written = [...this.work.written, side];
  }

  /** Call before something of the run reaches the target. @param isThere false if it was refused outright */
  reaches(isThere: boolean): void {
    if (isThere) this.writesOn('target');
    this.work.isOnTarget = isThere;
  }

  /** Call before items of the target change other than through a package. */
  touchesTarget(): void {
    this.work.isOnTarget = true;
  }

  holds(side: Side, itemId: string): void {
    const { packages } = this.work;
    if (!packages.some((each) => each.itemId === itemId && each.side === side))
      this.work.packages = [...packages, { side, itemId }];
  }

  /** Jobs are identified by their purpose: at most one of each is open. */
  opens(job: OpenJob): void {
    this.closes(job);
    this.work.jobs = [...this.work.jobs, job];
  }

  closes({ name, side }: Pick<OpenJob, 'name' | 'side'>): void {
    this.work.jobs = this.work.jobs.filter((open) => open.name !== name || open.side !== side);
  }

  /** From here on an import may start at any moment. */
  postsImport(): void {
    this.work.imports = { ...this.imports, posted: true };
  }

  /** @param hasBegun whether the portal accepted the import, or may have */
  importAnswered(hasBegun: boolean): void {
    const begun = this.imports.begun + (hasBegun ? 1 : 0);
    this.work.imports = { ...this.imports, begun, posted: begun > 0 };
  }

  /** Another import needs a person's decision. */
  allowsAnotherImport(): void {
    this.closes({ name: 'import', side: 'target' });
    const { imports } = this;
    if (imports.posted) this.work.imports = { ...imports, round: imports.round + 1 };
  }

  sawTarget(words: string): void {
    this.work.targetSeen = words;
  }

  restartJobDeadline(): void {
    this.work.jobDeadlineFrom = Date.now();
  }
}
