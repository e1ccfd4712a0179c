import { describe, expect, it } from '@jest/globals';
import { untilNextWatch } from '../../src/activities/run/temporal';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How often a portal queue checks a run that holds a slot for so long. */
function looksIn(ms: number) {
  let looks = 0;
  for (let at = 0; at < ms; at += untilNextWatch(at)) looks += 1;
  return looks;
}

describe('a portal queue', () => {
  it('polls its holders once a minute at first, then every ten minutes', () => {
    expect(untilNextWatch(0)).toBe(MINUTE);
    expect(looksIn(HOUR)).toBeLessThanOrEqual(24);
    expect(untilNextWatch(7 * 24 * HOUR)).toBe(10 * MINUTE);
  });
});
