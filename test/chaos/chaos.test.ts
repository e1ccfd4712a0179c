import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { everything, theWorker } from './kills';
import { problemsOf } from './promises';
import { Site } from './site';

/** Every kill at every moment takes half an hour: `npm run test:chaos`. This is one run that meets three. */
describe('a run', () => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.open({ imageBytes: 8 * 1024 ** 2 });
    await site.startUp();
  });
  afterAll(() => site.close());

  it('survives kill -9 of up, of the worker that was left, and of everything while its import is answered', async () => {
    const mark = await site.mark();
    const runId = await site.sync('asks');
    await site.waits(runId);
    await site.leaveToWorker();
    theWorker.strike(site);
    await theWorker.bringBack(site);

    const importIsDone = new Promise<void>((resolve) =>
      site.wire('target').arm({ operation: 'import', point: 'done' }, () => {
        everything.strike(site);
        resolve();
      }),
    );
    await site.type('run', 'approve', runId, '--plan', (await site.show(runId)).plan?.hash ?? '');
    await importIsDone;
    await everything.bringBack(site);
    expect((await site.run('run', 'watch', runId)).status).toBe(0);
    expect(await problemsOf(site, await site.show(runId), { mark, importsBefore: [] })).toEqual([]);
    expect(mark.imports()).toBe(1);
    expect(site.source.requests('group.export')).toHaveLength(1);
  });
});
