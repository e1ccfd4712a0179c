import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PhaseName } from '../../src/model/run/phase';
import { Chance } from '../soak/chance';
import { everything, type Kill, theServer, theSource, theTarget, theWorker, up } from './kills';
import {
  atExportsOfHalves,
  atWrites,
  atWritesOfTheSecond,
  betweenTwo,
  compares,
  inPhases,
  type Moment,
  ofTheSecond,
  onBothLines,
  phasesOfASync,
  whereItIsCut,
} from './moments';
import { leftOn } from './promises';
import { report } from './report';
import { bringAllBy, type Shape, shapes, sizes } from './shapes';
import { Site } from './site';
import { crossings, type Trial, trial } from './trial';
import { until } from './until';

const numberFrom = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const seed = numberFrom('PORTOLAN_SEED', randomInt(2 ** 31));
/** Sites side by side, each with its own portals and its own Temporal: most of the time one waits. */
const siteConcurrency = numberFrom('PORTOLAN_CHAOS_SITES', 3);
/** Kills at random moments: one a run, two a run, and of the Temporal server. */
const randomKills = { once: 32, twice: 8, server: 4 };
/** A second kill comes within this share of a run after the first. */
const soon = 0.3;
/** What comes later may find the run over. */
const latest = 0.9;

/** What has not ended by then hangs. @format milliseconds */
const limitMs = 20 * 60_000;
const tooLong = async (): Promise<never> => {
  await sleep(limitMs, undefined, { ref: false });
  throw new Error('did not end');
};

jest.setTimeout(90 * 60_000);

const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Case {
  readonly shape: Shape;
  readonly kill: Kill;
  readonly moment: Moment;
}

const chance = new Chance(seed);
const of =
  (shape: Shape) =>
  (kill: Kill, ...moments: readonly Moment[]): Case[] =>
    moments.map((moment) => ({ shape, kill, moment }));
const at = of(shapes.whole);
const incremental = of(shapes.incremental);
const inTwo = of(shapes.inTwoPackages);
const inHalves = of(shapes.inHalves);
/** One shape after the other. */
const inTurns = (kill: Kill, ...moments: readonly Moment[]): Case[] =>
  moments.flatMap((moment, index) => [at, incremental, inTwo][index % 3]!(kill, moment));
const randomly = (count: number, kills: number): Moment[] =>
  Array.from({ length: count }, () => ({
    when: kills === 1 ? 'a random moment' : 'a random moment, and again soon after',
    at: {
      chances: Array.from({ length: kills }, (_, index) => ({
        share: chance.next() * (index === 0 ? latest : soon),
        pause: chance.next(),
      })),
    },
  }));

const phase = inPhases;
const all: Case[] = [
  ...at(theServer, phase['wait-export'], phase.upload, phase.approve, phase.import, phase['wait-import']),
  ...inTurns(theServer, ...randomly(randomKills.server, 1)),
  ...at(everything, phase.download, phase.import, phase['wait-import']),
  ...at(up, phase['wait-export'], phase.download, phase.upload, phase.approve, phase['wait-import']),
  ...at(theSource, phase.export, phase.download, onBothLines),
  ...at(theTarget, onBothLines, phase.upload, phase.import, phase['wait-import']),
  ...at(theWorker, ...Object.values(phase)),
  ...inTurns(theWorker, ...randomly(randomKills.twice, 2), ...randomly(randomKills.once, 1)),
  ...at(theWorker, ...atWrites),

  ...incremental(theServer, compares, phase.import),
  ...incremental(everything, compares, onBothLines, phase.import),
  ...incremental(up, phase.approve, phase.verify),
  ...incremental(theSource, compares, onBothLines),
  ...incremental(theTarget, compares, onBothLines, phase['wait-import']),
  ...incremental(theWorker, compares, ...Object.values(phase), ...atWrites),

  ...inTwo(theServer, ofTheSecond.export, betweenTwo.imports, ofTheSecond.waitImport),
  ...inTwo(everything, betweenTwo.downloads, betweenTwo.imports, ofTheSecond.import, ofTheSecond.waitImport),
  ...inTwo(up, betweenTwo.downloads, phase.approve, betweenTwo.imports),
  ...inTwo(theSource, ofTheSecond.export, ofTheSecond.download, ofTheSecond.cleanup),
  ...inTwo(theTarget, ofTheSecond.upload, betweenTwo.imports, ofTheSecond.import, ofTheSecond.waitImport),
  ...inTwo(theWorker, ...Object.values(ofTheSecond), ...Object.values(betweenTwo)),
  ...inTwo(theWorker, ...Object.values(phase), ...atWritesOfTheSecond),

  ...inHalves(everything, whereItIsCut.seen, whereItIsCut.waits),
  ...inHalves(theSource, whereItIsCut.seen, whereItIsCut.looked),
  ...inHalves(theServer, whereItIsCut.looked),
  ...inHalves(theWorker, ...Object.values(whereItIsCut), ...atExportsOfHalves),
];

