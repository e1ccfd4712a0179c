import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Site } from '../chaos/site';
import { ofBackup, ofRetention, ofSchedule } from './moments';
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
