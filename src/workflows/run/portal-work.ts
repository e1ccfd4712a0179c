export type Side = 'source' | 'target';

/** A portal job not yet known to have ended. */
export interface OpenJob {
  readonly name: 'export' | 'safeguard' | 'import';
  readonly side: Side;
  /** Absent if the response that named it was lost. */
  readonly jobId?: string;
  readonly sealedKey?: string;
  readonly startedAt: number;
}

/** What a run has started on portals and may leave there. It is waited for, shown, and removed however the run ends. */
export class Traces {
  private jobs: readonly OpenJob[] = [];
  private held: readonly { readonly side: Side; readonly itemId: string }[] = [];
  private readonly written = new Set<Side>();
  private onTarget = false;
  private import = { posted: false, begun: 0, round: 1 };
  private target: string | undefined;
  private since: number | undefined;

  /** Jobs not yet known to have ended. */
  get openJobs(): readonly OpenJob[] {
    return this.jobs;
  }

  /** Portolan's packages on portals, which cleanup deletes. */
  get packages(): readonly { readonly side: Side; readonly itemId: string }[] {
    return this.held;
  }

  /** Something of the run is on the target, unless the portal refused it outright. Ending the run would lose it. */
  get isOnTarget(): boolean {
    return this.onTarget;
  }

  /** Whether something created by Portolan may be there. */
  mayBeOn(side: Side): boolean {
    return this.written.has(side);
  }

  /** `posted`: an import may have started. `begun`: how many the portal accepted, or may have. `round`: from 1. */
  get imports(): { readonly posted: boolean; readonly begun: number; readonly round: number } {
    return this.import;
  }

  /** How the target changed after an import that failed or was lost. */
  get targetSeen(): string | undefined {
    return this.target;
  }

  /** Start of the current deadline: a resume, or the end of the run, restarts it. @format milliseconds since the epoch */
  get patienceSince(): number {
    return this.since ?? 0;
  }

  /** Call before the first write to a portal. */
  writesOn(side: Side): void {
    this.written.add(side);
  }

  /** Call before something of the run reaches the target. @param isThere false if it was refused outright */
  reaches(isThere: boolean): void {
    if (isThere) this.written.add('target');
    this.onTarget = isThere;
  }

  /** Call before items of the target change other than through a package. */
  touchesTarget(): void {
    this.onTarget = true;
  }

  holds(side: Side, itemId: string): void {
    if (!this.held.some((each) => each.itemId === itemId && each.side === side))
      this.held = [...this.held, { side, itemId }];
  }

  /** Jobs are identified by their purpose: at most one of each is open. */
  opens(job: OpenJob): void {
    this.closes(job);
    this.jobs = [...this.jobs, job];
  }

  closes({ name, side }: Pick<OpenJob, 'name' | 'side'>): void {
    this.jobs = this.jobs.filter((open) => open.name !== name || open.side !== side);
  }

  /** From here on an import may start at any moment. */
  postsImport(): void {
    this.import = { ...this.import, posted: true };
  }

  /** @param hasBegun whether the portal accepted the import, or may have */
  importAnswered(hasBegun: boolean): void {
    const begun = this.import.begun + (hasBegun ? 1 : 0);
    this.import = { ...this.import, begun, posted: begun > 0 };
  }

  /** Another import needs a person's decision. */
  allowsAnotherImport(): void {
    this.closes({ name: 'import', side: 'target' });
    if (this.import.posted) this.import = { ...this.import, round: this.import.round + 1 };
  }

  sawTarget(words: string): void {
    this.target = words;
  }

  waitsAnew(): void {
    this.since = Date.now();
  }
}
