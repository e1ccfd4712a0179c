import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { peakBytes } from '../../bench/process-memory';
import type { Config } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { runRecord, type RunRecord } from '../../src/model/run/run';
import { transportGroupId, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { keys } from '../../src/store/keys';
import type { Store } from '../../src/store/store';
import { openStore } from '../../src/store/open-store';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { withTemporal } from '../../src/temporal/connection';
import { startTemporalServer, type TemporalServer } from '../../src/temporal/dev-server/temporal-server';
import { Portolan } from '../support/child';
import { freeServerPort } from '../support/free-port';
import { inProcess } from '../support/in-process';
import type { Kind } from './kinds';
import { Pair } from './pair';

/** Files, without folders and drafts. */
export const isStored = /\.(json|epk|br)$/;

/** Who runs the workflows: `up`, or a worker beside a server of its own. */
export type Staff = 'up' | 'worker';
type Program = Staff | 'serve';
export type Part = Program | 'temporal';

const ready = { up: 'ready; ', worker: ' polls ', serve: 'serving at' } as const;

const POLL_MS = 200;
/** Of the test run, if it has one. */
const shared = process.env['PORTOLAN_TEST_TEMPORAL'];
/** What takes commands is back by then. */
const AWAY_MS = 60_000;
/** A run that has not ended by then hangs: reads that fail end one after half an hour. */
const LIMIT_MS = 40 * 60_000;

/** Portolan on one machine, each part a process of its own, with a pair of portals for each run of one kind. */
export class World {
  private readonly pairs = new Map<number, Pair>();
  private opened = 0;
  /** Of portolan.yaml as it is now. */
  config!: Config;
  store!: Store;
  private readonly programs: Partial<Record<Program, Portolan>> = {};
  private server: TemporalServer | undefined;
  private deaths = 0;
  private isClosed = false;
  private readonly taskQueue = `harness-${randomBytes(4).toString('hex')}`;

  private constructor(
    readonly kind: Kind,
    readonly folder: string,
    readonly port: number,
  ) {}

  static async open(kind: Kind): Promise<World> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-harness-'));
    writeFileSync(path.join(folder, 'secret'), 'owner-pw\n', { mode: 0o600 });
    return new World(kind, folder, await freeServerPort());
  }

  get file(): string {
    return path.join(this.folder, 'portolan.yaml');
  }

  /** Address of a Temporal server that others run. */
  private get external(): string | undefined {
    return this.kind.temporal ?? shared;
  }

  get up(): Portolan | undefined {
    return this.programs.up;
  }

  get storeFolder(): string {
    return path.join(this.folder, 'var', 'store');
  }

  /** Paths of all that is in the store. */
  stored(): string[] {
    try {
      return readdirSync(this.storeFolder, { recursive: true }).map(String);
    } catch {
      // Folders are removed meanwhile.
      return [];
    }
  }

  /** Opens more pairs and starts the staff that knows them, then does what comes before each run. */
  async add(count: number, staff: Staff): Promise<Pair[]> {
    const added: Pair[] = [];
    for (let each = 0; each < count; each += 1) {
      const pair = await Pair.open(this.folder, this.opened++, this.kind.seeds ?? {});
      this.pairs.set(pair.number, pair);
      added.push(pair);
    }
    for (const pair of added) await this.kind.furnish?.(pair);
    await this.kill('serve', 'up', 'worker');
    this.configure(staff);
    await this.start(staff);
    await Promise.all(added.map(async (pair) => this.kind.before?.(pair, this)));
    return added;
  }

  /** Ends with the pairs of a batch, so that the next one has the machine to itself. */
  async closePairs(pairs: readonly Pair[]): Promise<void> {
    for (const pair of pairs) {
      await pair.close();
      this.pairs.delete(pair.number);
    }
  }

  private configure(staff: Staff): void {
    const auth = { type: 'password', username: 'owner', password: { file: './secret' } };
    const pairs = [...this.pairs.values()];
    const sections: Record<string, Record<string, unknown>> = { portals: {}, routes: {} };
    const put = (section: string, entries: Record<string, unknown>): void =>
      void (sections[section] = { ...sections[section], ...entries });
    for (const pair of pairs) {
      const ends = {
        source: { portal: pair.name('source'), group: transportGroupId },
        target: { portal: pair.name('target'), group: transportTargetGroupId },
        overwrite: true,
        data: 'replace',
        ...this.kind.route?.(pair),
      };
      put('portals', {
        [pair.name('source')]: { url: pair.wires.source.url, auth, ...this.kind.sourcePortal },
        [pair.name('target')]: { url: pair.wires.target.url, auth, ...this.kind.targetPortal },
      });
      put('routes', {
        [pair.free]: { ...ends, approval: 'none' },
        [pair.asks]: { ...ends, approval: 'ask' },
      });
      for (const [section, entries] of Object.entries(this.kind.sections?.(pair) ?? {}))
        put(section, entries);
    }
    const [first] = pairs;
    const packageBytes = first && this.kind.packageBytes?.(first);
    const config = {
      // Runs that are held at a transfer keep its slot.
      temporal: {
        address: (staff === 'worker' && this.external) || `127.0.0.1:${this.port}`,
        taskQueue: this.taskQueue,
        worker: { transfers: 64 },
      },
      ...sections,
      ...(packageBytes !== undefined && { limits: { packageBytes } }),
      ...this.kind.config,
    };
    writeFileSync(this.file, stringify(config, { aliasDuplicateObjects: false }));
    this.config = loadConfig(this.file);
    // One for all looks: each would keep connections to a bucket.
    this.store ??= openStore(this.config);
    if (this.kind.server) writeFileSync(this.clientFile, stringify({ server: this.kind.server }));
  }

  private get clientFile(): string {
    return this.kind.server ? path.join(this.folder, 'client.yaml') : this.file;
  }

  /** Runs a command. @throws Error unless it exits with status 0 */
  async typed(...args: string[]): Promise<string> {
    for (const began = Date.now(); ; await sleep(POLL_MS)) {
      const { status, stdout, stderr } = await inProcess([...args, '--config', this.clientFile]);
      if (status === 0) return stdout;
      // A busy machine may answer too late, and a killed server comes back.
      if (Date.now() - began > AWAY_MS || !/(TEMPORAL|SERVER)_UNREACHABLE/.test(stderr))
        throw new Error(`portolan ${args.join(' ')} ended ${status}: ${stderr}`);
    }
  }

  /** Starts a run by its command. @returns its ID */
  async begin(...args: readonly string[]): Promise<string> {
    const text = await this.typed(...args, '-o', 'json');
    return (JSON.parse(text) as { runId: string }).runId;
  }

  /** Runs a command to its end, which must be a good one. */
  async complete(...args: readonly string[]): Promise<RunRecord> {
    const runId = await this.begin(...args);
    const record = await this.ended(runId);
    if (record.status !== 'succeeded')
      throw new Error(
        `${args.join(' ')} ended ${record.status}: ${record.error?.message ?? record.parked?.reason}`,
      );
    return record;
  }

  readonly record = (runId: string): Promise<RunRecord | undefined> =>
    this.store.readJson(keys.record(runId), runRecord);

  /** The record once the run has ended, or is parked more often than before. */
  async ended(runId: string, parks = 0): Promise<RunRecord> {
    return await this.reached(
      runId,
      ({ finishedAt, parked, status }) =>
        finishedAt !== undefined || (status === 'parked' && (parked?.count ?? 0) > parks),
    );
  }

  async reached(runId: string, isSo: (record: RunRecord) => boolean): Promise<RunRecord> {
    for (const began = Date.now(); ; await sleep(POLL_MS)) {
      const record = await this.record(runId).catch(() => undefined);
      if (record && isSo(record)) return record;
      if (this.isClosed) throw new Error(`closed before ${runId} came to it`);
      for (const [program, { child, stderr }] of Object.entries(this.programs))
        if (child.exitCode !== null) throw new Error(`${program} ended by itself: ${stderr}`);
      if (Date.now() - began > LIMIT_MS)
        throw new Error(`${runId} hangs: ${record?.status}, ${record?.phases.at(-1)?.name}`);
    }
  }

  /** Resolves when Temporal no longer runs it, or is away. */
  async closed(runId: string): Promise<void> {
    await withTemporal(this.config, ({ client }) => client.workflow.getHandle(runId).result()).catch(
      () => undefined,
    );
  }

  async start(program: Program): Promise<void> {
    if (program === 'worker' && !this.external) await this.startServer();
    if (program === 'up') {
      await this.server?.stop();
      this.server = undefined;
      this.deaths = 0;
    }
    const started = new Portolan([program], { cwd: this.folder });
    this.programs[program] = started;
    await started.says(ready[program]);
    if (program === 'worker' && this.kind.server) await this.start('serve');
  }

  /** Temporal on the database of `up`, which is killed. */
  async startServer(): Promise<void> {
    await this.kill('up');
    const state = path.join(this.folder, 'var', 'temporal');
    this.server ??= await startTemporalServer({
      cli: (await findTemporalCli()).path,
      address: `127.0.0.1:${this.port}`,
      database: path.join(state, 'temporal.sqlite'),
      logFile: path.join(state, 'temporal.log'),
    });
  }

  /** Kills without waiting. */
  strike(part: Part): void {
    if (part !== 'temporal') return void this.programs[part]?.child.kill('SIGKILL');
    this.deaths += 1;
    process.kill(this.serverPid(), 'SIGKILL');
  }

  async bringBack(part: Part): Promise<void> {
    if (part === 'temporal') return await this.up?.says('Temporal is running again', this.deaths);
    await this.kill(part);
    await this.start(part);
  }

  get workerPid(): number {
    return this.programs.worker?.child.pid ?? 0;
  }

  /** The most memory that the worker has had. @format bytes */
  async peak(): Promise<number> {
    return (await peakBytes(this.workerPid)) ?? 0;
  }

  /** The process of the Temporal server that `up` runs. */
  serverPid(): number {
    const pid = this.up?.child.pid;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const server = children.find((child) =>
      readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('start-dev'),
    );
    if (server === undefined) throw new Error('up runs no server');
    return Number(server);
  }

  private async kill(...programs: readonly Program[]): Promise<void> {
    for (const program of programs) {
      this.strike(program);
      await this.programs[program]?.ended;
      delete this.programs[program];
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.kill('serve', 'up', 'worker');
    await this.server?.stop();
    for (const pair of this.pairs.values()) await pair.close();
    // A server of a program that was killed may still write.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
