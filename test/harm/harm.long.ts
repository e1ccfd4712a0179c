import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { blows } from '../harness/blows';
import { type Kind, kinds } from '../harness/kinds';
import { Trials } from '../harness/trial';
import { harms, slowHarms } from './harms';
import { copied, plantCopied } from './seeds';

/** A sync that bears slow portals for a while only. */
const exposed: Kind = {
  ...kinds.sync,
  seeds: { target: { failExport: [copied] } },
  furnish(pair) {
    kinds.sync.furnish(pair);
    plantCopied(pair);
  },
  config: { limits: { packageBytes: '64MB', itemBytes: '32MB' } },
  sourcePortal: { timeout: '20s' },
  targetPortal: { timeout: '20s' },
};

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
