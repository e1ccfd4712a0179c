import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { freeServerPort } from '../support/free-port';
import { signalProcess, stateFileOf } from '../../src/temporal/dev-server/server-state';
import type { RunRecord } from '../../src/model/run/run';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import { type Ended, portolan, Portolan } from '../support/child';
import { type Play, SimulatedPortal } from './simulated-portal';
import type { Mark } from './promises';
import { until } from './until';
import { Wire } from './wire';

export const groupId = 'ca000000000000000000000000000001';

/** Just over the size from which a file goes up in parts: two of them, and a small one. */
const imageBytes = 65 * 1024 ** 2;

export const items = {
  mosaic: 'ca0000000000000000000000000000a1',
  counts: 'ca0000000000000000000000000000a2',
} as const;

/** Another image, where a group has one. */
export const reliefId = 'ca0000000000000000000000000000a3';

export interface SiteOptions {
  readonly source?: Play;
  readonly target?: Play;
  /** Bytes of the image in the group. @default so many that its package goes up in three parts */
  readonly imageBytes?: number;
  /** Bytes of another image in the group. @default there is none */
  readonly reliefBytes?: number;
  /** Ids of small items that are in the group besides. @default none */
  readonly besides?: readonly string[];
  /** More of portolan.yaml. */
  readonly config?: Record<string, unknown>;
  /** More of both routes. */
  readonly route?: Record<string, unknown>;
  /** More of the target portal in portolan.yaml. */
  readonly targetPortal?: Record<string, unknown>;
}

/**
 * Portolan as somebody has it on one machine, every part a process of its own: `portolan up`, perhaps a second
 * worker, and the two portals of its routes `free` (no approval) and `asks` (waits for one), which overwrite. What
 * Portolan asks the portals goes over two wires that the tests hold.
 */
export class Site {
  up: Portolan | undefined;
  worker: Portolan | undefined;
  private readonly servers = new Set<number>();
  private readonly lines = new Map<'source' | 'target', Wire>();
  /** The route that was synced last: only of that one is anything known to be as it was brought. */
  lastSynced: string | undefined;
  private edits = 0;
  /** How often the server of this `up` was killed. */
  private deaths = 0;

  private constructor(
    readonly folder: string,
    readonly port: number,
    readonly source: SimulatedPortal,
    readonly target: SimulatedPortal,
    private readonly options: SiteOptions,
  ) {}

