import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { harms } from '../harm/harms';
import { exposed } from '../harm/kind';
import { blows } from '../harness/blows';
import { Trials } from '../harness/trial';

/** One for each end; `npm run test:harm` has them all. */
const chosen = [
  'a listing of 12 MB of noughts',
  'a package without end',
  'an item without end where a copy is taken',
];

describe('portals that send without end, all at a time', () => {
  let trials: Trials;
  beforeAll(async () => {
    trials = await Trials.open(exposed);
  });
  afterAll(() => trials.close());

  it('end their own runs with a code and no file, and no other [P17]', async () => {
    const hostile = harms.filter(({ what }) => chosen.includes(what)).map((harm) => ({ harm }));
    expect(hostile).toHaveLength(chosen.length);
    expect(await trials.struck(blows.none, [...hostile, { beside: true }])).toEqual([]);
  });
});
