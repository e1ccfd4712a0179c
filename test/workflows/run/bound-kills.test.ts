import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundSite, survived } from './bound-kills';

/** Each moment is in `npm run test:faults`. */
describe('a run with a banner and a task of the portal', () => {
  let site: BoundSite;
  beforeAll(async () => {
    site = await BoundSite.open();
  });
  afterAll(() => site.close());

  it('whose worker is killed with -9 during its import puts the banner and what it replaced back, and says its last word once', async () => {
    const { record, ...seen } = await site.killAt('its import is taken');
    expect(record.status).toBe('succeeded');
    expect(seen).toEqual(survived);
  });
});
