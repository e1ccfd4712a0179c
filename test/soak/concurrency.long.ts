import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import type { Simulator } from '../../src/simulator/simulator';
import type { JobRecord } from '../../src/simulator/state/records';
import { groupIdOf, type Kind, kinds, plantGroups } from '../harness/kinds';
import { type Pair, sides } from '../harness/pair';
import { World } from '../harness/world';
import { type Idling, watchPortalQueues } from './queue-watch';

/** `--concurrency` of `npm run test:soak`. */
const runs = Number(process.env['PORTOLAN_SOAK_STARTED'] ?? 60);
const portals = 10;
/** A portal queue with waiting runs and no progress for longer is idle. */
const IDLE_MAX_MS = 60_000;

jest.setTimeout(60 * 60_000);

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

const perPair = Math.ceil(runs / portals);
const routeOf = (pair: Pair, at: number): string => `${pair.free}-${at}`;
/** A job is long enough for two on one portal to be seen side by side. */
const seed = { seed: 'empty', jobMs: 1_000 };

/** Groups with a route each. */
const groups: Kind = {
  ...kinds.sync,
  seeds: { source: seed, target: seed },
  furnish: plantGroups(perPair),
  sections: (pair) => {
    const target = { portal: pair.name('target'), group: emptyGroupId };
    const routes = Array.from({ length: perPair }, (_, at) => {
      const source = { portal: pair.name('source'), group: groupIdOf(at + 1) };
      return [routeOf(pair, at), { source, target, approval: 'none' }];
    });
    return { routes: Object.fromEntries(routes) as Record<string, unknown> };
  },
};

describe(`${runs} syncs over ${portals} pairs of portals, started at once by one client`, () => {
  let world: World;
  let pairs: readonly Pair[];
  let records: RunRecord[];
  let idling: Idling[];

  beforeAll(async () => {
    world = await World.open(groups);
    pairs = await world.add(portals, 'worker');
    const done = new AbortController();
    const watching = watchPortalQueues(world.config, done.signal);
    const began = Date.now();
    const runIds = await Promise.all(
      Array.from({ length: runs }, (_, at) =>
        world.begin('sync', routeOf(pairs[at % portals]!, Math.floor(at / portals)), '--no-wait'),
      ),
    );
    say(`${runs} runs, all started within ${seconds(Date.now() - began)}`);
    records = await Promise.all(runIds.map((runId) => world.ended(runId)));
    say(`from the first start to the last end: ${seconds(Date.now() - began)}`);
    done.abort();
    idling = await watching;
    const longest = Math.max(0, ...idling.map(({ idleMs }) => idleMs));
    say(`longest without progress in a portal queue with waiting runs: ${seconds(longest)}`);
  });
  afterAll(() => world.close());

  it('leaves no portal queue idle for a minute while a run waits in it', () => {
    expect(idling.filter(({ idleMs }) => idleMs > IDLE_MAX_MS)).toEqual([]);
  });

  it('brings each of them to its end, and every byte', async () => {
    expect(records.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(records.map(({ status }) => status)).toEqual(Array<string>(runs).fill('succeeded'));
    const bytesOf = ({ world: { files, items } }: Simulator): Promise<[string, string][]> =>
      Promise.all([...items.values()].map(async (item) => [item.id, await text(files.readData(item))]));
    for (const { source, target } of pairs)
      expect((await bytesOf(target)).sort()).toEqual((await bytesOf(source)).sort());
  });

  it('gives a portal one export and one import at a time', () => {
    const most = pairs.flatMap((pair) =>
      sides.flatMap((side) =>
        (['export', 'import'] as const).map((type) => highestConcurrency(pair[side], type)),
      ),
    );
    expect(Math.max(...most)).toBe(1);
  });
});

/** The most jobs of one kind that a portal worked on at a time. */
function highestConcurrency(portal: Simulator, type: JobRecord['type']): number {
  const moments = [...portal.world.jobs.values()]
    .filter((job) => job.type === type)
    .flatMap(({ created, modified }) => [
      { at: created, change: 1 },
      { at: modified, change: -1 },
    ])
    .sort((one, other) => one.at - other.at || one.change - other.change);
  let [now, most] = [0, 0];
  for (const { change } of moments) most = Math.max(most, (now += change));
  return most;
}
