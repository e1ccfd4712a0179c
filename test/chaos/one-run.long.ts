import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import { everything } from './kills';
import { problemsOf } from './promises';
import { Site } from './site';

jest.setTimeout(300_000);

/** One kill alone, to begin with; `npm test` kills `up` in up.test.ts. */
describe('a run', () => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.open({ imageBytes: 8 * 1024 ** 2 });
    await site.startUp();
  });
  afterAll(() => site.close());

  it('survives kill -9 of up, its worker, its server and both portals at once, while its import is answered', async () => {
    const mark = await site.mark();
    const { runId, plan } = JSON.parse((await site.run('sync', 'asks', '-o', 'json')).stdout) as RunRecord;

    const importIsDone = new Promise<void>((resolve) =>
      site.wire('target').arm({ operation: 'import', point: 'done' }, () => {
        everything.strike(site);
        resolve();
      }),
    );
    await site.type('run', 'approve', runId, '--plan', plan?.hash ?? '');
    await importIsDone;
    await everything.bringBack(site);
    const record = await site.follow('run', 'watch', runId);
    expect(await problemsOf(site, record, { mark, importsBefore: [] })).toEqual([]);
    expect(mark.imports()).toBe(1);
    expect(site.source.requests('group.export')).toHaveLength(1);
  });
});
