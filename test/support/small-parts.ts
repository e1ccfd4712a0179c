import { jest } from '@jest/globals';

const MB = 1024 ** 2;

/** Bytes of a part in a suite that imports this before all else: a quarter of what it is, and so of what is sent. */
export const partBytes = 8 * MB;

jest.mock('../../src/portal/http/limits', () => ({
  ...jest.requireActual<object>('../../src/portal/http/limits'),
  PART_BYTES: partBytes,
  PARTS_FROM_BYTES: 2 * partBytes,
}));
