import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundSite, type Moment, moments, survived } from './bound-kills';

describe('a run with a banner and a task of the portal, whose worker is killed with -9 when', () => {
  let site: BoundSite;
  beforeAll(async () => {
    site = await BoundSite.open();
  });
  afterAll(() => site.close());

  it.each(Object.keys(moments) as Moment[])(
    '%s, ends with the banner of before and one last word',
    async (moment) => {
      const { record, ...seen } = await site.killAt(moment);
      expect(record.status).toBe('succeeded');
      expect(seen).toEqual(survived);
    },
  );
});
