import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { blows } from '../harness/blows';
import { Trials } from '../harness/trial';
import { harms, slowHarms } from './harms';
import { exposed } from './kind';

// The slowest harm is borne for half an hour.
jest.setTimeout(90 * 60_000);

describe('a hostile portal', () => {
  let trials: Trials;
  beforeAll(async () => {
    trials = await Trials.open(exposed);
  });
  afterAll(() => trials.close());

  it.each(
    [...harms.map((harm) => [harm]), slowHarms].map((all) => ({
      all,
      title: all.map(({ what }) => what).join(', '),
    })),
  )('ends its own route alone: $title', async ({ all }) => {
    const moments = [...all.map((harm) => ({ harm })), { beside: true } as const];
    expect(await trials.struck(blows.none, moments)).toEqual([]);
  });
});
