export type Side = 'source' | 'target';

/** A job on a portal whose end nobody has seen. */
export interface OpenJob {
  readonly name: 'export' | 'safeguard' | 'import';
  readonly side: Side;
  /** Number of the package, from 0. */
  readonly part: number;
  /** Absent where the answer that named it was lost. */
  readonly jobId?: string;
  readonly sealedKey?: string;
  readonly startedAt: number;
}

/** What a run has begun on portals and may leave there: it is waited for, shown, and removed however the run ends. */
export class Traces {
  private jobs: readonly OpenJob[] = [];
  private held: readonly { readonly side: Side; readonly itemId: string }[] = [];
  private readonly written = new Set<Side>();
  private onTarget = false;
  private import = { posted: false, begun: 0, round: 1 };
  private target: string | undefined;
  private since: number | undefined;

  /** Jobs that were started and whose end nobody has seen. */
  get openJobs(): readonly OpenJob[] {
    return this.jobs;
  }

  /** Packages of ours that are on a portal now, and go in the cleanup. */
  get packages(): readonly { readonly side: Side; readonly itemId: string }[] {
    return this.held;
  }

  /** Something of the run is on the target, unless the portal refused it outright: a failure now costs all of it. */
  get isOnTarget(): boolean {
    return this.onTarget;
  }

  /** Whether something of ours may be there. */
  mayBeOn(side: Side): boolean {
    return this.written.has(side);
  }

  /** `posted`: an import may have begun. `begun`: how many the portal took, or may have taken. `round`: from 1. */
  get imports(): { readonly posted: boolean; readonly begun: number; readonly round: number } {
    return this.import;
  }

  /** How the target was seen to move after an import that failed or was lost. */
  get targetSeen(): string | undefined {
    return this.target;
  }

  /** A job that was found running at its deadline is given another one from here. @format milliseconds since the epoch */
  get patienceSince(): number {
    return this.since ?? 0;
  }

  /** Before the first write on a portal. */
  writesOn(side: Side): void {
    this.written.add(side);
  }

  /** Before something of the run comes onto the target; false where it was refused outright. */
  reaches(isThere: boolean): void {
    if (isThere) this.written.add('target');
    this.onTarget = isThere;
  }

  /** Items of the target are about to be changed, by another way than a package. */
  touchesTarget(): void {
    this.onTarget = true;
  }

  holds(side: Side, itemId: string): void {
    if (!this.held.some((each) => each.itemId === itemId && each.side === side))
      this.held = [...this.held, { side, itemId }];
  }

  /** Jobs are told apart by what they are for: at most one of each is under way. */
  opens(job: OpenJob): void {
    this.closes(job);
    this.jobs = [...this.jobs, job];
  }

  closes({ name, side }: Pick<OpenJob, 'name' | 'side'>): void {
    this.jobs = this.jobs.filter((open) => open.name !== name || open.side !== side);
  }

  /** From here on an import may begin at any moment. */
  postsImport(): void {
    this.import = { ...this.import, posted: true };
  }

  /** Whether the portal took the import, or may have taken it. */
  importAnswered(hasBegun: boolean): void {
    const begun = this.import.begun + (hasBegun ? 1 : 0);
    this.import = { ...this.import, begun, posted: begun > 0 };
  }

  /** Another import follows only from a person's decision. */
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
