import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { type Config } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { resolveRoute } from '../../src/config/resolve-route';
import { startRun } from '../../src/service/run/start-run';
import { whoTypes } from '../../src/service/run/who';
import { builtInUsers } from '../../src/simulator/seed/users';
import { connectTemporal, type TemporalClient } from '../../src/temporal/connection';
import { Child } from '../child';
import { type Events, eventsOf } from './events';
import type { Planted, PortalsProcess } from './portals-process';
import { WorkerProcess } from './worker-process';

export interface FleetOptions {
  /** Of the Temporal server. */
  readonly address: string;
  /** Its folder, and its task queue. */
  readonly name: string;
  /** Syncs, each of a group of its own on a route of its own. */
  readonly syncs: number;
  /** Portals on either side. */
  readonly portals: number;
  /** How long each answer of a portal is held. @format milliseconds */
  readonly answerMs: number;
  readonly workers: number;
  /** `temporal.worker`. @default as it comes */
  readonly tuning?: object;
}

const ITEMS = 3;
const hex = (letter: string, ...numbers: number[]): string =>
  letter +
  numbers
    .map((number) => number.toString(16).padStart(5, '0'))
    .join('')
    .padStart(31, '0');

/** So many syncs at once, on workers in processes of their own, between portals that let all of them through. */
export class Fleet {
  private constructor(
    readonly file: string,
    private readonly config: Config,
    private readonly temporal: TemporalClient,
    private readonly sides: readonly Child<PortalsProcess>[],
    private readonly workers: readonly WorkerProcess[],
  ) {}

  static async open(folder: string, options: FleetOptions): Promise<Fleet> {
    const { address, name, syncs, portals: count, answerMs, tuning = {} } = options;
    const home = path.join(folder, name);
    await mkdir(home, { recursive: true });
    const sides = ['source', 'target'].map(() => new Child<PortalsProcess>('scale/portals-process'));
    const addresses = await Promise.all(
      sides.map((side, at) => side.call('start', { name: nameOf(at), count, folder: home, answerMs })),
    );
    await Promise.all(sides.map((side, at) => side.call('plant', groupsOf(at, syncs, count))));
    const { username, password } = builtInUsers.owner;
    await writeFile(path.join(home, 'secret'), password, { mode: 0o600 });
    const auth = { type: 'password', username, password: { file: './secret' } };
    const concurrency = { exports: syncs, imports: syncs };
    const portals = addresses.flatMap((urls, side) =>
      urls.map((url, at) => [`${nameOf(side)}-${at}`, { url, auth, concurrency }] as const),
    );
    const routes = Array.from({ length: syncs }, (_, number) => [
      `group-${number}`,
      {
        source: { portal: `source-${number % count}`, group: hex('a', number) },
        target: { portal: `target-${number % count}`, group: hex('b', number) },
        approval: 'none',
      },
    ]);
    const file = path.join(home, 'portolan.yaml');
    const settings = {
      temporal: { address, taskQueue: name, worker: tuning },
      store: { type: 'local', path: './store' },
      portals: Object.fromEntries(portals) as object,
      routes: Object.fromEntries(routes) as object,
    };
    await writeFile(file, stringify(settings));
    const config = loadConfig(file);
    const log = path.join(home, 'worker.log');
    const workers: WorkerProcess[] = [];
    for (let at = 0; at < options.workers; at += 1) workers.push(await WorkerProcess.start(file, log));
    return new Fleet(file, config, await connectTemporal({ address }, 'default'), sides, workers);
  }

  /** Starts all syncs at once. @returns what their histories tell once the last one has succeeded */
  async run(): Promise<Events> {
    const { config, temporal } = this;
    const ids = await Promise.all(
      [...config.routes.keys()].map(async (route) => {
        const request = { route: resolveRoute(config, { route }), yes: false };
        return (await startRun('sync', { config, temporal, asker: whoTypes() }, request)).runId;
      }),
    );
    await Promise.all(ids.map((id) => temporal.client.workflow.getHandle(id).result()));
    return await eventsOf(temporal, config.temporal.taskQueue);
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.temporal.connection.close();
    await Promise.all(this.sides.map((side) => side.end()));
  }
}

const nameOf = (side: number): string => ['source', 'target'][side]!;

/** What a side has: the source its groups with their items, the target the same groups without any. */
const groupsOf = (side: number, syncs: number, portals: number): Planted[] =>
  Array.from({ length: syncs }, (_, number) => ({
    at: number % portals,
    id: hex(side === 0 ? 'a' : 'b', number),
    title: `Group ${number}`,
    items: side === 0 ? Array.from({ length: ITEMS }, (_item, item) => hex('c', number, item)) : [],
  }));
