import { whoTypes } from '../../src/service/run/who';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { forgetPeak, peakBytes, residentBytes } from '../../bench/process-memory';
import { startRun } from '../../src/service/run/start-run';
import type { Config } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { resolveRoute } from '../../src/config/resolve-route';
import { messageNames } from '../../src/model/run/run-input';
import { runRecord, type RunRecord } from '../../src/model/run/run';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';
import { openStore } from '../../src/store/open-store';
import { keys } from '../../src/store/keys';
import { connectTemporal, type TemporalClient } from '../../src/temporal/connection';
import { Portolan } from '../support/child';
import { signed } from '../support/control';
import { freeServerPort } from '../support/free-port';
import { Wire } from '../harness/wire';
import type { Harm } from './harms';
import { copied, plantHostile, plantHonest } from './seeds';

export interface SiteOptions {
  /** A portal each, and a route of the same name. */
  readonly hostile: readonly (Pick<Harm, 'replies' | 'group' | 'isTarget'> & { readonly name: string })[];
  /** How long hostile portals may take to begin an answer. */
  readonly responseTimeout: string;
  /** A worker for the server at this address, in place of `up`. */
  readonly temporal?: string;
}

const LOOK_EVERY_MS = 200;
const over: ReadonlySet<string> = new Set([
  ...['succeeded', 'partial', 'failed', 'cancelled', 'parked', 'nothing-to-do'],
]);

/** `portolan up`, or a worker, with hostile portals, each on a route of its name, and a good pair on the route `good`. */
export class HarmSite {
  /** What the process had resident before the first harm. @format bytes */
  idle: number | undefined;

  private constructor(
    readonly folder: string,
    readonly config: Config,
    private readonly portals: readonly Simulator[],
    private readonly fronts: readonly Wire[],
    private readonly up: Portolan,
    private readonly temporal: TemporalClient,
  ) {}

  static async open({ hostile, responseTimeout, temporal: server }: SiteOptions): Promise<HarmSite> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-harm-'));
    const start = (name: string, version: string, failExport: string[] = []): Promise<Simulator> =>
      startSimulator({
        name,
        failExport,
        version,
        state: path.join(folder, name),
        jobPolls: 0,
        commitLagMs: 0,
      });
    const [taken, staging, production] = await Promise.all([
      start('taken', '11.2', [copied.item]),
      start('staging', '11.2'),
      start('production', '11.4'),
    ]);
    const groups = await plantHostile(taken);
    const good = plantHonest(staging, production);
    const fronts: Record<string, Wire> = {};
    for (const { name, replies } of hostile) fronts[name] = await Wire.to(taken.url, { replies });
    await writeFile(path.join(folder, 'secret'), 'owner-pw', { mode: 0o600 });
    const auth = { type: 'password', username: 'owner', password: { file: './secret' } };
    const target = { portal: 'production', group: good.target };
    const file = path.join(folder, 'portolan.yaml');
    const address = server ?? `127.0.0.1:${await freeServerPort()}`;
    await writeFile(
      file,
      stringify({
        temporal: { address, taskQueue: `harm-${randomBytes(4).toString('hex')}` },
        store: { type: 'local', path: path.join(folder, 'store') },
        limits: { packageBytes: '64MB', itemBytes: '32MB' },
        portals: {
          staging: { url: staging.url, auth },
          production: { url: production.url, auth },
          ...Object.fromEntries(
            Object.entries(fronts).map(([name, { url }]) => [name, { url, auth, timeout: responseTimeout }]),
          ),
        },
        routes: {
          good: {
            source: { portal: 'staging', group: good.source },
            target,
            approval: 'none',
            overwrite: true,
          },
          ...Object.fromEntries(
            hostile.map(({ name, group, isTarget }) => [
              name,
              {
                ...(isTarget
                  ? {
                      source: { portal: 'staging', group: copied.source },
                      target: { portal: name, group: copied.target },
                      overwrite: true,
                    }
                  : { source: { portal: name, group: group ?? groups.small }, target }),
                approval: 'none',
              },
            ]),
          ),
        },
      }),
    );
    const up = new Portolan(server ? ['worker'] : ['up'], { cwd: folder });
    await up.says(server ? ' polls ' : 'ready; ');
    const config = loadConfig(file);
    const temporal = await connectTemporal({ address: config.temporal.address }, 'default');
    return new HarmSite(folder, config, [taken, staging, production], Object.values(fronts), up, temporal);
  }

  private get pid(): number {
    return this.up.child.pid ?? 0;
  }

  get lives(): boolean {
    return this.up.child.exitCode === null && this.up.child.signalCode === null;
  }

  /** From here on memory is measured. */
  async rest(): Promise<void> {
    this.idle = await residentBytes(this.pid);
    await forgetPeak(this.pid);
  }

  /** What the process has had at most since `rest`, over what it had then; nought where the system does not tell. */
  async grown(): Promise<number> {
    const peak = await peakBytes(this.pid);
    return peak === undefined || this.idle === undefined ? 0 : peak - this.idle;
  }

  /** Syncs a route until it is over or parked. */
  async sync(route: string): Promise<RunRecord> {
    // Every sync of the good pair has something to write.
    const world = this.portals[1]!.world;
    const modified = world.now();
    for (const { id } of world.items.values())
      world.items.change(id, { snippet: `at ${modified}`, modified });
    const request = { route: resolveRoute(this.config, { route }, { full: true }), yes: false };
    const { runId } = await startRun(
      'sync',
      { config: this.config, temporal: this.temporal, asker: whoTypes() },
      request,
    );
    return await this.ended(runId);
  }

  /** Ends a run that is parked. */
  async cancel(runId: string): Promise<RunRecord> {
    const handle = this.temporal.client.workflow.getHandle(runId);
    const { cancel } = messageNames;
    await handle.signal(cancel, await signed(this.config, handle, cancel, { who: 'test' }));
    await handle.result().catch(() => undefined);
    return await this.ended(runId);
  }

  private async ended(runId: string): Promise<RunRecord> {
    const store = openStore(this.config);
    for (;;) {
      const record = await store.readJson(keys.record(runId), runRecord).catch(() => undefined);
      if (
        record &&
        over.has(record.status) &&
        (record.finishedAt !== undefined || record.status === 'parked')
      )
        return record;
      if (!this.lives) throw new Error(`up has ended:\n${this.up.stderr}`);
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Files of the store that are of a run, unfinished ones too, with their sizes in bytes. */
  async files(runId: string): Promise<{ file: string; bytes: number }[]> {
    const store = path.join(this.folder, 'store');
    const all = await readdir(store, { recursive: true });
    const ours = all.filter((file) => file.includes(runId));
    const found = await Promise.all(
      ours.map(async (file) => ({ file, seen: await stat(path.join(store, file)) })),
    );
    return found.filter(({ seen }) => seen.isFile()).map(({ file, seen }) => ({ file, bytes: seen.size }));
  }

  async close(): Promise<void> {
    await this.temporal.connection.close();
    this.up.child.kill('SIGTERM');
    await this.up.ended;
    await Promise.all([...this.fronts, ...this.portals].map((each) => each.close()));
    await rm(this.folder, { recursive: true, force: true });
  }
}
