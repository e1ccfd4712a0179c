import { describe, it } from '@jest/globals';

/** `npm run test:faults`, which has the time for what `npm test` leaves out. */
export const isLong = process.env['PORTOLAN_TEST_FAULTS'] === 'alone';

const leftOut = () => undefined;

/** A test that only `npm run test:faults` runs: of its kind, `npm test` has the most telling ones. */
export const itLong = (isLong ? it : leftOut) as (title: string, test: () => Promise<void>) => void;

/** As many of them. */
export const describeLong = (isLong ? describe : leftOut) as (what: string, tests: () => void) => void;
