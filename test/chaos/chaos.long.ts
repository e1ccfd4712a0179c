import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import { type Blow, blows } from '../harness/blows';
import { type Kind, kinds } from '../harness/kinds';
import type { Pair } from '../harness/pair';
import { atPosts, atRandom, atWrites, type Call, type Moment, onePerPhase, onlyIn } from '../harness/moments';
import { lookWhenQuiet, Trials, type Twin } from '../harness/trial';
import { World } from '../harness/world';
import { until } from '../support/until';
import { Chance } from '../soak/chance';

jest.setTimeout(90 * 60_000);

const seed = Number(process.env['PORTOLAN_SEED'] ?? randomInt(2 ** 31));
const chance = new Chance(seed);
process.stderr.write(`chaos with PORTOLAN_SEED=${seed}\n`);

const phases = ({ calls, canAsk }: Twin): Moment[] => onePerPhase(calls, canAsk);
const worker = blows.worker;
const twice: Blow = { ...worker, title: `${worker.title}, twice`, again: () => 1 + chance.below(200) };

/** Calls that an earlier kind has shown already, so that no cell is tried twice. */
let shown: readonly Call[] = [];
const newWrites = ({ calls }: Twin): Moment[] => atWrites(onlyIn(calls, shown));

type Row = readonly [at: string, blow: Blow, moments: (twin: Twin) => Moment[]];

/** What befalls each kind of run, and when. */
const tables: readonly (readonly [Kind, readonly Row[]])[] = [
  [
    kinds.sync,
    [
      ['in each phase', worker, phases],
      ['at each write', worker, newWrites],
      ['at random', worker, ({ calls }) => atRandom(calls, 24, chance)],
      ['at random', twice, ({ calls }) => atRandom(calls, 12, chance)],
      ['in each phase', blows.temporal, phases],
      ['in each phase', blows.up, phases],
      ['in each phase', blows.source, phases],
      ['in each phase', blows.target, phases],
      ['in each phase', blows.everything, phases],
      ['at each export and import', blows.everything, ({ calls }) => atPosts(calls)],
    ],
  ],
  [
    kinds.inParts,
    [
      ['at each write', worker, newWrites],
      ['at each write', blows.target, newWrites],
    ],
  ],
  [
    kinds.changed,
    [
      ['in each phase', worker, phases],
      ['at each export and import', worker, ({ calls }) => atPosts(calls)],
      ['in each phase', blows.everything, phases],
    ],
  ],
  [
    kinds.twoPackages,
    [
      ['at each write', worker, newWrites],
      ['at each export and import', blows.everything, ({ calls }) => atPosts(calls)],
    ],
  ],
  [
    kinds.halves,
    [
      ['at each export and import', worker, ({ calls }) => atPosts(calls)],
      ['in each phase', blows.source, phases],
    ],
  ],
];

describe.each(tables.map(([kind, rows]) => [kind.title, kind, rows] as const))('%s', (_title, kind, rows) => {
  let trials: Trials;
  beforeAll(async () => {
    trials = await Trials.open(kind);
  });
  afterAll(async () => {
    shown = [...shown, ...trials.twin.calls];
    await trials.close();
  });

  it('makes a call in each phase but that of the approval', () => {
    const { calls, record } = trials.twin;
    const silent = record.phases
      .map(({ name }) => name)
      .filter((name) => !calls.some(({ phase }) => phase === name));
    expect(silent.filter((name) => name !== 'approve' || !kind.canAsk)).toEqual([]);
  });

  it.each(rows.map(([at, blow, moments]) => [blow.title, at, blow, moments] as const))(
    'ends as if undisturbed after %s %s [P01]',
    async (_blow, _at, blow, moments) => {
      expect(await trials.struck(blow, moments(trials.twin))).toEqual([]);
    },
  );
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
