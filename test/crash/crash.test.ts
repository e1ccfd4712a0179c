import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kills } from './kills';
import { moments } from './moments';
import { Site } from './site';
import { expectWholeRun, killed } from './survival';

/** Every kill at every moment takes a quarter of an hour: `npm run test:crash`. This is one run that meets three. */
describe('a run', () => {
  const [aWorker, up, , everything] = kills;
  const [itExports, itDownloads, , itWaitsForApproval] = moments;
  let site: Site;

  beforeAll(async () => {
    site = await Site.open({
      source: { ...itExports!.play.source, ...itDownloads!.play.source },
      imageBytes: 24 * 1024 ** 2,
    });
    await aWorker!.before(site);
  });
  afterAll(() => site.close());

  it('survives kill -9 of its worker, then of everything, then of up, and has asked for each thing once', async () => {
    const runId = await site.sync('strict');
    const waits = [
      await killed(site, aWorker!, itExports!, runId),
      await killed(site, everything!, itDownloads!, runId),
      await killed(site, up!, itWaitsForApproval!, runId),
    ];
    expect(Math.max(...waits)).toBeLessThan(60_000);
    const { package: packaged } = await expectWholeRun(site, runId);
    const [, resumed] = site.source.requests('item.data');
    expect(Number(/bytes=(\d+)-/.exec(resumed?.headers['range'] ?? '')?.[1])).toBeGreaterThan(0);
    expect(packaged?.sizeBytes).toBeGreaterThan(24 * 1024 ** 2);
  }, 150_000);
});
