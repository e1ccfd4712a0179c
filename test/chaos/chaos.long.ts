import { randomInt } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import { type Blow, blows } from '../harness/blows';
import { kinds } from '../harness/kinds';
import type { Pair } from '../harness/pair';
import {
  atChance,
  atFirstWrites,
  atEachPost,
  atNewWrites,
  describeStruck,
  inEachPhase,
} from '../harness/suites';
import { lookWhenQuiet } from '../harness/trial';
import { World } from '../harness/world';
import { until } from '../support/until';
import { Chance } from '../soak/chance';

jest.setTimeout(90 * 60_000);

const seed = Number(process.env['PORTOLAN_SEED'] ?? randomInt(2 ** 31));
const chance = new Chance(seed);
process.stderr.write(`chaos with PORTOLAN_SEED=${seed}\n`);

const { worker, temporal, up, source, target, everything } = blows;
const twice: Blow = { ...worker, title: `${worker.title}, twice`, again: () => 1 + chance.below(200) };

describe('a struck run [P01]', () => {
  describeStruck([
    [
      kinds.sync,
      [worker, inEachPhase],
      [worker, atNewWrites],
      [worker, atChance(chance, 24)],
      [twice, atChance(chance, 12)],
      [temporal, inEachPhase],
      [up, inEachPhase],
      [source, inEachPhase],
      [target, inEachPhase],
      [everything, inEachPhase],
      [everything, atEachPost],
    ],
    [kinds.inParts, [worker, atNewWrites], [target, atNewWrites]],
    [kinds.changed, [worker, inEachPhase], [worker, atEachPost], [everything, inEachPhase]],
    [kinds.twoPackages, [worker, atNewWrites], [everything, atEachPost]],
    [kinds.halves, [worker, atEachPost], [source, inEachPhase]],
    [kinds.bisect, [worker, atFirstWrites], [worker, atChance(chance, 12)], [temporal, inEachPhase]],
  ]);
});

describe('a portal queue', () => {
  it('gives a slot to the runs that waited when everything was killed', async () => {
    const world = await World.open({ ...kinds.sync, seeds: { source: { jobPolls: 6 } } });
    try {
      const pairs = await world.add(1, 'up');
      const [pair] = pairs as [Pair];
      const start = (): Promise<string> => world.begin(...kinds.sync.begin(pair, false));
      const runIds = [await start(), await start()];
      const shown = async (runId: string): Promise<RunRecord> =>
        JSON.parse(await world.typed('run', 'show', runId, '-o', 'json')) as RunRecord;
      await until(
        'a run that waits for a slot',
        () => Promise.all(runIds.map(shown)),
        (records) => records.some(({ queue }) => queue !== undefined),
      );
      await blows.everything.strike(world, pairs);
      await blows.everything.bringBack(world, pairs);
      const records = await Promise.all(runIds.map((runId) => world.ended(runId)));
      expect(records.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
      const seen = await Promise.all(records.map((record) => lookWhenQuiet(world, pair, record)));
      expect(seen).toMatchObject([
        { imports: 2, left: [] },
        { imports: 2, left: [] },
      ]);
    } finally {
      await world.close();
    }
  });
});
