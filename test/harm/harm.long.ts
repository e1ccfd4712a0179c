import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Harm, harms, slowHarms } from './harms';
import { holdsPromises } from './promises';
import { HarmSite } from './site';

// The slowest harm is borne for half an hour.
jest.setTimeout(90 * 60_000);

describe('one portal, one harm', () => {
  let site: HarmSite;
  const all = [...harms, ...slowHarms];
  const nameOf = (harm: Harm): string => `harm-${all.indexOf(harm)}`;
  const slow = new Map<Harm, Promise<void>>();

  const suffer = async (harm: Harm): Promise<void> => {
    const since = performance.now();
    const run = await site.sync(nameOf(harm));
    const { end, seconds, grown, largest } = await holdsPromises(site, harm, run, since);
    const figures = `${Math.round(seconds)} s, grown by ${Math.round(grown / 1024 ** 2)} MB, largest file ${largest} bytes`;
    process.stderr.write(`${harm.what}: ${end}, ${figures}\n`);
  };

  beforeAll(async () => {
    site = await HarmSite.open({
      hostile: all.map((harm) => ({ ...harm, name: nameOf(harm) })),
      responseTimeout: '20s',
    });
    await site.sync('good');
    await site.rest();
    for (const harm of slowHarms) {
      const end = suffer(harm);
      end.catch(() => undefined);
      slow.set(harm, end);
    }
  });
  afterAll(() => site.close());

  it.each(harms.map((harm) => [harm.what, harm] as const))(
    'ends the route of its portal alone: %s',
    async (_what, harm) => {
      const [, good] = await Promise.all([suffer(harm), site.sync('good')]);
      expect(good.status).toBe('succeeded');
    },
  );

  it.each(slowHarms.map((harm) => [harm.what, harm] as const))(
    'is not borne for ever: %s',
    async (_what, harm) => {
      await slow.get(harm);
      expect((await site.sync('good')).status).toBe('succeeded');
    },
  );
});
