/** The machine's, until the worker knows Temporal's. */
let clock = (): number => Date.now();

/**
 * The time by which activities date what they note, and compare what others have dated: Temporal's, which is one for all
 * workers, however far the clocks of their machines are apart. An answer that was lost is looked for no shorter where
 * another worker takes over, and no deadline passes by that.
 * @returns milliseconds since 1970
 */
export const serverTime = (): number => clock();

/** Has all activities of this process go by this clock. */
export function useClock(given: () => number): void {
  clock = given;
}
