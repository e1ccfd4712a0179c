import { expect, it } from '@jest/globals';
import { untilNextLook } from '../../../src/activities/transfer/jobs';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** When a job is looked at that goes on for so long, each look taking no time. */
function looksAt(jobMs: number) {
  const looks = [0];
  for (let at = 0; at < jobMs;) looks.push((at += untilNextLook(at)));
  return looks;
}

/** From a second to four days. */
const durations = Array.from({ length: 2_000 }, (_, index) => SECOND * 1.0065 ** index).filter(
  (ms) => ms <= 96 * HOUR,
);

it("a job's end is seen within a second or 15 % of its duration", () => {
  const late = durations.filter((ms) => (looksAt(ms).at(-1) ?? 0) - ms > Math.max(SECOND, 0.15 * ms));
  expect(durations.at(-1)).toBeGreaterThan(95 * HOUR);
  expect(late).toEqual([]);
});

it('a job is polled at most 60 times an hour [P19]', () => {
  const looks = looksAt(96 * HOUR);
  const inHourFrom = (from: number) => looks.filter((at) => at >= from && at < from + HOUR).length;
  expect(Math.max(...looks.map(inHourFrom))).toBeLessThanOrEqual(60);
});
