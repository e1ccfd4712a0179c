import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kills, leaveToWorker } from './kills';
import { moments } from './moments';
import { Site } from './site';
import { expectWholeRun, killed } from './survival';

/** Every kill at every moment takes a quarter of an hour: `npm run test:crash`. This is one run that meets three. */
describe('a run', () => {
  const [aWorker, , , everything] = kills;
  const [, itDownloads, , itWaitsForApproval] = moments;
  let site: Site;

  beforeAll(async () => {
    site = await Site.open({ ...itDownloads!.play, imageBytes: 24 * 1024 ** 2 });
    await everything!.before(site);
  });
  afterAll(() => site.close());

  it('survives kill -9 of everything, then of up, then of the worker that was left, and asks for each thing once', async () => {
    const runId = await site.sync('strict');
    expect(await killed(site, everything!, itDownloads!, runId)).toBeLessThan(60_000);
    await site.waits(runId);
    await leaveToWorker(site);
    expect(await killed(site, aWorker!, itWaitsForApproval!, runId)).toBeLessThan(60_000);
    const { package: packaged } = await expectWholeRun(site, runId);
    const [, resumed] = site.source.requests('item.data');
    expect(Number(/bytes=(\d+)-/.exec(resumed?.headers['range'] ?? '')?.[1])).toBeGreaterThan(0);
    expect(packaged?.sizeBytes).toBeGreaterThan(24 * 1024 ** 2);
  }, 150_000);
});
