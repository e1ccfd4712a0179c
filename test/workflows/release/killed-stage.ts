import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import type { PromotionEntry } from '../../../src/model/release/promotion';
import type { FaultRule } from '../../../src/simulator/faults';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { builtInUsers } from '../../../src/simulator/seed/users';
import { keys } from '../../../src/store/keys';
import { findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../../src/temporal/dev-server/temporal-server';
import { type Ended, Portolan } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { Site } from '../../support/site';
import { until } from '../../support/until';
import { portrait } from '../snapshot/portrait';
import { jsonOf } from '../../support/json';

export const appsGroupId = 'e0000000000000000000000000000077';
/** Items of the release: of each group the first one is on the stage already, and the second one is not. */
export const roadIds = ['c0000000000000000000000000000001', 'c0000000000000000000000000000002'] as const;
export const appIds = ['e7000000000000000000000000000001', 'e7000000000000000000000000000002'] as const;

const signs = (host: string): string => `https://${host}.example.com/server/rest/services/Signs/MapServer`;
const stageOptions = { overwriting: 'replace', refuseForeign: false } as const;

const hashOfBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Where a run is when it is struck. */
export interface Moment {
  /** A request to the stage's portal that is held; it is let go on once the worker is dead. */
  readonly held?: Omit<FaultRule, 'do'>;
  /** What its record says, or what lies in the store. */
  readonly isThere?: (site: StageSite, record: RunRecord) => boolean;
  /** It waits for a yes, which it is given afterwards. @default given before */
  readonly unanswered?: boolean;
  /** The check of the stage goes on until then. */
  readonly holdsCheck?: boolean;
  /** The same, of the first such request behind the check of the stage. */
  readonly heldAfterCheck?: Omit<FaultRule, 'do'>;
  /** What is killed with the worker: Temporal's server with -9 too, or the portal of the stage, which comes back. */
  readonly with?: 'server' | 'portal';
}

/** A pipeline of two groups whose stage takes all there is, with a worker that is a process of its own. */
export class StageSite {
  private worker: Portolan | undefined;
  private earlier: ReadonlySet<string> = new Set();

  private constructor(
    readonly at: Site,
    private readonly server: TemporalServer,
  ) {}

  static async open(stage: Record<string, unknown> = {}): Promise<StageSite> {
    // One of its own: it is killed too.
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-killed-stage-'));
    const server = await startTemporalServer({
      cli: (await findTemporalCli()).path,
      address: '127.0.0.1:0',
      database: path.join(folder, 'temporal.sqlite'),
      logFile: path.join(folder, 'temporal.log'),
    });
    const at = await Site.open({
      temporal: server.address,
      worker: false,
      listed: true,
      user: builtInUsers.admin,
      source: { seed: 'many', seedItems: 2 },
      target: { seed: 'empty', ...stageOptions },
      names: { source: 'dev', target: 'live' },
      config: {
        routes: {},
        pipelines: {
          transport: {
            groups: ['roads', 'apps'],
            settings: true,
            categories: true,
            stages: {
              dev: { portal: 'dev', groups: { roads: manyGroupId, apps: appsGroupId } },
              live: {
                portal: 'live',
                groups: { roads: emptyGroupId, apps: appsGroupId },
                settings: true,
                categories: true,
                owners: { default: 'viewer' },
                map: { urls: { 'https://dev-gis.example.com': 'https://gis.example.com' } },
                checks: [{ name: 'smoke', command: './smoke.sh' }],
                ...stage,
              },
            },
          },
        },
      },
    });
    const site = new StageSite(at, server);
    await site.furnish();
    return site;
  }

  /** What people have arranged on both portals. */
  private async furnish(): Promise<void> {
    const { source, target } = this.at;
    const [dev, live] = [new SeedBuilder(source.world), new SeedBuilder(target.world, 'admin')];
    dev.group(appsGroupId, 'Apps');
    live.group(appsGroupId, 'Apps');
    for (const [index, id] of appIds.entries()) {
      const app = { id, title: `Closures ${index + 1}`, type: 'Web Map', groups: [appsGroupId] };
      await dev.file(app, { operationalLayers: [{ url: signs('dev-gis') }] });
    }
    source.world.folders.put('f1', { id: 'f1', username: 'owner', title: 'Maps of roads', created: 1 });
    source.world.items.change(appIds[1], { ownerFolder: 'f1', access: 'org', protected: true });
    target.world.folders.put('f2', { id: 'f2', username: 'admin', title: 'Of the stage', created: 1 });
    const there = { ownerFolder: 'f2', access: 'org', protected: true } as const;
    const road = { id: roadIds[0], title: 'Counts of before', type: 'CSV', name: 'counts.csv' };
    await live.file({ ...road, ...there, groups: [emptyGroupId] }, 'a,b\n1,2\n');
    const map = { id: appIds[0], title: 'Closures of before', type: 'Web Map' };
    const old = { operationalLayers: [{ url: signs('old-gis') }] };
    await live.file({ ...map, ...there, groups: [appsGroupId] }, old);
    const notice = (text: string) => ({ title: 'Open data', text, buttons: 'okOnly', enabled: true });
    const schema = (title: string) => [{ title: 'Themes', categories: [{ title }] }];
    for (const [{ world }, word] of [
      [source, 'Roads'],
      [target, 'Rivers'],
    ] as const)
      world.changePortal({
        settings: { ...world.portal.settings, anonymousAccessNotice: notice(word) },
        categorySchema: schema(word),
      });
    this.check(0);
  }

  /** What the check of the stage ends with. It goes on as long as a file says so. */
  check(status: number): void {
    const { folder } = this.at;
    const lines = [
      '#!/bin/sh',
      'echo began >> began',
      'while [ -e hold ]; do sleep 0.1; done',
      `exit ${status}`,
    ];
    writeFileSync(path.join(folder, 'smoke.sh'), `${lines.join('\n')}\n`, { mode: 0o755 });
  }

  get checkBegan(): boolean {
    return existsSync(path.join(this.at.folder, 'began'));
  }

  private holdCheck(holds: boolean): void {
    if (holds) writeFileSync(path.join(this.at.folder, 'hold'), '');
    else rmSync(path.join(this.at.folder, 'hold'), { force: true });
  }

  run(...args: string[]): Promise<Ended> {
    return inProcess(args, { cwd: this.at.folder });
  }

  async recordOf(...args: string[]): Promise<RunRecord> {
    return runRecord.parse(jsonOf(await this.run(...args, '-o', 'json')));
  }

  /** A release of dev, with nothing of it on the stage. */
  async release(): Promise<void> {
    await this.startWorker();
    const { status, error } = await this.recordOf('release', 'create', 'transport');
    if (status !== 'succeeded') throw new Error(error?.message);
    await this.killWorker();
  }

  /** Starts a run, kills its worker with -9 at a moment, and what the moment names, starts another one, and sees the run to its end. */
  async killAt(moment: Moment | undefined, args: readonly string[]): Promise<RunRecord> {
    rmSync(path.join(this.at.folder, 'began'), { force: true });
    this.holdCheck(moment?.holdsCheck === true || moment?.heldAfterCheck !== undefined);
    this.earlier = new Set([...this.at.target.world.jobs.values()].map(({ id }) => id));
    await this.startWorker();
    const { runId } = await this.recordOf(...args, '--no-wait');
    const waiting = await this.comesTo(runId, 'waiting');
    const say = async (): Promise<void> => {
      const said = await this.run('run', 'approve', runId, '--plan', waiting.plan?.hash ?? '');
      if (said.status !== 0) throw new Error(said.stderr);
    };
    if (moment?.held) this.at.target.faults.add({ ...moment.held, do: 'hold' });
    if (!moment?.unanswered) await say();
    if (moment?.heldAfterCheck) {
      await until('the check to begin', () => this.checkBegan);
      this.at.target.faults.add({ ...moment.heldAfterCheck, do: 'hold' });
      this.holdCheck(false);
    }
    if (moment) {
      await until('the moment to come', async () => {
        const record = await this.recordOf('run', 'show', runId);
        if (record.finishedAt !== undefined)
          throw new Error(`over: ${record.error?.message ?? record.status}`);
        if (moment.held ?? moment.heldAfterCheck) return this.at.target.faults.holding > 0;
        return moment.isThere?.(this, record) ?? true;
      });
      if (moment.with === 'server') await Promise.all([this.killServer(), this.killWorker()]);
      else await this.killWorker();
      this.at.target.faults.clear();
      this.holdCheck(false);
      if (moment.with === 'portal') await this.at.upgrade('target', '11.4', stageOptions);
      await this.startWorker();
    }
    if (moment?.unanswered) await say();
    const record = await until(
      `${runId} to end`,
      () => this.recordOf('run', 'show', runId),
      ({ status, finishedAt }) => finishedAt !== undefined || status === 'parked',
    );
    if (record.status !== 'parked') await this.killWorker();
    return record;
  }

  async comesTo(runId: string, status: string): Promise<RunRecord> {
    const record = await until(
      `${runId} to be ${status}`,
      () => this.recordOf('run', 'show', runId),
      (each) => each.status === status || each.finishedAt !== undefined,
    );
    if (record.status !== status) throw new Error(`${record.status}: ${record.error?.message ?? ''}`);
    return record;
  }

  /** Groups into which something was imported since a run began, once for each import. */
  imports(): string[] {
    return [...this.at.target.world.jobs.values()]
      .filter(({ id, type }) => type === 'import' && !this.earlier.has(id))
      .map(({ groupId }) => (groupId === appsGroupId ? 'apps' : 'roads'));
  }

  /** All that people see of the stage, folders by their titles. */
  async stage(): Promise<unknown> {
    const { target } = this.at;
    const { folders, portal } = target.world;
    const titles = new Map([...folders.values()].map(({ id, title }) => [id, title]));
    const items = (await portrait(target)) as Record<
      string,
      { ownerFolder?: string | null; sha256?: string }
    >;
    for (const [id, each] of Object.entries(items)) {
      each.ownerFolder = titles.get(each.ownerFolder ?? '') ?? each.ownerFolder;
      // An import keeps small data with the item.
      const data = target.world.items.get(id)?.data;
      if (data?.kind === 'inline') each.sha256 = hashOfBytes(Buffer.from(data.base64, 'base64'));
    }
    return {
      items,
      folders: [...folders.values()].map(({ username, title }) => `${username}/${title}`).sort(),
      settings: portal.settings,
      categories: portal.categorySchema,
    };
  }

  async entries(): Promise<PromotionEntry[]> {
    const { stdout } = await this.run('promote', 'history', 'transport', '-o', 'json');
    return (JSON.parse(stdout) as { entries: PromotionEntry[] }).entries;
  }

  /** Working files of a run and its parts, which nobody needs any more. */
  async workingFiles(record: RunRecord): Promise<string[]> {
    const all = [record.runId, ...(record.children ?? []).map(({ runId }) => runId)];
    const names = await Promise.all(
      all.map(async (runId) =>
        (await this.at.store.names(keys.working(runId))).map((name) => `${runId}/${name}`),
      ),
    );
    return names.flat();
  }

  /** Packages that lie with nobody to use them. */
  async packages(): Promise<string[]> {
    return [...this.at.packages(), ...(await this.at.store.names(keys.packages))];
  }

  async startWorker(): Promise<void> {
    if (this.worker) return;
    this.worker = new Portolan(['worker'], { cwd: this.at.folder });
    await this.worker.says(' polls ');
  }

  async killWorker(): Promise<void> {
    this.worker?.child.kill('SIGKILL');
    await this.worker?.ended;
    this.worker = undefined;
  }

  /** It comes back on the same file by itself. */
  private async killServer(): Promise<void> {
    const killed = this.server.pid();
    process.kill(killed, 'SIGKILL');
    await until(
      "the return of Temporal's server",
      () => this.at.temporal.client.workflow.count(),
      () => this.server.pid() !== killed,
    );
  }

  async close(): Promise<void> {
    this.holdCheck(false);
    this.at.target.faults.clear();
    await this.killWorker();
    await this.at.close();
    await this.server.stop();
  }
}
