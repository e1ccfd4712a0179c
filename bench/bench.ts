import { mkdtemp, rm, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import bytesOf from 'bytes';
import Table from 'cli-table3';
import { Command } from 'commander';
import { formatBytes, type Line, lines } from './report';
import { runTransfers } from './transfers';
import { runWholeSync } from './whole-sync';

const say = (words: string): void => void process.stderr.write(`${words}\n`);

/** Copies that lie on the disk at once: at the portal, in the store, and going up in parts and joined. */
const COPIES = 4;

async function bench(options: { bytes: string; rounds: string; jobSeconds: string }): Promise<void> {
  const bytes = bytesOf.parse(options.bytes) ?? 0;
  const rounds = Number(options.rounds);
  const jobMs = Number(options.jobSeconds) * 1000;
  if (bytes <= 0 || !(rounds >= 1) || !(jobMs > 0))
    throw new Error('Write sizes such as 1GB, and numbers above 0.');
  await requireRoom(COPIES * bytes);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-bench-'));
  try {
    const onRound = (round: number): void =>
      say(`transfers of ${options.bytes}, round ${round} of ${rounds}`);
    const transfers = await runTransfers(folder, { bytes, rounds, onRound });
    say(`a whole sync, with jobs of ${options.jobSeconds} s`);
    const syncs = { ms: await runWholeSync(folder, jobMs), jobsMs: 2 * jobMs };
    const result = lines({ bytes, transfers, syncs });
    process.stdout.write(`${tableOf(result)}\n`);
    if (result.some(({ kept }) => kept === false)) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireRoom(needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(os.tmpdir());
  if (bavail * bsize >= needed) return;
  throw new Error(`${os.tmpdir()} has not the ${formatBytes(needed)} that this takes.`);
}

function tableOf(result: readonly Line[]): string {
  const table = new Table({
    head: ['', 'ours', 'against', 'ratio', 'promised', ''],
    style: { head: [], border: [] },
  });
  for (const { what, ours, against, ratio, promised, kept } of result) {
    table.push([what, ours, against, ratio, promised, kept === undefined ? '' : kept ? 'kept' : 'BROKEN']);
  }
  return table.toString();
}

const command = new Command('bench')
  .description('Measures transfers against curl, a whole sync against the times of the jobs, and memory.')
  .option('--bytes <size>', 'size of the package', '1GB')
  .option('--rounds <number>', 'rounds of transfers, of which medians are taken', '5')
  .option('--job-seconds <number>', 'how long each of the two jobs of the whole sync takes', '15')
  .action(bench);

command.parseAsync().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
