import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { phaseNames } from '../../src/model/phase';
import type { RunRecord } from '../../src/model/run';
import { Chance } from '../soak/chance';
import { everything, type Kill, theServer, theSource, theTarget, theWorker, up } from './kills';
import { atWrites, inPhases, type Moment } from './moments';
import { report } from './report';
import { Site } from './site';
import { type Trial, trial } from './trial';

const numberFrom = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const seed = numberFrom('PORTOLAN_SEED', randomInt(2 ** 31));
/** Sites side by side, each with its own portals and its own Temporal: most of the time one waits. */
const sitesAtOnce = numberFrom('PORTOLAN_CHAOS_SITES', 3);
const once = numberFrom('PORTOLAN_CHAOS_ONCE', 30);
const twice = numberFrom('PORTOLAN_CHAOS_TWICE', 8);

jest.setTimeout(90 * 60_000);

const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Case {
  readonly kill: Kill;
  readonly moment: Moment;
}

const chance = new Chance(seed);
const at = (kill: Kill, ...moments: readonly Moment[]): Case[] => moments.map((moment) => ({ kill, moment }));
const randomly = (count: number, kills: number): Moment[] =>
  Array.from({ length: count }, () => ({
    when: kills === 1 ? 'a random moment' : 'a random moment, and again soon after',
    at: { shares: Array.from({ length: kills }, () => chance.next()) },
  }));

const phase = inPhases;
const cases: Case[] = [
  ...at(theWorker, ...atWrites, ...Object.values(phase)),
  ...at(theWorker, ...randomly(twice, 2), ...randomly(once, 1)),
  ...at(theServer, phase['wait-export'], phase.upload, phase.approve, phase.import, phase['wait-import']),
  ...at(theSource, phase.export, phase.download),
  ...at(theTarget, phase.upload, phase.import, phase['wait-import']),
  ...at(everything, phase.download, phase.import, phase['wait-import']),
  ...at(up, phase['wait-export'], phase.download, phase.upload, phase.approve, phase['wait-import']),
];

describe(`${cases.length} runs, killed at any moment`, () => {
  const sites: Site[] = [];
  const trials: Trial[] = [];
  const lost: string[] = [];

  beforeAll(async () => {
    say(`chaos with PORTOLAN_SEED=${seed}`);
    const fresh = async (): Promise<[Site, number]> => {
      const site = await Site.open({ source: { jobPolls: 2 }, target: { jobPolls: 2 } });
      sites.push(site);
      return [site, await undisturbed(site)];
    };
    const open = [...cases];
    const lane = async (): Promise<void> => {
      let [site, undisturbedMs] = await fresh();
      for (let next = take(open, site); next; next = take(open, site)) {
        const { kill, moment } = next;
        const what = `kill -9 of ${kill.of}, while ${moment.when}`;
        try {
          const done = await trial(site, kill, moment, undisturbedMs);
          trials.push(done);
          say(`${trials.length + lost.length}/${cases.length}  ${what}: ${words(done)}`);
        } catch (thrown) {
          lost.push(`${what}: ${String(thrown)}`);
          say(`LOST  ${lost.at(-1)}`);
          // What it left behind is nothing for the others.
          [site, undisturbedMs] = await fresh();
        }
      }
    };
    await Promise.all(Array.from({ length: sitesAtOnce }, lane));
    say(report(trials));
  });
  afterAll(() => Promise.all(sites.map((site) => site.close())));

  it('end succeeded, each by itself or by the command that it named', () => {
    expect(lost).toEqual([]);
    expect(trials).toHaveLength(cases.length);
  });

  it('keep every promise', () => {
    const broken = trials.filter(({ problems }) => problems.length > 0);
    expect(broken.map(({ runId, moment, problems }) => [runId, moment.when, problems])).toEqual([]);
  });

  it('were struck in each phase, and at least sixty times by a kill of the worker', () => {
    const ofWorker = trials.filter(({ kill }) => kill === theWorker).flatMap(({ struckIn }) => struckIn);
    expect(ofWorker.filter((struck) => struck !== undefined).length).toBeGreaterThanOrEqual(60);
    expect(phaseNames.filter((name) => !ofWorker.includes(name))).toEqual([]);
  });
});

/** Case by case; one for which nobody has to change places comes first. */
function take(open: Case[], { up }: Site): Case | undefined {
  const same = open.findIndex(({ kill }) => (kill.staff === 'up') === (up !== undefined));
  return open.splice(Math.max(0, same), 1)[0];
}

/** Time of a run that nobody disturbs, once there is something to overwrite. @format milliseconds */
async function undisturbed(site: Site): Promise<number> {
  await site.staffWith('worker');
  await site.run('sync', 'free');
  await site.mark();
  const { stdout } = await site.run('sync', 'free', '-o', 'json');
  const { startedAt, finishedAt = '', status } = JSON.parse(stdout) as RunRecord;
  if (status !== 'succeeded') throw new Error(`an undisturbed run ended ${status}: ${stdout}`);
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

const words = ({ struckIn, parked, recoveries, problems, runId }: Trial): string =>
  [
    `struck in ${struckIn.map((each) => each ?? 'no phase').join(' and ')}`,
    ...parked.map((code) => `parked with ${code}, resumed`),
    `goes on after ${recoveries.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(' and ')}`,
    ...problems.map((problem) => `\n    ${runId} ${problem}`),
  ].join(', ');
