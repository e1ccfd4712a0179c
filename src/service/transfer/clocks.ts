import type { GuardResult } from '../../model/run/run';
import { durationWords } from '../../model/text/words';

/** Smaller differences are ignored; headers have whole seconds. @format milliseconds */
const WELL_MS = 5_000;
/** A bucket refuses what was signed by a clock that differs by a quarter of an hour. @format milliseconds */
const REFUSED_MS = 10 * 60_000;

/**
 * Whether another clock says the same as that of this machine.
 * @param there what it said, in milliseconds since 1970; undefined where it does not tell
 * @param here moments of this machine before it was asked, and after
 */
export function clockGuard(
  name: string,
  there: number | undefined,
  here: { readonly before: number; readonly after: number },
): GuardResult {
  if (there === undefined) return { name, verdict: 'unknown', saw: 'it does not report its time' };
  const offMs = there < here.before ? there - here.before : Math.max(0, there - here.after);
  const by = Math.abs(offMs);
  if (by < WELL_MS) return { name, verdict: 'pass', saw: 'same as here' };
  return {
    name,
    verdict: by < REFUSED_MS ? 'unknown' : 'refuse',
    saw: `${durationWords(by)} ${offMs < 0 ? 'behind' : 'ahead of'} this machine`,
    needs: 'clocks that agree within a few seconds; windows, record times and signatures depend on them',
    todo: 'Synchronize the clocks of all machines, for example with NTP.',
  };
}
