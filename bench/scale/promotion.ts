import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { RunRecord } from '../../src/model/run/run';
import { builtInUsers } from '../../src/simulator/seed/users';
import { Child } from '../child';
import type { Planted, PortalsProcess } from './portals-process';
import { WorkerProcess } from './worker-process';

const program = require.resolve('../../src/cli/main');
const run = promisify(execFile);

const FEW = 10;
/** One promotion of so few is over soon: the median of three is taken. */
const ROUNDS_OF_FEW = 3;
const OUTPUT_MAX = 256 * 1024 ** 2;

interface Cost {
  readonly groups: number;
  /** By the promotion's own record. */
  readonly ms: number;
}

export interface Costs {
  readonly few: Cost;
  readonly many: Cost;
}

/** What a promotion of so many groups of one item takes, and what one of ten takes. */
export async function costOfGroups(
  folder: string,
  { address, groups, say }: { address: string; groups: number; say: (words: string) => void },
): Promise<Costs> {
  const home = path.join(folder, 'promotion');
  await mkdir(home);
  const pipelines: Pipeline[] = Array.from({ length: ROUNDS_OF_FEW }, (_, round) => ({
    name: `few-${round + 1}`,
    first: round * FEW,
    count: FEW,
  }));
  pipelines.push({ name: 'many', first: ROUNDS_OF_FEW * FEW, count: groups });
  const sides = ['dev', 'live'].map(() => new Child<PortalsProcess>('scale/portals-process'));
  let worker: WorkerProcess | undefined;
  try {
    const urls = await Promise.all(
      sides.map(async (side, at) => {
        const name = at === 0 ? 'dev' : 'live';
        const [url] = await side.call('start', { name, count: 1, folder: home, answerMs: 0 });
        await side.call('plant', pipelines.flatMap(groupsOf(at === 0)));
        return url!;
      }),
    );
    const config = await configure(home, { address, urls, pipelines });
    worker = await WorkerProcess.start(config, path.join(home, 'worker.log'));
    const costs: Cost[] = [];
    for (const { name, count } of pipelines) {
      say(`a release of ${count} groups, and its promotion`);
      await portolan(config, 'release', 'create', name);
      const { startedAt, finishedAt, status } = await portolan(
        config,
        'promote',
        name,
        '--to',
        'live',
        '--yes',
      );
      if (status !== 'succeeded') throw new Error(`the promotion of ${name} is ${status}`);
      const ms = Date.parse(finishedAt!) - Date.parse(startedAt);
      say(`${Math.round(ms / count)} ms a group`);
      costs.push({ groups: count, ms });
    }
    const few = costs.slice(0, ROUNDS_OF_FEW).sort((one, other) => one.ms - other.ms);
    return { few: few[ROUNDS_OF_FEW >> 1]!, many: costs.at(-1)! };
  } finally {
    await worker?.stop();
    await Promise.all(sides.map((side) => side.end()));
  }
}

interface Pipeline {
  readonly name: string;
  /** Number of its first group. */
  readonly first: number;
  readonly count: number;
}

const idOf = (letter: 'e' | 'a', at: number): string => `${letter}${at.toString(16).padStart(31, '0')}`;
const groupOf = (at: number): string => idOf('e', at + 4_096);
const numbersOf = ({ first, count }: Pipeline): number[] =>
  Array.from({ length: count }, (_, at) => first + at);

const groupsOf =
  (isSource: boolean) =>
  (pipeline: Pipeline): Planted[] =>
    numbersOf(pipeline).map((at) => ({
      at: 0,
      id: groupOf(at),
      title: `Group ${at}`,
      items: isSource ? [idOf('a', at)] : [],
    }));

async function configure(
  home: string,
  { address, urls, pipelines }: { address: string; urls: readonly string[]; pipelines: readonly Pipeline[] },
): Promise<string> {
  const { username, password } = builtInUsers.admin;
  await writeFile(path.join(home, 'secret'), password, { mode: 0o600 });
  const auth = { type: 'password', username, password: { file: './secret' } };
  const stages = (pipeline: Pipeline): object => {
    const groups = Object.fromEntries(numbersOf(pipeline).map((at) => [`group-${at}`, groupOf(at)]));
    return { dev: { portal: 'dev', groups }, live: { portal: 'live', groups } };
  };
  const file = path.join(home, 'portolan.yaml');
  const settings = {
    temporal: { address, taskQueue: 'promotion' },
    store: { type: 'local', path: './store' },
    portals: Object.fromEntries(
      ['dev', 'live'].map((name, at) => [
        name,
        { url: urls[at], auth, concurrency: { exports: 4, imports: 3 } },
      ]),
    ) as object,
    routes: {},
    pipelines: Object.fromEntries(
      pipelines.map((pipeline) => [
        pipeline.name,
        { groups: numbersOf(pipeline).map((at) => `group-${at}`), stages: stages(pipeline) },
      ]),
    ) as object,
  };
  await writeFile(file, stringify(settings));
  return file;
}

async function portolan(config: string, ...words: string[]): Promise<RunRecord> {
  const command = [program, ...words, '--config', config, '-o', 'json'];
  const { stdout } = await run(process.execPath, command, { maxBuffer: OUTPUT_MAX });
  return JSON.parse(stdout) as RunRecord;
}
