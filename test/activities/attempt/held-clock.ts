import { afterEach, beforeEach, jest } from '@jest/globals';

/** What `Date.now` says in the tests of a suite that imports this. */
export const clock = { now: 0 };

beforeEach(() => {
  clock.now = Date.UTC(2026, 10, 21);
  jest.spyOn(Date, 'now').mockImplementation(() => clock.now);
});
afterEach(() => void jest.restoreAllMocks());
