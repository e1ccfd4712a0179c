import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { listSnapshots } from '../../src/domain/snapshot/list-snapshots';
import { verifySnapshot } from '../../src/domain/snapshot/verify-snapshot';
import { addedBytes, packagesIn } from '../../src/model/snapshot/snapshot';
import type { Site } from '../chaos/site';
import { ofBackup, ofBuilding, ofRetention, ofSchedule } from './moments';
import { aBackup, aNight } from './scenarios';
import { hold, imageBytes, killedAt, openSite } from './trials';

jest.setTimeout(60 * 60_000);

describe('kill -9 of the worker', () => {
  let site: Site | undefined;
  afterEach(() => site?.close());

  it('costs no backup, wherever it is', async () => {
    const opened = await openSite();
    site = opened.site;
    const trials = await killedAt(site, ofBackup(imageBytes), aBackup(opened.snapshots));
    hold(trials);
    const struck = trials.flatMap(({ struckIn }) => struckIn);
    const phases = ['guard', 'export', 'wait-export', 'download', 'snapshot', 'cleanup'];
    expect(struck).toEqual(expect.arrayContaining(phases));
  });

  it('costs no backup that builds on the one before, wherever it is', async () => {
    const opened = await openSite({ route: { backup: { full: '90d' } } });
    const { snapshots } = opened;
    site = opened.site;
    await site.follow('backup', 'create', 'free');
    hold(await killedAt(site, ofBuilding, aBackup(snapshots)));
    const { readable } = await listSnapshots(snapshots);
    const [newest, ...others] = readable.map(({ manifest }) => manifest);
    const builds = [newest, ...others.slice(0, -1)].map((each) => each?.since?.changed);
    expect(new Set(builds)).toEqual(new Set([1]));
    for (const each of readable)
      expect(await verifySnapshot(snapshots, each.manifest.id)).toMatchObject({ problems: [] });
    // What the first one holds besides lies in the store once.
    const largest = Math.max(...readable.map(({ manifest }) => addedBytes(manifest)));
    const all = new Map(
      readable.flatMap(({ manifest }) => packagesIn(manifest).map((each) => [each.key, each] as const)),
    );
    const bytes = [...all.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(bytes).toBeLessThan(1.1 * largest);
  });

  it('costs one night of a schedule at most, and retention nothing', async () => {
    const nights = { route: 'free', kind: 'backup', cron: '0 3 1 1 *' };
    const opened = await openSite({ config: { schedules: { nights } } });
    site = opened.site;
    await site.type('schedule', 'apply', '--yes');
    await site.follow('backup', 'create', 'free');
    const struck = await killedAt(site, ofSchedule, aNight(opened.snapshots, true));
    const trials = await killedAt(site, ofRetention, aNight(opened.snapshots, false));
    hold([...struck, ...trials]);
    expect(trials.flatMap(({ struckIn }) => struckIn)).toContain('retention');
  });
});
