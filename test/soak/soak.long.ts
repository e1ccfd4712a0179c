import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { kinds } from '../harness/kinds';
import { Trials } from '../harness/trial';
import { Chance } from './chance';
import { type Sample, sample, stretches } from './memory';
import { storm } from './weather';

const numberFrom = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const runs = numberFrom('PORTOLAN_SOAK_RUNS', 200);
const concurrency = numberFrom('PORTOLAN_SOAK_CONCURRENCY', 20);
const seed = numberFrom('PORTOLAN_SOAK_SEED', randomInt(2 ** 31));
/** Until here memory may grow: code is loaded, connections are opened. */
const warmUp = Math.floor(runs / 5);
/** What the last third of the rest may have resident, of what the second third had. */
const growthMax = 1.25;
/** A portal that does not answer is given up soon, so that a hang costs seconds. */
const patience = { timeout: '8s' };

jest.setTimeout(60 * 60_000);

const say = (line: string): void => void process.stderr.write(`${line}\n`);

describe(`${runs} syncs with random faults, ${concurrency} at a time, on one worker`, () => {
  let trials: Trials;
  let wrong: string[];
  const samples: Sample[] = [];

  beforeAll(async () => {
    say(`soak with PORTOLAN_SOAK_SEED=${seed}`);
    const chance = new Chance(seed);
    trials = await Trials.open({ ...kinds.sync, sourcePortal: patience, targetPortal: patience });
    const storms = Array.from({ length: runs }, () => ({ storm: storm(chance) }));
    wrong = await trials.weathered(storms, concurrency, async (over) => {
      samples.push(...(await sample(trials.world.workerPid, over)));
      if (over % 20 === 0) say(`${over} runs over`);
    });
    for (const { over, resident, open } of stretches(samples, 0, runs, 5))
      say(`worker until ${over} runs: ${Math.round(resident / 1024 ** 2)} MB, ${open} open files`);
  });
  afterAll(() => trials.close());

  it('end as if undisturbed, alone or by the commands that their records name [P01]', () => {
    expect(wrong).toEqual([]);
  });

  it('leave the memory of the worker flat', () => {
    if (samples.length === 0) return;
    const [, second, last] = stretches(samples, warmUp, runs, 3);
    expect(last!.resident / second!.resident).toBeLessThanOrEqual(growthMax);
  });
});