const wordsFor = ({ shape, kill, moment }: Case): string => `${shape.of}: ${kill.of}: ${moment.when}`;
/** What goes, is killed, and when, for whoever looks into some cases: `PORTOLAN_CHAOS_ONLY='two packages: (up|worker)'`. */
const only = new RegExp(process.env['PORTOLAN_CHAOS_ONLY'] ?? '');
/** Every one of so many cases, and with which of them to begin: `PORTOLAN_CHAOS_SLICE=2/5` is the second fifth. */
const [slice = 1, slices = 1] = (process.env['PORTOLAN_CHAOS_SLICE'] ?? '1/1').split('/').map(Number);
const cases = all
  .filter((each) => only.test(wordsFor(each)))
  .filter((_, index) => index % slices === slice - 1);

describe(`${cases.length} runs, killed at any moment`, () => {
  const sites: Site[] = [];
  const trials: Trial[] = [];
  const lost: string[] = [];

  beforeAll(async () => {
    say(`chaos with PORTOLAN_SEED=${seed}`);
    const fresh = async (): Promise<Site> => {
      const site = await Site.open({ source: { jobPolls: 2 }, target: { jobPolls: 2 }, ...sizes });
      sites.push(site);
      await site.staffWith('worker');
      await bringAllBy(site, 'free');
      return site;
    };
    const open = [...cases];
    const lane = async (): Promise<void> => {
      let site = await fresh();
      for (let next = open.shift(); next; next = open.shift()) {
        const { shape, kill, moment } = next;
        const what = `${shape.of}, kill -9 of ${kill.of}: ${moment.when}`;
        try {
          const requests = 'chances' in moment.at ? await undisturbed(site, shape) : 0;
          const done = await Promise.race([trial(site, kill, moment, requests, shape), tooLong()]);
          trials.push(done);
          say(`${trials.length + lost.length}/${cases.length}  ${what}: ${words(done)}`);
        } catch (thrown) {
          lost.push(`${what}: ${String(thrown)}`);
          say(`LOST  ${lost.at(-1)}`);
          // What it left behind is nothing for the others.
          site = await fresh();
        }
      }
    };
    await Promise.all(Array.from({ length: siteConcurrency }, lane));
    say(report(trials));
  });
  afterAll(() => Promise.all(sites.map((site) => site.close())));

  it('end succeeded, each by itself or by the command that it named', () => {
    expect(lost).toEqual([]);
    expect(trials).toHaveLength(cases.length);
  });

  it('keep every promise [P01]', () => {
    const broken = trials.filter(({ problems }) => problems.length > 0);
    for (const { record } of broken) say(JSON.stringify(record));
    expect(broken.map(({ record, moment, problems }) => [record.runId, moment.when, problems])).toEqual([]);
  });

  it('give a slot to the runs that waited in a portal queue when everything was killed', async () => {
    const site = await Site.open({ source: { jobPolls: 6 } });
    sites.push(site);
    await site.staffWith('up');
    const mark = await site.mark();
    const runIds = [await site.sync('free'), await site.sync('free')];
    await until(async () => {
      const records = await Promise.all(runIds.map((runId) => site.show(runId)));
      return records.some(({ queue }) => queue !== undefined);
    });
    everything.strike(site);
    await everything.bringBack(site);
    for (const runId of runIds) expect((await site.run('run', 'watch', runId)).status).toBe(0);
    expect(mark.imports()).toBe(2);
    expect(await leftOn(site)).toEqual([]);
  });

  it('lost their worker in each phase, forty times at random, and in all sixty times or more', () => {
    const ofWorker = trials.filter(({ kill }) => kill === theWorker);
    const struckIn = (some: readonly Trial[]): PhaseName[] =>
      some.flatMap((each) => each.struckIn).filter((struck) => struck !== undefined);
    expect(phasesOfASync.filter((name) => !struckIn(ofWorker).includes(name))).toEqual([]);
    const atRandom = ofWorker.filter(({ moment }) => 'chances' in moment.at);
    expect(struckIn(atRandom).length).toBeGreaterThanOrEqual(40);
    expect(struckIn(ofWorker).length).toBeGreaterThanOrEqual(60);
  });
});

const requestsOf = new WeakMap<Site, Map<Shape, number>>();

/** How often a run of this shape asks the portals that nobody disturbs, once there is something to overwrite. */
async function undisturbed(site: Site, shape: Shape): Promise<number> {
  const known = requestsOf.get(site) ?? new Map<Shape, number>();
  requestsOf.set(site, known);
  const before = known.get(shape);
  if (before !== undefined) return before;
  await site.staffWith('worker');
  const moment: Moment = { when: 'never', at: { chances: [] } };
  await shape.prepare?.(site, moment);
  await site.mark(shape.touches);
  const from = crossings(site);
  await site.type('run', 'watch', await shape.begin(site, moment));
  known.set(shape, crossings(site) - from);
  return crossings(site) - from;
}

const words = ({ struckIn, parked, recoveries, problems, record }: Trial): string =>
  [
    `struck in ${struckIn.map((each) => each ?? 'no phase').join(' and ')}`,
    ...parked.map((code) => `parked with ${code}, resumed`),
    `goes on after ${recoveries.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(' and ')}`,
    ...problems.map((problem) => `\n    ${record.runId} ${problem}`),
  ].join(', ');
