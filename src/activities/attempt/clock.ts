/** The machine's clock, until the worker knows Temporal's. */
let clock = (): number => Date.now();

/**
 * Temporal's time, which activities use for all timestamps. It is the same for all workers, so that clock skew neither
 * shortens the search for a lost response nor ends a deadline early.
 * @returns milliseconds since 1970
 */
export const activityTime = (): number => clock();

/** Temporal's time as text. */
export const timestamp = (): string => new Date(activityTime()).toISOString();

/** Sets the clock for all activities of this process. */
export function useClock(given: () => number): void {
  clock = given;
}
