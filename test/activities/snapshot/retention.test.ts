import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AWorker } from '../a-worker';

let at: AWorker;
beforeAll(async () => {
  at = await AWorker.open();
});
afterAll(() => at.close());

/** The id of the workflow whose activities a test calls. */
const runId = 'test';
const keep = { last: 30 };
const forgotten = (policy: object, more: object = {}) =>
  at.call('forgetByPolicy', { route: at.route.name, policy, ...more });
const refused = { code: 'NOT_AUTHENTIC' };

describe('a retention policy', () => {
  it('applies as its backup was started, and for no forged workflow [P13]', async () => {
    await expect(forgotten(keep)).rejects.toMatchObject(refused);
    await at.letIn('backup', { runId, route: at.route, keep, tags: [], startedBy: 'ann@desk' });
    await expect(forgotten({ last: 1 })).rejects.toMatchObject(refused);
    await expect(forgotten(keep, { route: 'another' })).rejects.toMatchObject(refused);
    // It goes on to ask Temporal for open runs, and there is no server here.
    await expect(forgotten(keep)).rejects.toThrow(/reading 'namespace'/);
  });
});
