import { dayOf } from '../../../domain/run/run-index';
import { mapLimited } from '../../../model/map-limited';

/** Days listed at a time if the newest one has too few runs. */
const DAYS_MAX = 16;

/** A stored run, with its start time if its ID shows it. */
export interface RecordedRun {
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Runs by time. A day is listed only when needed, so a page costs what is on it. */
export class Timeline {
  /** The newest first. */
  private readonly days: readonly string[];
  private readonly read = new Map<string, Promise<RecordedRun[]>>();

  /**
   * @param days in UTC, as `2026-11-21`; other names are passed over
   * @param runsOf runs of a day, in no order
   */
  constructor(
    days: readonly string[],
    private readonly runsOf: (day: string) => Promise<RecordedRun[]>,
  ) {
    this.days = days
      .filter((day) => dayOf(Date.parse(day)) === day)
      .sort()
      .reverse();
  }

  /** The newest runs before a time, newest first, and those of the same moment as the last one. */
  async before(time: number, count: number): Promise<RecordedRun[]> {
    const found: RecordedRun[] = [];
    const days = this.days.filter((day) => Date.parse(day) < time);
    for (let width = 1; days.length > 0 && found.length < count; width = Math.min(2 * width, DAYS_MAX)) {
      const runs = await mapLimited(days.splice(0, width), width, (day) => this.ofDay(day));
      found.push(...runs.flat().filter(({ at }) => at < time));
    }
    const sorted = found.sort((a, b) => b.at - a.at);
    const oldest = sorted[Math.min(count, sorted.length) - 1]?.at ?? Infinity;
    return sorted.filter(({ at }) => at >= oldest);
  }

  private ofDay(day: string): Promise<RecordedRun[]> {
    const runs = this.read.get(day) ?? this.runsOf(day);
    this.read.set(day, runs);
    return runs;
  }
}
