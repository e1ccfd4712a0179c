import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundSite, type Moment, moments, survived } from './bound-kills';

/** Calls that put back what the import has replaced: the first answer to each is lost besides. */
const puttingBack = ['item.reassign', 'item.move', 'item.share', 'item.update', 'item.protect'];

describe('a run with a banner and a portal task, whose worker is killed when', () => {
  let site: BoundSite;
  beforeAll(async () => {
    site = await BoundSite.open();
  });
  afterAll(() => site.close());

  it.each(Object.keys(moments) as Moment[])(
    '%s, ends with the banner and the placement of before, and one last word',
    async (moment) => {
      const { record, ...seen } = await site.killAt(moment, puttingBack);
      expect(record.status).toBe('succeeded');
      expect(seen).toEqual(survived);
    },
  );
});
