import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { freeServerPort } from '../support/free-port';
import { signalProcess } from '../../src/embedded/process-identity';
import { stateFileOf } from '../../src/embedded/server-state';
import type { RunRecord } from '../../src/model/run';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import { type Ended, portolan, Portolan } from '../cli/child';
import { type Play, SimulatedPortal } from './simulated-portal';
import { until } from './until';

const groupId = 'ca000000000000000000000000000001';

/** Over the size from which a file goes up in parts: three parts. */
const imageBytes = 72 * 1024 ** 2;

export interface SiteOptions {
  readonly source?: Play;
  readonly target?: Play;
  /** Bytes of the image in the group. @default so many that its package goes up in three parts */
  readonly imageBytes?: number;
}

/**
 * Portolan as somebody has it on one machine, every part a process of its own: `portolan up`, perhaps a second
 * worker, and the two portals of its routes `free` (no approval) and `strict` (waits for one).
 */
export class Site {
  readonly source: SimulatedPortal;
  readonly target: SimulatedPortal;
  up: Portolan | undefined;
  worker: Portolan | undefined;
  private readonly servers = new Set<number>();

  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {
    this.source = new SimulatedPortal('staging', '11.2', path.join(folder, 'seed.json'), folder);
    this.target = new SimulatedPortal('production', '11.4', 'empty', folder);
  }

  static async open(options: SiteOptions = {}): Promise<Site> {
    const port = await freeServerPort();
    const site = new Site(mkdtempSync(path.join(tmpdir(), 'portolan-crash-')), port);
    try {
      site.writeSeed(options.imageBytes ?? imageBytes);
      await Promise.all([site.source.start(options.source), site.target.start(options.target)]);
      site.writeConfig();
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  run(...args: string[]): Promise<Ended> {
    return portolan(args, { cwd: this.folder });
  }

  /** Starts a command and leaves it to itself. */
  begin(...args: string[]): Portolan {
    return new Portolan(args, { cwd: this.folder });
  }

  /** Starts a sync and returns the id of its run. */
  async sync(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.run('sync', ...args, '--no-wait', '-o', 'json');
    if (status !== 0) throw new Error(`sync ${args.join(' ')} ended ${status}: ${stderr}`);
    return (JSON.parse(stdout) as RunRecord).runId;
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
    this.servers.add(this.serverPid());
    return this.up;
  }

  async startWorker(): Promise<Portolan> {
    this.worker = this.begin('worker');
    await this.worker.says(' polls ');
    return this.worker;
  }

  /** The process of the Temporal server that `up` runs. */
  serverPid(): number {
    const database = path.join(this.folder, 'var', 'temporal', 'temporal.sqlite');
    const state: unknown = JSON.parse(readFileSync(stateFileOf(database), 'utf8'));
    return (state as { server: { pid: number } }).server.pid;
  }

  killServer(): void {
    process.kill(this.serverPid(), 'SIGKILL');
  }

  async close(): Promise<void> {
    for (const process of [this.worker, this.up]) {
      process?.child.kill('SIGTERM');
      await process?.ended;
    }
    for (const pid of this.servers) signalProcess(pid, 'SIGKILL');
    await Promise.all([this.source.kill(), this.target.kill()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private writeSeed(bytes: number): void {
    const items = [
      { id: 'ca0000000000000000000000000000a1', title: 'Mosaic', type: 'Image', name: 'mosaic.tif', bytes },
      {
        id: 'ca0000000000000000000000000000a2',
        title: 'Counts',
        type: 'CSV',
        name: 'counts.csv',
        text: 'a,b\n1,2\n',
      },
    ];
    const seed = { group: { id: groupId, title: 'Coast' }, items };
    writeFileSync(path.join(this.folder, 'seed.json'), JSON.stringify(seed));
  }

  private writeConfig(): void {
    writeFileSync(path.join(this.folder, 'secret'), 'owner-pw\n');
    const auth = { type: 'password', username: 'owner', password: { file: './secret' } };
    const ends = {
      source: { portal: 'staging', group: groupId },
      target: { portal: 'production', group: emptyGroupId },
    };
    const config = {
      temporal: { address: `127.0.0.1:${this.port}` },
      portals: {
        staging: { url: this.source.url, auth },
        production: { url: this.target.url, auth },
      },
      routes: { free: { ...ends, approval: 'none' }, strict: { ...ends, approval: 'required' } },
    };
    writeFileSync(path.join(this.folder, 'portolan.yaml'), stringify(config));
  }
}
