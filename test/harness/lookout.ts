import { setTimeout as sleep } from 'node:timers/promises';
import { listSnapshots } from '../../src/domain/snapshot/list-snapshots';
import type { Snapshots } from '../../src/domain/snapshot/snapshots';
import { verifySnapshot } from '../../src/domain/snapshot/verify-snapshot';

/** Lists the snapshots of a store over and over, as people may at any time, and verifies each that it has not met. */
export class Lookout {
  private readonly problems: string[] = [];
  private readonly met = new Set<string>();
  private isOver = false;
  private readonly watch: Promise<void>;

  /** @param snapshots that somebody else writes meanwhile */
  constructor(private readonly snapshots: Snapshots) {
    this.watch = this.look();
  }

  /** Looks a last time. Returns what was ever listed and was not whole, a sentence each. */
  async end(): Promise<string[]> {
    this.isOver = true;
    await this.watch;
    return this.problems;
  }

  private async look(): Promise<void> {
    for (let isLast = false; ; isLast = this.isOver) {
      const { readable, unreadable } = await listSnapshots(this.snapshots);
      for (const { id, why } of unreadable) this.note(`lists ${id}, which is unreadable: ${why}`);
      for (const { manifest } of readable) if (!this.met.has(manifest.id)) await this.meet(manifest.id);
      if (isLast) return;
      if (!this.isOver) await sleep(100);
    }
  }

  private async meet(id: string): Promise<void> {
    this.met.add(id);
    const { problems } = await verifySnapshot(this.snapshots, id);
    // What was forgotten while it was read may be gone; what is still listed may not.
    if (problems.length === 0 || !(await this.snapshots.find(id))) return;
    for (const { file, problem } of problems) this.note(`lists ${id}, of which ${file} ${problem}`);
  }

  private note(problem: string): void {
    if (!this.problems.includes(problem)) this.problems.push(problem);
  }
}
