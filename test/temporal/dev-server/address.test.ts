import { describe, expect, it } from '@jest/globals';
import { answersAt, freePorts } from '../../../src/temporal/dev-server/address';

/** Linux gives out ports from here on, other systems from a higher one. */
const FIRST_GIVEN = 32_768;

describe('free ports', () => {
  it('are not in use, and not among those that a system assigns', async () => {
    const ports = await freePorts(20);
    expect(new Set(ports).size).toBe(20);
    expect(ports.filter((port) => port >= FIRST_GIVEN)).toEqual([]);
    const answers = await Promise.all(ports.map((port) => answersAt({ host: '127.0.0.1', port })));
    expect(answers.filter(Boolean)).toEqual([]);
  });
});
