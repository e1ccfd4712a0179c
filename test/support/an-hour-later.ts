import { jest } from '@jest/globals';
import { useClock } from '../../src/activities/attempt/heartbeat';

const AN_HOUR_MS = 3_600_000;

/**
 * Puts the clock of this process on, for portals and for activities of its workers; not for workflows, whose clock is
 * the server's. `jest.restoreAllMocks` puts it back, once no portal is up any more that has seen the later hour.
 */
export function anHourLater(): void {
  // One that was put on before goes on from there.
  const before = jest.isMockFunction(Date.now) ? jest.mocked(Date.now).getMockImplementation() : undefined;
  const now = before ?? Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + AN_HOUR_MS);
  // A worker sees within seconds that this is not Temporal's hour, and would go by that one again.
  useClock(() => Date.now());
}
