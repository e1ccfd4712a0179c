import { afterEach, beforeEach, describe, it, jest } from '@jest/globals';
import type { Snapshots } from '../../src/domain/snapshot/snapshots';
import type { Site } from '../chaos/site';
import { ofDrill, ofDrillWithImport } from './moments';
import { aDrill } from './scenarios';
import { hold, killedAt, openSite } from './trials';

jest.setTimeout(60 * 60_000);

describe('kill -9 of the worker leaves nothing on the portal', () => {
  let site: Site;
  let snapshots: Snapshots;
  beforeEach(async () => {
    ({ site, snapshots } = await openSite());
    await site.follow('backup', 'create', 'free');
  });
  afterEach(() => site.close());

  it('of a drill, wherever it is', async () => {
    hold(await killedAt(site, ofDrill, aDrill(snapshots, [])));
  });

  it('of a drill that imports, wherever it is', async () => {
    hold(await killedAt(site, ofDrillWithImport, aDrill(snapshots, ['--import'])));
  });
});
