import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Table from 'cli-table3';
import { ledgerLists } from '../../src/model/transfer/ledger-lists';
import { Chance } from './chance';
import { differences, edit, Fleet, type FleetGroup, highestConcurrency } from './fleet';
import { type Sample, stretches, watchMemory } from './memory';
import { travel, type Trip } from './trip';
import { storm } from './weather';

const numberFrom = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const runs = numberFrom('PORTOLAN_SOAK_RUNS', 200);
const concurrency = numberFrom('PORTOLAN_SOAK_CONCURRENCY', 20);
const seed = numberFrom('PORTOLAN_SOAK_SEED', randomInt(2 ** 31));
/** Portals on either side: half as many as runs at a time, so that runs wait in their portal queues. */
const portals = Math.ceil(concurrency / 2);
/** Every group is synced twice: made on the target first, overwritten after it was edited. */
const groups = Math.ceil(runs / 2);
/** Until here memory may grow: code is loaded, connections are opened. */
const warmUp = Math.floor(runs / 5);
/** What the last third of the rest may have resident, of what the second third had. */
const growthMax = 1.25;

jest.setTimeout(60 * 60_000);

const say = (line: string): void => void process.stderr.write(`${line}\n`);

describe(`${runs} syncs with random faults, ${concurrency} at a time, on one worker`, () => {
  let fleet: Fleet;
  const trips: Trip[] = [];
  const lost: string[] = [];
  let samples: Sample[] = [];

  beforeAll(async () => {
    say(`soak with PORTOLAN_SOAK_SEED=${seed}`);
    const chance = new Chance(seed);
    fleet = await Fleet.open({ portals, groups });
    const done = new AbortController();
    const watching = watchMemory(fleet.worker.pid, () => trips.length + lost.length, done.signal);

    const first = new Map<FleetGroup, Promise<void>>();
    const start = async (group: FleetGroup): Promise<void> => {
      for (const { side, rule } of storm(chance)) group[side].faults.add(rule);
      await travel(fleet, group).then(
        (trip) => void trips.push(trip),
        (thrown: unknown) => void lost.push(`${group.route}: ${String(thrown)}`),
      );
      const over = trips.length + lost.length;
      if (over % 20 === 0) say(`${over} runs over`);
    };
    const journeys = [
      ...fleet.groups.map((group) => () => {
        const journey = start(group);
        first.set(group, journey);
        return journey;
      }),
      ...fleet.groups.map((group) => async () => {
        await first.get(group);
        edit(group);
        await start(group);
      }),
    ].slice(0, runs);
    const lane = async (): Promise<void> => {
      for (let next = journeys.shift(); next; next = journeys.shift()) await next();
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
    done.abort();
    samples = await watching;
    say(report(fleet, trips, samples));
  });
  afterAll(() => fleet?.close());

  it('loses none: each succeeds, alone or by the command that its record names', () => {
    expect(lost).toEqual([]);
    expect(trips).toHaveLength(runs);
    expect(
      trips
        .filter(({ record }) => record.status !== 'succeeded')
        .map(({ runId, record, parked }) => [
          runId,
          record.status,
          record.error,
          parked.map(({ code }) => code),
        ]),
    ).toEqual([]);
  });

  it('parks only what is undecided', () => {
    const reasons = trips.flatMap(({ parked }) => parked.map(({ code }) => code));
    expect(reasons.filter((code) => !['EXPORT_UNDECIDED', 'IMPORT_UNDECIDED'].includes(code))).toEqual([]);
  });

  it('repeats no import: one before a person decides, at most one more per decision [P01]', () => {
    const doubled = trips.filter(({ imports }) =>
      imports.some(({ posted, begun }) => posted > 1 || begun > 1),
    );
    expect(doubled.map(({ runId, imports }) => [runId, imports])).toEqual([]);
  });

  it('accounts for every item in exactly one list', () => {
    const wrong = trips.flatMap(({ runId, ledger, requested }) => {
      const listed = ledgerLists.flatMap((list) => ledger?.[list].map(({ itemId }) => itemId) ?? []);
      const arrived = [...(ledger?.imported ?? []), ...(ledger?.kept ?? [])].length;
      const isClosed = [...listed].sort().join() === [...requested].sort().join();
      return isClosed && arrived === requested.length ? [] : [{ runId, requested, ledger }];
    });
    expect(wrong).toEqual([]);
  });

  it('brings every byte', async () => {
    expect((await Promise.all(fleet.groups.map(differences))).flat()).toEqual([]);
  });

  it('gives a portal one export and one import at a time', () => {
    const crowded = fleet.portals.flatMap((portal) =>
      (['export', 'import'] as const)
        .map((type) => ({ name: portal.settings.name, type, most: highestConcurrency(portal, type) }))
        .filter(({ most }) => most > 1),
    );
    expect(crowded).toEqual([]);
  });

  it('leaves no package, file, open run or place in a portal queue behind', async () => {
    expect(fleet.strangers()).toEqual([]);
    expect(await fleet.storeLeftovers()).toEqual([]);
    // Lists of runs are a moment behind the runs.
    for (let tries = 0; tries < 50 && (await fleet.open()).length > 0; tries++) await sleep(200);
    expect(await fleet.open()).toEqual([]);
  });

  it('keeps its memory', () => {
    if (samples.length === 0) return;
    const [, second, last] = stretches(samples, warmUp, runs, 3);
    expect(last!.resident / second!.resident).toBeLessThanOrEqual(growthMax);
  });
});

/** What happened, for people. */
function report(fleet: Fleet, trips: readonly Trip[], samples: readonly Sample[]): string {
  const faults = new Map<string, number>();
  for (const { fault } of fleet.portals.flatMap((portal) => portal.requests())) {
    if (fault !== undefined) faults.set(fault, (faults.get(fault) ?? 0) + 1);
  }
  const succeeded = trips.filter(({ record }) => record.status === 'succeeded');
  const byItself = succeeded.filter(({ parked }) => parked.length === 0).length;
  const codes = trips.flatMap(({ parked }) => parked.map(({ code }) => code));
  const table = new Table({ style: { head: [], border: [] } });
  table.push(
    ['runs', `${trips.length}, ${concurrency} at a time`],
    ['succeeded by itself', String(byItself)],
    ['parked, then succeeded', `${succeeded.length - byItself} (${counted(codes) || 'none'})`],
    ['otherwise', String(trips.length - succeeded.length)],
    ['faults played', counted([...faults].flatMap(([kind, count]) => Array<string>(count).fill(kind)))],
    ...stretches(samples, 0, runs, 5).map(({ over, resident, open }) => [
      `worker until ${over} runs`,
      `${Math.round(resident / 1024 ** 2)} MB, ${open} open files`,
    ]),
  );
  return table.toString();
}

function counted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${word} ${count}`).join(', ');
}
