import { whoTypes } from '../../src/service/run/who';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { stringify } from 'yaml';
import { startRun } from '../../src/service/run/start-run';
import type { Config } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { resolveRoute } from '../../src/config/resolve-route';
import type { TemporalClient } from '../../src/temporal/connection';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';
import type { JobRecord } from '../../src/simulator/state/records';
import { openStore } from '../../src/store/open-store';
import type { Store } from '../../src/store/store';
import { connectToTestServer, temporalAddress } from '../support/temporal';
import { WorkerProcess } from '../transfers/worker-process';

export interface FleetOptions {
  /** Portals on either side. */
  readonly portals: number;
  /** Groups, each on one portal of either side, and each synced on a route of its own. */
  readonly groups: number;
}

/** A group with the items that it should have on both sides. */
export interface FleetGroup {
  readonly route: string;
  readonly source: Simulator;
  readonly target: Simulator;
  readonly sourceId: string;
  readonly targetId: string;
  readonly itemIds: string[];
}

const KB = 1024;
/** Every so many groups one has an image whose package goes up in parts. */
const BIG_EVERY = 20;
const BIG = 65 * KB ** 2;
/** A portal that does not answer is given up soon, so that a hang costs seconds. */
const RESPONSE_TIMEOUT = '8s';
/** Long enough for two jobs on one portal to be seen side by side. @format milliseconds */
const JOB_MS = 1_000;

/** An id that tells what it is of: `a` and `b` are groups on either side, `c` items. */
export const hex = (letter: string, ...numbers: number[]): string =>
  letter +
  numbers
    .map((number) => number.toString(16).padStart(5, '0'))
    .join('')
    .padStart(31, '0');

/** Portals, groups, and one worker in a process of its own. */
export class Fleet {
  readonly groups: FleetGroup[] = [];

  private constructor(
    readonly folder: string,
    readonly sources: readonly Simulator[],
    readonly targets: readonly Simulator[],
    readonly config: Config,
    readonly temporal: TemporalClient,
    readonly store: Store,
    readonly worker: WorkerProcess,
  ) {}

