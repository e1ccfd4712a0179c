import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_REST_MS = 40;
const LONGEST_REST_MS = 300;
/** Long enough for any machine; who waits longer is told what for, which the end of a test's own time would not tell. */
const LIMIT_MS = 120_000;

/** What lies between two looks, more each time: who waits on a busy machine makes it no busier. */
export const rest = (looks: number): Promise<void> =>
  sleep(Math.min(FIRST_REST_MS * 1.5 ** looks, LONGEST_REST_MS));

/**
 * Looks until it is so, and returns what was seen then. A look that fails, as at a run that has not begun, is one that
 * has not seen it yet. Time is that of the process, since suites move the clock.
 *
 * @param what is waited for, as it reads behind "waited for"
 * @throws Error with that, and what was seen last, where it does not come about
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isSo: (seen: T) => boolean = Boolean,
): Promise<T> {
  const began = performance.now();
  for (let looks = 0; ; await rest(looks++)) {
    let last: unknown;
    try {
      const seen = await look();
      if (isSo(seen)) return seen;
      last = seen;
    } catch (thrown) {
      last = thrown;
    }
    if (performance.now() - began > LIMIT_MS)
      throw new Error(`waited for ${what}, in vain; last seen: ${inspect(last)}`);
  }
}
