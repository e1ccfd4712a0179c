import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { harms } from '../harm/harms';
import { holdsPromises } from '../harm/promises';
import { HarmSite } from '../harm/site';
import { temporalAddress } from '../support/temporal';

/** One of each end that a run can come to by it; `npm run test:harm` has them all, one after the other. */
const chosen = [
  'a listing of 12 MB of noughts',
  'a package without end',
  'an item without end where a copy is taken',
].map((what) => {
  const harm = harms.find((each) => each.what === what);
  if (!harm) throw new Error(`no harm is called ${what}`);
  return harm;
});

describe('portals that send without end, all at a time', () => {
  let site: HarmSite;

  beforeAll(async () => {
    const hostile = chosen.map((harm, at) => ({ ...harm, name: `harm-${at}` }));
    site = await HarmSite.open({ hostile, responseTimeout: '20s', temporal: temporalAddress() });
    await site.sync('good');
    await site.rest();
  });
  afterAll(() => site.close());

  it('fail with a code, a record and no file, and hold up no other route [P17]', async () => {
    const since = performance.now();
    const ends = chosen.map((_harm, at) => site.sync(`harm-${at}`));
    const good = await site.sync('good');
    expect(good.status).toBe('succeeded');
    for (const [at, harm] of chosen.entries()) await holdsPromises(site, harm, await ends[at]!, since);
  });
});
