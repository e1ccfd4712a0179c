import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { JobRecord } from '../../src/simulator/state/records';
import { Site } from '../support/site';

let site: Site;
afterEach(() => site.close());

/** Longer than a worker that is stopped leaves its calls in peace, shorter than it waits for them. @format milliseconds */
const answerDelay = 10_000;

async function importJob(): Promise<JobRecord> {
  for (;;) {
    const job = site.target.world.jobs.find(({ type }) => type === 'import');
    if (job) return job;
    await sleep(100);
  }
}

describe('a worker that is stopped while an import is posted', () => {
  it('hears the answer first, so that the next worker waits for its job', async () => {
    const match = { operation: 'group.import', params: { previewOnly: 'false' } };
    const rules = [{ match, when: 'after', do: { delay: answerDelay } } as const];
    site = await Site.open({ target: { faults: { rules } } });
    const handle = await site.start();
    const { id } = await importJob();
    await site.stopWorker();
    await site.startWorker();
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    const looks = site.target
      .requests()
      .filter(({ operation, path }) => operation === 'job' && path.endsWith(id));
    expect(looks).not.toEqual([]);
    expect(site.packages()).toEqual([]);
  });
});