  static async open(options: SiteOptions = {}): Promise<Site> {
    const port = await freeServerPort();
    const folder = mkdtempSync(path.join(tmpdir(), 'portolan-chaos-'));
    const site = new Site(
      folder,
      port,
      new SimulatedPortal('staging', '11.2', path.join(folder, 'seed.json'), folder, options.source),
      new SimulatedPortal('production', '11.4', 'empty', folder, options.target),
      options,
    );
    try {
      site.writeSeed(options);
      await Promise.all([site.source.start(), site.target.start()]);
      for (const side of ['source', 'target'] as const) site.lines.set(side, await Wire.to(site[side].url));
      site.configure();
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  /** Ids of what the group holds, by name. */
  get group(): Readonly<Record<string, string>> {
    return this.options.reliefBytes === undefined ? items : { ...items, relief: reliefId };
  }

  /** What lies between Portolan and a portal. */
  wire(side: 'source' | 'target'): Wire {
    const wire = this.lines.get(side);
    if (!wire) throw new Error(`no wire to the ${side}`);
    return wire;
  }

  run(...args: string[]): Promise<Ended> {
    return portolan(args, { cwd: this.folder });
  }

  /** Starts a command and leaves it to itself. */
  begin(...args: string[]): Portolan {
    return new Portolan(args, { cwd: this.folder });
  }

  /** Runs a command that has to end well. */
  async type(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.run(...args);
    if (status !== 0) throw new Error(`portolan ${args.join(' ')} ended ${status}: ${stderr}`);
    return stdout;
  }

  /** Starts a sync and returns the id of its run. */
  async sync(...args: string[]): Promise<string> {
    this.lastSynced = args[0];
    return await this.start('sync', ...args);
  }

  /** Starts a run by its command, and returns its id. */
  async start(...command: string[]): Promise<string> {
    const begun = await this.type(...command, '--no-wait', '-o', 'json');
    return (JSON.parse(begun) as RunRecord).runId;
  }

  /** Runs a command that follows its run to a good end, and returns the run's record. */
  async follow(...command: string[]): Promise<RunRecord> {
    return JSON.parse(await this.type(...command, '-o', 'json')) as RunRecord;
  }

  /**
   * Somebody edits an item of the source, so that the next run has something to do; counts from here.
   * @param touched ids of items whose records are edited besides
   */
  async mark(touched: readonly string[] = []): Promise<Mark> {
    await this.source.write(items.counts, `a,b\n1,${(this.edits += 1)}\n`);
    for (const itemId of touched) await this.source.describe(itemId, `edited ${this.edits} times`);
    const sentSince = (side: 'source' | 'target', desired: string): (() => number) => {
      const { crossings } = this.wire(side);
      const from = crossings.length;
      return () => crossings.slice(from).filter(({ operation }) => operation === desired).length;
    };
    const fromOnLog = this.target.importsPosted().length;
    return {
      exports: sentSince('source', 'group.export'),
      imports: sentSince('target', 'import'),
      importsOnLog: () =>
        this.target
          .importsPosted()
          .slice(fromOnLog)
          .map(({ params }) => params['itemIdList']?.split(',') ?? []),
    };
  }

  /** Writes portolan.yaml. @param packageBytes that a package may weigh; the limit of portals where it is left out */
  configure(packageBytes?: number): void {
    const { config: more, route, targetPortal } = this.options;
    writeFileSync(path.join(this.folder, 'secret'), 'owner-pw\n');
    const auth = { type: 'password', username: 'owner', password: { file: './secret' } };
    const ends = {
      source: { portal: 'staging', group: groupId },
      target: { portal: 'production', group: emptyGroupId },
      overwrite: true,
      ...route,
    };
    const config = {
      temporal: { address: `127.0.0.1:${this.port}` },
      portals: {
        staging: { url: this.wire('source').url, auth },
        production: { url: this.wire('target').url, auth, ...targetPortal },
      },
      routes: { free: { ...ends, approval: 'none' }, asks: { ...ends, approval: 'ask' } },
      ...(packageBytes !== undefined && { limits: { packageBytes } }),
      ...more,
    };
    writeFileSync(path.join(this.folder, 'portolan.yaml'), stringify(config));
  }

  /** Folder of a run in the store. */
  runFolder(runId: string): string {
    return path.join(this.folder, 'var', 'store', 'runs', runId);
  }

  async show(runId: string): Promise<RunRecord> {
    return JSON.parse((await this.run('run', 'show', runId, '-o', 'json')).stdout) as RunRecord;
  }

  /** Resolves when the run waits for an approval. */
  async waits(runId: string): Promise<void> {
    await until(async () => {
      const { status, finishedAt, error } = await this.show(runId);
      if (finishedAt !== undefined) throw new Error(`${runId} ended ${status}: ${error?.message ?? ''}`);
      return status === 'waiting';
    });
  }

  async startUp(): Promise<Portolan> {
    this.up = this.begin('up');
    await this.up.says('ready; ');
    this.deaths = 0;
    this.servers.add(this.serverPid());
    return this.up;
  }

  async startWorker(): Promise<Portolan> {
    this.worker = this.begin('worker');
    await this.worker.says(' polls ');
    return this.worker;
  }

  /** From now on `up` works, or a separate worker alone, whose server goes on without anybody. */
  async staffWith(who: 'up' | 'worker'): Promise<void> {
    if (who === 'up' && !this.up) {
      await this.killWorker();
      await this.startUp();
    }
    if (who === 'worker' && this.up) await this.leaveToWorker();
    if (who === 'worker' && !this.worker) {
      await this.startUp();
      await this.leaveToWorker();
    }
  }

  /** A second worker comes, and kill -9 takes `up`: its server and the second worker go on. */
  async leaveToWorker(): Promise<void> {
    await this.startWorker();
    await this.killUp();
  }

  async killUp(): Promise<void> {
    this.up?.child.kill('SIGKILL');
    await this.up?.ended;
    this.up = undefined;
  }

  async killWorker(): Promise<void> {
    this.worker?.child.kill('SIGKILL');
    await this.worker?.ended;
    this.worker = undefined;
  }

  /** The process of the Temporal server that `up` runs. */
  serverPid(): number {
    const database = path.join(this.folder, 'var', 'temporal', 'temporal.sqlite');
    const state: unknown = JSON.parse(readFileSync(stateFileOf(database), 'utf8'));
    return (state as { server: { pid: number } }).server.pid;
  }

  killServer(): void {
    this.deaths += 1;
    process.kill(this.serverPid(), 'SIGKILL');
  }

  /** Resolves when `up` has brought the server back. */
  async serverIsBack(): Promise<void> {
    await this.up?.says('Temporal is running again', this.deaths);
  }

  async close(): Promise<void> {
    for (const process of [this.worker, this.up]) {
      process?.child.kill('SIGTERM');
      await process?.ended;
    }
    for (const pid of this.servers) signalProcess(pid, 'SIGKILL');
    await Promise.all([this.source.kill(), this.target.kill()]);
    await Promise.all([...this.lines.values()].map((wire) => wire.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private writeSeed({ imageBytes: bytes = imageBytes, reliefBytes, besides = [] }: SiteOptions): void {
    const image = { type: 'Image', name: 'image.tif' };
    const planted = [
      { ...image, id: items.mosaic, title: 'Mosaic', bytes },
      ...(reliefBytes === undefined ? [] : [{ ...image, id: reliefId, title: 'Relief', bytes: reliefBytes }]),
      {
        id: items.counts,
        title: 'Counts',
        type: 'CSV',
        name: 'counts.csv',
        text: 'a,b\n1,2\n',
      },
      ...besides.map((id) => ({ id, title: id, type: 'CSV', name: `${id}.csv`, text: `a,b\n1,${id}\n` })),
    ];
    const seed = { group: { id: groupId, title: 'Coast' }, items: planted };
    writeFileSync(path.join(this.folder, 'seed.json'), JSON.stringify(seed));
  }
}
