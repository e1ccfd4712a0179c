import { afterEach, describe, it, jest } from '@jest/globals';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import type { Site } from '../chaos/site';
import { ofRestore, ofRollback } from './moments';
import { aRestore, aRollback } from './scenarios';
import { hold, killedAt, largeImageBytes, openSite } from './trials';

const created = 'ca0000000000000000000000000000a3';

jest.setTimeout(60 * 60_000);

describe('kill -9 of the worker', () => {
  let site: Site | undefined;
  afterEach(() => site?.close());

  it('costs no restore, wherever it is', async () => {
    const opened = await openSite({ imageBytes: largeImageBytes });
    site = opened.site;
    const { runId } = await site.follow('backup', 'create', 'free');
    await site.follow('restore', runId, '--to', 'production', '--into', emptyGroupId, '--yes');
    const there = await site.target.contents();
    hold(await killedAt(site, ofRestore, aRestore(opened.snapshots, runId, there)));
  });

  it('costs no rollback, wherever it is', async () => {
    const opened = await openSite({ besides: [created] });
    site = opened.site;
    await site.follow('sync', 'free');
    hold(await killedAt(site, ofRollback, aRollback(opened.snapshots, created)));
  });
});
