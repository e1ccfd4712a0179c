import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
/** Long enough for any machine; who waits longer is told what for, which the end of a test's own time would not tell. */
const LIMIT_MS = 120_000;

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
  for (const began = performance.now(); ; await sleep(LOOK_EVERY_MS)) {
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