  static async open({ portals, groups }: FleetOptions): Promise<Fleet> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-soak-'));
    const start = (name: string, version: string): Promise<Simulator> =>
      startSimulator({ name, version, state: path.join(folder, name), jobMs: JOB_MS, jobPolls: 1 });
    const many = async (name: string, version: string): Promise<Simulator[]> => {
      const started: Simulator[] = [];
      for (let number = 0; number < portals; number++)
        started.push(await start(`${name}-${number}`, version));
      return started;
    };
    const sources = await many('source', '11.3');
    const targets = await many('target', '11.4');
    const ends = Array.from({ length: groups }, (_, number) => ({
      source: number % portals,
      target: (number + Math.floor(number / portals)) % portals,
    }));
    const file = path.join(folder, 'portolan.yaml');
    await writeFile(path.join(folder, 'secret'), 'owner-pw', { mode: 0o600 });
    const portal = ({ url }: Simulator): object => ({
      url,
      auth: { type: 'password', username: 'owner', password: { file: './secret' } },
      timeout: RESPONSE_TIMEOUT,
    });
    const named = (side: string, all: readonly Simulator[]): [string, object][] =>
      all.map((each, number) => [`${side}-${number}`, portal(each)]);
    await writeFile(
      file,
      stringify({
        temporal: { address: temporalAddress(), taskQueue: `soak-${randomBytes(4).toString('hex')}` },
        store: { type: 'local', path: path.join(folder, 'store') },
        portals: Object.fromEntries([...named('source', sources), ...named('target', targets)]),
        routes: Object.fromEntries(
          ends.map(({ source, target }, number) => [
            `group-${number}`,
            {
              source: { portal: `source-${source}`, group: hex('a', number) },
              target: { portal: `target-${target}`, group: hex('b', number) },
              approval: 'none',
              overwrite: true,
            },
          ]),
        ),
      }),
    );
    const config = loadConfig(file);
    const fleet = new Fleet(
      folder,
      sources,
      targets,
      config,
      await connectToTestServer(),
      openStore(config),
      await WorkerProcess.start(file, path.join(folder, 'worker.log')),
    );
    ends.forEach(({ source, target }, number) =>
      fleet.groups.push(plant(number, sources[source]!, targets[target]!)),
    );
    return fleet;
  }

  get portals(): readonly Simulator[] {
    return [...this.sources, ...this.targets];
  }

  /** Starts a sync of a group and returns the id of its run. */
  async sync({ route }: FleetGroup): Promise<string> {
    const request = { route: resolveRoute(this.config, { route }), yes: false };
    return (
      await startRun('sync', { config: this.config, temporal: this.temporal, asker: whoTypes() }, request)
    ).runId;
  }

  /** Workflows of the fleet that are open. */
  async open(): Promise<string[]> {
    const query = `TaskQueue = "${this.config.temporal.taskQueue}" AND ExecutionStatus = "Running"`;
    const ids: string[] = [];
    for await (const { workflowId } of this.temporal.client.workflow.list({ query })) ids.push(workflowId);
    return ids;
  }

  /** Ids of packages, and of everything else on a target that no group has there. */
  strangers(): string[] {
    const desired = new Set(this.groups.flatMap(({ itemIds }) => itemIds));
    return this.portals.flatMap((portal) =>
      [...portal.world.items.values()]
        .filter(({ id }) => !desired.has(id))
        .map(({ id, title }) => `${portal.settings.name}: ${title} ${id}`),
    );
  }

  /** Files of the store that only a run under way needs. */
  async storeLeftovers(): Promise<string[]> {
    const files = await readdir(path.join(this.folder, 'store'), { recursive: true });
    return files.filter((file) => /^packages\/.|\/working\/|\.(part|tmp)$/.test(file));
  }

  async close(): Promise<void> {
    await this.worker.stop();
    await this.temporal.connection.close();
    await Promise.all(this.portals.map((portal) => portal.close()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A group on either side, with three items on its source. */
export function plant(number: number, source: Simulator, target: Simulator): FleetGroup {
  const [sourceId, targetId] = [hex('a', number), hex('b', number)];
  new SeedBuilder(target.world).group(targetId, `Group ${number}`);
  new SeedBuilder(source.world).group(sourceId, `Group ${number}`);
  const group = { route: `group-${number}`, source, target, sourceId, targetId, itemIds: [] };
  addItem(group, 'CSV', 2 * KB);
  addItem(group, 'CSV', 64);
  addItem(group, 'Image', number % BIG_EVERY === BIG_EVERY - 1 ? BIG : 300 * KB);
  return group;
}

/** An item comes to a group on its source. */
function addItem({ itemIds, source, sourceId }: FleetGroup, type: 'CSV' | 'Image', bytes: number): void {
  const number = parseInt(sourceId.slice(1), 16);
  const id = hex('c', number, itemIds.length);
  const name = type === 'CSV' ? 'counts.csv' : 'mosaic.tif';
  const fields = { id, title: `Item ${number}.${itemIds.length}`, type, name, groups: [sourceId] };
  new SeedBuilder(source.world).generated(fields, bytes, 1 + (number % 200));
  itemIds.push(id);
}

/** Its first item gets another content, and a new one comes: the next sync overwrites, and makes one. */
export function edit(group: FleetGroup): void {
  const { items } = group.source.world;
  const item = items.get(group.itemIds[0]!)!;
  items.put(item.id, { ...item, data: { kind: 'generated', seed: 255 }, modified: Date.now() });
  addItem(group, 'CSV', KB);
}

/** Items whose bytes on the target are not those of the source, or that are not in the group there. */
export async function differences({ source, target, targetId, itemIds }: FleetGroup): Promise<string[]> {
  const wrong: string[] = [];
  for (const id of itemIds) {
    const [here, there] = [source, target].map(({ world }) => world.items.get(id));
    if (!here || !there || !there.groups.includes(targetId)) wrong.push(`${id} is missing`);
    else if (
      (await sha256(source.world.files.readData(here))) !== (await sha256(target.world.files.readData(there)))
    )
      wrong.push(`${id} has other bytes`);
  }
  return wrong;
}

async function sha256(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Jobs of one kind for one group that a portal has begun. */
export const jobsOf = (portal: Simulator, type: JobRecord['type'], groupId: string): JobRecord[] =>
  [...portal.world.jobs.values()].filter((job) => job.type === type && job.groupId === groupId);

/** The most jobs of one kind that a portal worked on at a time. */
export function highestConcurrency(portal: Simulator, type: JobRecord['type']): number {
  const moments = [...portal.world.jobs.values()]
    .filter((job) => job.type === type)
    .flatMap(({ created, modified }) => [
      { at: created, change: 1 },
      { at: modified, change: -1 },
    ])
    .sort((one, other) => one.at - other.at || one.change - other.change);
  let [now, most] = [0, 0];
  for (const { change } of moments) most = Math.max(most, (now += change));
  return most;
}
