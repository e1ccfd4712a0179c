import { mkdtemp, rm, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import bytesOf from 'bytes';
import { Command } from 'commander';
import { countActions } from './actions';
import { compareBigMaps } from './comparing';
import { findAmong } from './finding-runs';
import { runNights } from './nights';
import {
  actionLines,
  comparingLine,
  findingLines,
  formatBytes,
  type Line,
  lines,
  nightLines,
} from './report';
import { printTable } from './table';
import { runTransfers } from './transfers';
import { runWholeSync } from './whole-sync';

const say = (words: string): void => void process.stderr.write(`${words}\n`);

/** Copies that lie on the disk at once: at the portal, in the store, in parts for curl, on the other portal, and going up in parts and joined. */
const COPIES = 6;

interface Options {
  readonly bytes: string;
  readonly rounds: string;
  readonly jobSeconds: string;
  readonly runs: string;
  readonly startSeconds: string;
  readonly items: string;
  readonly only?: string;
}

async function bench(options: Options): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-bench-'));
  try {
    const result = [
      ...(does(options, 'transfers') ? await benchTransfers(folder, options) : []),
      ...(does(options, 'nights') ? await benchNights(folder, options) : []),
      ...(does(options, 'comparing') ? [comparingLine(compareBigMaps(Number(options.rounds)))] : []),
      ...(does(options, 'finding') ? await benchFinding(folder, options) : []),
      ...(does(options, 'actions') ? actionLines(await countActions(folder)) : []),
    ];
    printTable(result);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const does = ({ only }: Options, part: string): boolean => only === undefined || only === part;

async function benchNights(folder: string, options: Options): Promise<Line[]> {
  const [items, rounds] = [Number(options.items), Number(options.rounds)];
  if (!(items >= 100) || !(rounds >= 1)) throw new Error('Write at least 100 items, and 1 round.');
  const onRound = (round: number): void => say(`a night without an edit, round ${round} of ${rounds}`);
  return nightLines(await runNights(folder, { items, rounds, onRound }));
}

async function benchFinding(folder: string, options: Options): Promise<Line[]> {
  const [records, forMs] = [Number(options.runs), Number(options.startSeconds) * 1000];
  if (!(records >= 100) || !(forMs > 0)) throw new Error('Write at least 100 runs, and seconds above 0.');
  return findingLines(await findAmong(folder, { records, forMs, say }));
}

async function benchTransfers(folder: string, options: Options): Promise<Line[]> {
  const bytes = bytesOf.parse(options.bytes) ?? 0;
  const rounds = Number(options.rounds);
  const jobMs = Number(options.jobSeconds) * 1000;
  if (bytes <= 0 || !(rounds >= 1) || !(jobMs > 0))
    throw new Error('Write sizes such as 1GB, and numbers above 0.');
  await requireRoom(COPIES * bytes);
  const onRound = (round: number): void => say(`transfers of ${options.bytes}, round ${round} of ${rounds}`);
  const transfers = await runTransfers(folder, { bytes, rounds, onRound });
  say(`a whole sync, with jobs of ${options.jobSeconds} s`);
  const syncs = { ms: await runWholeSync(folder, jobMs), jobsMs: 2 * jobMs };
  return lines({ bytes, transfers, syncs });
}

async function requireRoom(needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(os.tmpdir());
  if (bavail * bsize >= needed) return;
  throw new Error(`${os.tmpdir()} has not the ${formatBytes(needed)} that this takes.`);
}

const command = new Command('bench')
  .description(
    'Measures transfers against curl, a whole sync against the times of the jobs, memory, how one run is found among many, and what a run costs in actions of Temporal Cloud.',
  )
  .option('--bytes <size>', 'size of the package', '2GB')
  .option('--rounds <number>', 'rounds of transfers, of which medians are taken', '5')
  .option('--job-seconds <number>', 'how long each of the two jobs of the whole sync takes', '15')
  .option('--runs <number>', 'among how many records one is found', '100000')
  .option('--start-seconds <number>', 'how long executions are started in Temporal for that', '60')
  .option('--items <number>', 'items of the group whose nights are measured', '1000')
  .option('--only <part>', 'transfers, nights, comparing, finding or actions')
  .action(bench);

command.parseAsync().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
