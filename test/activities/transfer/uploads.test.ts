import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AWorker } from '../a-worker';

let at: AWorker;
beforeAll(async () => {
  at = await AWorker.open();
});
afterAll(() => at.close());

describe('a package that the target does not show yet', () => {
  it('is waited for by the clock of the worker, whatever the clock of Temporal said when it was sent', async () => {
    const minutes = 60_000;
    for (const behind of [45 * minutes, -45 * minutes]) {
      const input = {
        ...{ runId: 'sync-transport-20261121T030000Z-aaaa', portal: at.facts, key: 'packages/a.epk' },
        ...{ itemId: 'e'.repeat(32), since: Date.now() - behind },
      };
      const waits = at.run(({ awaitPackage }) => awaitPackage(input as never));
      await expect(waits).rejects.toThrow('the uploaded package is not readable yet');
    }
  });
});
