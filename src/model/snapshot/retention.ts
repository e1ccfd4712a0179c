/** How long a safeguard stays once its run has ended. @format milliseconds */
export const SAFEGUARD_STAYS_MS = 30 * 86_400_000;

/** Which snapshots of a route stay. Every rule keeps its own; a snapshot goes only where no rule keeps it. */
export interface RetentionPolicy {
  /** The newest so many. */
  readonly last?: number;
  /** The newest of each of the newest so many hours, days, ISO weeks, months, years that have one; in UTC. */
  readonly hourly?: number;
  readonly daily?: number;
  readonly weekly?: number;
  readonly monthly?: number;
  readonly yearly?: number;
  /** All that are younger, counted back from the newest. @format milliseconds */
  readonly withinMs?: number;
  /** All that carry one of these tags. */
  readonly tags?: readonly string[];
}
