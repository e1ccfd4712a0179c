import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer } from '../../src/temporal/dev-server/temporal-server';
import { findAmong } from '../finding-runs';
import { printTable } from '../table';
import type { Line } from '../report';
import { runBare } from './bare';
import { Fleet, type FleetOptions } from './fleet';
import { type Events, rateOf } from './events';
import { costOfGroups } from './promotion';
import { bareLines, groupsLine, lookLines, portalLines, scheduleLines, workersLine } from './scale-lines';
import { looksAtSchedules } from './schedules';
import { measureWholePortal } from './whole-portal';

const say = (words: string): void => void process.stderr.write(`${words}\n`);

const ROUNDS = 3;

interface Options {
  readonly syncs: string;
  readonly portals: string;
  readonly answerMs: string;
  readonly groups: string;
  readonly records: string;
  readonly schedules: string;
  readonly portalGroups: string;
  readonly portalRecords: string;
  readonly startSeconds: string;
  readonly only?: string;
}

const parts: Readonly<Record<string, (folder: string, options: Options) => Promise<Line[]>>> = {
  bare: againstBare,
  workers: twoWorkers,
  promotion: manyGroups,
  finding: amongRecords,
  schedules: manySchedules,
  portal: wholePortal,
};

async function scale(options: Options): Promise<void> {
  const { only } = options;
  if (only !== undefined && parts[only] === undefined)
    throw new Error(`--only ${only}: write one of ${Object.keys(parts).join(', ')}`);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-scale-'));
  try {
    const lines: Line[] = [];
    for (const [name, measure] of Object.entries(parts))
      if (only === undefined || only === name) lines.push(...(await measure(folder, options)));
    printTable(lines);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives work a Temporal server of its own, with a database, as `portolan up` has one. */
async function withServer<T>(folder: string, work: (address: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(path.join(folder, 'server-'));
  const server = await startTemporalServer({
    cli: (await findTemporalCli()).path,
    address: '127.0.0.1:0',
    database: path.join(home, 'temporal.db'),
    logFile: path.join(home, 'temporal.log'),
  });
  try {
    return await work(server.address);
  } finally {
    await server.stop();
  }
}

/** Runs the syncs, and says how they went; `work` may go on with their configuration. */
async function runFleet(folder: string, options: FleetOptions): Promise<{ events: Events; file: string }> {
  say(`${options.syncs} syncs at once: ${options.name}`);
  const fleet = await Fleet.open(folder, options);
  try {
    const events = await fleet.run();
    say(`${events.count} events in ${(events.spanMs / 1000).toFixed(1)} s`);
    return { events, file: fleet.file };
  } finally {
    await fleet.close();
  }
}

type Numbered = keyof Omit<Options, 'startSeconds' | 'only'>;

const number = (options: Options, name: Numbered): number => {
  const given = Number(options[name]);
  if (!Number.isInteger(given) || given < 1) throw new Error(`--${name} ${options[name]}: write a number`);
  return given;
};

const sizes = (options: Options) => ({
  syncs: number(options, 'syncs'),
  portals: number(options, 'portals'),
  workers: 1,
  answerMs: 0,
});

/** In turns, and of each the median: what a disk does in the same minute moves either by a third. */
function againstBare(folder: string, options: Options): Promise<Line[]> {
  return withServer(folder, async (address) => {
    const size = sizes(options);
    const [ours, bare]: [Events[], Events[]] = [[], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { events, file } = await runFleet(folder, { ...size, address, name: `against-bare-${round}` });
      ours.push(events);
      say(`${size.syncs} bare workflows`);
      bare.push(
        await runBare(folder, {
          config: file,
          address,
          workflows: size.syncs,
          ...eachOf(events, size.syncs),
        }),
      );
    }
    return bareLines({
      syncs: size.syncs,
      ...eachOf(ours[0]!, size.syncs),
      ours: medianOf(ours),
      bare: medianOf(bare),
    });
  });
}

const eachOf = ({ activities, locals }: Events, syncs: number) => ({
  activities: Math.round(activities / syncs),
  locals: Math.round(locals / syncs),
});

const medianOf = (rounds: readonly Events[]): Events =>
  rounds.toSorted((one, other) => rateOf(one) - rateOf(other))[Math.floor(rounds.length / 2)]!;

/** So few slots that the portals' answers keep them busy long before the machine is. */
const limiting = { activities: 2 };

async function twoWorkers(folder: string, options: Options): Promise<Line[]> {
  const answerMs = number(options, 'answerMs');
  const run = (workers: number): Promise<Events> =>
    withServer(folder, async (address) => {
      const name = `workers-${workers}`;
      const limited = { ...sizes(options), address, name, workers, answerMs, tuning: limiting };
      return (await runFleet(folder, limited)).events;
    });
  const [one, two] = [await run(1), await run(2)];
  return [workersLine({ syncs: number(options, 'syncs'), answerMs, slots: limiting.activities, one, two })];
}

async function manyGroups(folder: string, options: Options): Promise<Line[]> {
  const groups = number(options, 'groups');
  return [groupsLine(await withServer(folder, (address) => costOfGroups(folder, { address, groups, say })))];
}

async function amongRecords(folder: string, options: Options): Promise<Line[]> {
  const forMs = Number(options.startSeconds) * 1000;
  if (!(forMs > 0)) throw new Error('Write seconds above 0.');
  return lookLines(await findAmong(folder, { records: number(options, 'records'), forMs, say }));
}

async function manySchedules(folder: string, options: Options): Promise<Line[]> {
  const schedules = number(options, 'schedules');
  const looks = await withServer(folder, (address) => looksAtSchedules(folder, { address, schedules, say }));
  return scheduleLines(schedules, looks);
}

async function wholePortal(folder: string, options: Options): Promise<Line[]> {
  const [groups, records] = [number(options, 'portalGroups'), number(options, 'portalRecords')];
  return portalLines(
    await withServer(folder, (address) => measureWholePortal(folder, { address, groups, records, say })),
  );
}

const command = new Command('bench:scale')
  .description(
    'Measures how many syncs, workers, groups, records and schedules go together, as ratios within one run.',
  )
  .option('--syncs <number>', 'syncs that are started at once', '200')
  .option('--portals <number>', 'pairs of portals', '10')
  .option('--answer-ms <number>', 'how long portals hold each answer where two workers are measured', '150')
  .option('--groups <number>', 'groups of the promotion that is measured against one of 10', '1000')
  .option('--records <number>', 'records among which one is found', '100000')
  .option('--schedules <number>', 'schedules that are looked at', '500')
  .option('--portal-groups <number>', 'groups of 100 items on the portal that a rule protects', '500')
  .option('--portal-records <number>', 'records beside its snapshots', '10000')
  .option('--start-seconds <number>', 'how long executions are started in Temporal for that', '60')
  .option('--only <part>', Object.keys(parts).join(', '))
  .action(scale);

command.parseAsync().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
