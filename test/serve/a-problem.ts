import { expect } from '@jest/globals';

/** What `toMatchObject` takes of an answer that is this problem. */
export const problem = (status: number, title: string, detail = '') => ({
  status,
  body: { title, ...(detail && { detail: expect.stringContaining(detail) }) },
});
