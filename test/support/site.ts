import type { Delivery } from '../../src/contract/delivery';
import { whoTypes } from '../../src/service/run/who';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Identity, Signed } from '../../src/model/run/signature';
import { PortolanError } from '../../src/model/errors/errors';
import { sendAnswer } from '../../src/service/run/send-answer';
import type { WorkflowHandle, WorkflowStartOptions } from '@temporalio/client';
import pino from 'pino';
import { stringify } from 'yaml';
import { keys } from '../../src/store/keys';
import type { Config } from '../../src/config/config';
import { readEncryptionKeys } from '../../src/config/temporal/encryption-keys';
import { temporalConnection } from '../../src/config/temporal/temporal-connection';
import { loadConfig } from '../../src/config/load-config';
import {
  resolveBackup,
  resolveDrill,
  resolveRestore,
  resolveRoute,
  type RouteFlags,
} from '../../src/config/resolve-route';
import { connectTemporal, type TemporalClient } from '../../src/temporal/connection';
import type { RunningWorker } from '../../src/temporal/worker';
import { ledger, type Ledger } from '../../src/model/transfer/ledger';
import { plan, type Plan } from '../../src/model/transfer/plan';
import {
  type Direction,
  portalQueueId,
  portalQueueMemoKey,
  type PortalQueueState,
} from '../../src/model/run/portal-queue';
import type { PhaseName } from '../../src/model/run/phase';
import type { Route, RouteOptions } from '../../src/model/transfer/route';
import { runRecord, type RunRecord, type RouteChange } from '../../src/model/run/run';
import type { RunState } from '../../src/model/run/run-state';
import { memoFor } from '../../src/model/run/start-memo';
import {
  type Approve,
  type BackupInput,
  type Cancel,
  type DrillInput,
  messageNames,
  type Refuse,
  type RestoreInput,
  type Resume,
  type RollbackInput,
  type SyncInput,
} from '../../src/model/run/run-input';
import type { RunningServer } from '../../src/serve/server';
import type { FaultRule } from '../../src/simulator/faults';
import type { SimulatorOptions } from '../../src/simulator/options';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import { routes } from '../../src/simulator/routes';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { builtInUsers } from '../../src/simulator/seed/users';
import { transportGroupId, transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { openControl } from '../../src/domain/control/control';
import { openSnapshots, type Snapshots } from '../../src/domain/snapshot/snapshots';
import { openStore } from '../../src/store/open-store';
import type { Store } from '../../src/store/store';
import { kindKey, routeKey } from '../../src/workflows/run/state';
import { signed } from './control';
import { Wire } from '../harness/wire';
import { ownNamespace, temporalAddress } from './temporal';
import { rest } from './until';
import { startTestWorker } from './worker';
import { query } from './query';

export interface SiteOptions {
  readonly source?: Partial<SimulatorOptions>;
  readonly target?: Partial<SimulatorOptions>;
  /** Groups of the route. @default those of the transport seeds */
  readonly groups?: { readonly source: string; readonly target: string };
  /** Group of `production` into which the route drills. @default it has no drills */
  readonly drillGroup?: string;
  /** Who signs in on both. @default the groups' owner, no administrator */
  readonly user?: { readonly username: string; readonly password: string };
  /** @default 'info' */
  readonly logLevel?: 'trace';
  /**
   * Runs carry what commands find them by, in a namespace of their own, since commands list what others have started
   * in theirs. @default false, but for those that are started regularly
   */
  readonly listed?: boolean;
  /** `false` leaves the worker to the test. */
  readonly worker?: boolean;
  /** Size of the seed's image, which goes up in parts from 64 MB on. @default 1 MB */
  readonly imageBytes?: number;
  /** `staging` is reached through a proxy, which can answer in its place. @default false */
  readonly wired?: boolean;
  /** All that the route's source group holds. @default what its seed does */
  readonly items?: readonly string[];
  /** What the portals are called in portolan.yaml. @default { source: 'staging', target: 'production' } */
  readonly names?: { readonly source: string; readonly target: string };
  /** A portal more, with the name that portolan.yaml has for it. @default none */
  readonly third?: Partial<SimulatorOptions> & { readonly name: string };
  /** More of both portals in portolan.yaml. */
  readonly portals?: Record<string, unknown>;
  /** Address of the Temporal server. @default that of all suites */
  readonly temporal?: string;
  /** By which windows of portals open for the worker. @default the machine's */
  readonly clock?: () => number;
  /** `temporal.encryption` of portolan.yaml. @default none */
  readonly encryption?: unknown;
  /** `temporal.worker.deployment` of portolan.yaml. @default none */
  readonly deployment?: string;
  /** More of portolan.yaml. */
  readonly config?: Record<string, unknown>;
}

type RestoreFlags = Parameters<typeof resolveRestore>[2];
type StartInput = { readonly runId?: string } & Record<string, unknown>;

export interface Ended {
  readonly runId: string;
  readonly handle: WorkflowHandle;
  /** The record as the store keeps it. */
  readonly record: RunRecord;
}

const writing: ReadonlySet<string> = new Set(
  routes.filter(({ method }) => method === 'POST').map(({ operation }) => operation),
);

/** A portal whose jobs end at once. @param state its folder */
const startPortal = (state: string, options: Partial<SimulatorOptions> & { readonly name: string }) =>
  startSimulator({ jobPolls: 0, commitLagMs: 0, version: '11.4', state, ...options });

/** So many items on the source, to be copied into an empty group. */
export const manyItems = (seedItems: number): SiteOptions => ({
  source: { seed: 'many', seedItems },
  target: { seed: 'empty' },
  groups: { source: manyGroupId, target: emptyGroupId },
});

/** What begins an import. */
export const importPost = { operation: 'group.import', params: { previewOnly: 'false' } };

/** In their order. */
export const idsOf = (entries: readonly { readonly itemId: string }[]) =>
  entries.map(({ itemId }) => itemId).sort();

/** Two portals, a worker and a store, and a server on request: what runs of every kind need, for one suite. */
export class Site {
  /** Whoever starts and answers here. */
  readonly asker = whoTypes();
  private constructor(
    readonly folder: string,
    readonly config: Config,
    private readonly portals: Record<'source' | 'target', Simulator>,
    readonly temporal: TemporalClient,
    readonly store: Store,
    private readonly options: SiteOptions,
    private readonly proxy: Wire | undefined,
    private readonly more: Simulator | undefined,
  ) {}

  private worker: RunningWorker | undefined;
  private served: RunningServer | undefined;
  private logged = '';

  get source(): Simulator {
    return this.portals.source;
  }

  get target(): Simulator {
    return this.portals.target;
  }

  get wire(): Wire {
    if (!this.proxy) throw new Error('staging is reached directly');
    return this.proxy;
  }

  get third(): Simulator {
    if (!this.more) throw new Error('there is no third portal');
    return this.more;
  }

  /** Takes a portal away and brings it back, at once and at the same address, by a later release on the same state. */
  async upgrade(
    side: 'source' | 'target',
    version: string,
    options: Partial<SimulatorOptions> = {},
  ): Promise<void> {
    const { stateFolder, settings } = this.portals[side].world;
    await this.portals[side].close();
    this.portals[side] = await startPortal(stateFolder, { ...options, name: settings.name, version });
  }

  static async open(options: SiteOptions = {}): Promise<Site> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-site-'));
    const source = await startPortal(path.join(folder, 'staging'), {
      name: 'staging',
      version: '11.2',
      seed: 'transport',
      ...options.source,
    });
    const target = await startPortal(path.join(folder, 'production'), {
      name: 'production',
      seed: 'transport-target',
      ...options.target,
    });
    const third = options.third && (await startPortal(path.join(folder, 'third'), options.third));
    const { username, password } = options.user ?? builtInUsers.owner;
    const file = path.join(folder, 'portolan.yaml');
    const secret = path.join(folder, 'secret');
    await writeFile(secret, password, { mode: 0o600 });
    const auth = { type: 'password', username, password: { file: secret } };
    const { image } = transportItems;
    if (source.world.items.has(image))
      source.world.items.change(image, { size: options.imageBytes ?? 1024 ** 2 });
    const { groups = { source: transportGroupId, target: transportTargetGroupId }, items } = options;
    if (items)
      for (const { id } of source.world.itemsIn(groups.source))
        if (!items.includes(id)) source.world.items.change(id, { groups: [] });
    const wire = options.wired ? await Wire.to(source.url) : undefined;
    const address = options.temporal ?? temporalAddress();
    const namespace = options.listed ? await ownNamespace(address) : 'default';
    const names = options.names ?? { source: 'staging', target: 'production' };
    await writeFile(
      file,
      stringify({
        temporal: {
          address,
          namespace,
          taskQueue: `site-${randomBytes(4).toString('hex')}`,
          encryption: options.encryption,
          worker: options.deployment && { deployment: options.deployment },
        },
        store: { type: 'local', path: path.join(folder, 'store') },
        portals: {
          [names.source]: { url: wire?.url ?? source.url, auth, ...options.portals },
          [names.target]: { url: target.url, auth, ...options.portals },
          ...(third && { [options.third?.name ?? '']: { url: third.url, auth, ...options.portals } }),
        },
        routes: {
          transport: {
            source: { portal: names.source, group: groups.source },
            target: { portal: names.target, group: groups.target },
            approval: 'none',
            ...(options.drillGroup && {
              backup: { drill: { portal: names.target, group: options.drillGroup } },
            }),
          },
        },
        ...options.config,
      }),
    );
    const config = loadConfig(file);
    const keys = await readEncryptionKeys(config.temporal.encryption);
    const temporal = await connectTemporal(temporalConnection(config.temporal), namespace, keys);
    const site = new Site(
      folder,
      config,
      { source, target },
      temporal,
      openStore(config),
      options,
      wire,
      third,
    );
    if (options.worker !== false) await site.startWorker();
    return site;
  }

  async startWorker(bundlePath?: string): Promise<void> {
    const { logLevel: level, clock } = this.options;
    this.worker = await startTestWorker(this.config, this.folder, { level, bundlePath, clock });
  }

  async stopWorker(): Promise<void> {
    await this.worker?.stop();
    this.worker = undefined;
  }

  /** Starts a server of the same portolan.yaml. */
  async serve(): Promise<RunningServer> {
    // Loaded by the suites that serve.
    const { startServer } = await import('../../src/serve/server.js');
    const logger = pino({ level: 'trace' }, { write: (line: string) => void (this.logged += line) });
    this.served = await startServer(loadConfig(path.join(this.folder, 'portolan.yaml')), logger);
    return this.served;
  }

  get server(): RunningServer {
    if (!this.served) throw new Error('there is no server');
    return this.served;
  }

  /** All that the server has logged, at the level `trace`. */
  log(): string {
    return this.logged;
  }

  route(flags: RouteFlags = {}, options: Partial<RouteOptions> = {}): Route {
    const route = resolveRoute(this.config, { route: 'transport' }, flags);
    return { ...route, options: { ...route.options, ...options } };
  }

  /** Everything is copied, in packages of so many bytes. */
  routeInPackages(packageBytes: number): Route {
    const { limits } = this.route().options;
    return this.route(
      { overwrite: true, data: 'replace', full: true },
      { limits: { ...limits, packageBytes } },
    );
  }

  /** Starts a sync and leaves it to itself. */
  start(route: Route = this.route(), input: Partial<SyncInput> = {}): Promise<WorkflowHandle> {
    const shown = {
      memo: memoFor(route, 'test', input.scheduledBy),
      typedSearchAttributes: [
        { key: kindKey, value: 'sync' },
        { key: routeKey, value: route.name },
      ],
    };
    const isShown = this.options.listed || input.scheduledBy !== undefined;
    return this.startRun('sync', { yes: false, ...input, route }, isShown ? shown : {});
  }

  /** Starts a run of any kind as its command does, and leaves it to itself. */
  async startRun(
    kind: string,
    { runId = `${kind}-transport-${randomBytes(6).toString('hex')}`, ...input }: StartInput,
    shown: Partial<WorkflowStartOptions> = {},
  ): Promise<WorkflowHandle> {
    const start = { startedBy: 'test', yes: true, ...input, runId };
    return await this.temporal.client.workflow.start(kind, {
      ...shown,
      workflowId: runId,
      taskQueue: this.config.temporal.taskQueue,
      args: [(await openControl(this.config)).signStart(kind, runId, start)],
    });
  }

  /** Runs a sync until it ends, whatever the end is, or is parked. */
  async sync(route?: Route, input?: Partial<SyncInput>): Promise<Ended> {
    return await this.ended(await this.start(route, input));
  }

  async backup(more: Partial<BackupInput> = {}): Promise<Ended> {
    const route = resolveBackup(this.config, 'transport');
    return await this.ended(await this.startRun('backup', { route, tags: [], ...more }));
  }

  /** Takes a snapshot. @returns its ID */
  async snapshot(more?: Partial<BackupInput>): Promise<string> {
    return (await this.backup(more)).record.snapshot?.id ?? '';
  }

  async drill(more: Partial<DrillInput> = {}): Promise<Ended> {
    const route = resolveDrill(this.config, 'transport');
    return await this.ended(await this.startRun('drill', { route, ...more }));
  }

  async restore(...args: Parameters<Site['startRestore']>): Promise<Ended> {
    return await this.ended(await this.startRestore(...args));
  }

  /** Starts a restore and leaves it to itself. */
  async startRestore(
    snapshotId: string,
    where: Partial<RestoreFlags> = {},
    more: Partial<RestoreInput> = {},
  ): Promise<WorkflowHandle> {
    const flags = { to: 'production', into: transportTargetGroupId, ...where };
    return await this.startRun('restore', {
      route: await this.restoreRoute(snapshotId, flags),
      snapshotId,
      ...more,
    });
  }

  async rollback(...args: Parameters<Site['startRollback']>): Promise<Ended> {
    return await this.ended(await this.startRollback(...args));
  }

  /** Starts a rollback and leaves it to itself. */
  async startRollback(
    { runId: parent, kind, safeguard, snapshot }: RunRecord,
    more: Partial<RollbackInput> = {},
  ): Promise<WorkflowHandle> {
    const snapshotId = safeguard?.id ?? (kind === 'sync' ? snapshot?.id : undefined);
    if (snapshotId === undefined) {
      // It took no safeguard.
      const { name, target } = this.route();
      const { portal: to, groupId: into } = target;
      const route = resolveRestore(this.config, { name, source: target }, { to, into });
      return await this.startRun('rollback', { route, parent, ...more });
    }
    // Safeguards are of the group into which they lead back.
    const { groupId: into } = (await this.snapshots.read(snapshotId)).source;
    const flags = { to: 'production', into, overwrite: true, data: 'replace' } as const;
    const route = await this.restoreRoute(snapshotId, flags);
    return await this.startRun('rollback', { route, snapshotId, parent, ...more });
  }

  private async restoreRoute(snapshotId: string, flags: RestoreFlags): Promise<Route> {
    const { source, route: name } = await this.snapshots.read(snapshotId);
    const { portal, url, groupId } = source;
    return resolveRestore(this.config, { name, source: { portal, url, groupId } }, flags);
  }

  handle(runId: string): WorkflowHandle {
    return this.temporal.client.workflow.getHandle(runId);
  }

  /** The ID of a portal queue. */
  queueId(direction: Direction, portal = 'production'): string {
    return portalQueueId({ taskQueue: this.config.temporal.taskQueue, portal, direction });
  }

  /** What a portal queue shows without a worker. */
  async queueState(queueId: string): Promise<PortalQueueState | undefined> {
    const { memo } = await this.handle(queueId).describe();
    return memo?.[portalQueueMemoKey] as PortalQueueState | undefined;
  }

  get snapshots(): Snapshots {
    return openSnapshots(this.config);
  }

  /** @param parksBefore how often it was parked before: its record may still say so */
  async ended(handle: WorkflowHandle, parksBefore = 0): Promise<Ended> {
    const runId = handle.workflowId;
    // A look that outlives its connection would try again when that is closed.
    const looking = new AbortController();
    const over = this.temporal.connection
      .withAbortSignal(looking.signal, () => handle.result())
      .then(
        () => true,
        () => true,
      );
    try {
      for (let looks = 0; ; looks += 1) {
        const isOver = await Promise.race([over, rest(looks).then(() => false)]);
        const record = await this.record(runId);
        if (!record && isOver) throw new Error(`${runId} left no record`);
        const isParked = record?.status === 'parked' && (record.parked?.count ?? 0) > parksBefore;
        if (record && (isOver || isParked)) return { runId, handle, record };
      }
    } finally {
      looking.abort();
    }
  }

  /** Waits until a run is over that may have been parked when somebody ended it. */
  async over(handle: WorkflowHandle): Promise<Ended> {
    await handle.result().catch(() => undefined);
    return await this.ended(handle);
  }

  async cancel(handle: WorkflowHandle, now = false): Promise<Ended> {
    await this.askToEnd(handle, { who: 'a@b', reason: 'enough', now });
    return await this.over(handle);
  }

  async askToEnd(handle: WorkflowHandle, cancel: Cancel): Promise<void> {
    const { cancel: name } = messageNames;
    await handle.signal(name, await signed(this.config, handle, name, cancel));
  }

  /** Says yes to the plan that the run shows, as `run approve` does. */
  async approve(handle: WorkflowHandle, approval: Partial<Approve> = {}, identity?: Identity): Promise<void> {
    const { plan } = await this.state(handle);
    const { hash = '', sha256 } = plan ?? {};
    const message = { hash, sha256, who: 'a@b', ...approval };
    await this.answer(handle, messageNames.approve, message, identity);
  }

  /** Sends an answer as the commands do. */
  async answer(
    handle: WorkflowHandle,
    name: string,
    message: Approve | Cancel | Refuse | Resume,
    identity?: Identity,
  ): Promise<void> {
    await this.send(handle, name, await signed(this.config, handle, name, message, identity));
  }

  /** Sends a message as it is. Throws the refusal; one without a nonce has no outcome. */
  async send({ workflowId }: WorkflowHandle, name: string, message: object): Promise<Delivery> {
    const over = new PortolanError('USAGE', `${workflowId} has ended`);
    return await sendAnswer(this, { workflowId, name, hint: '', over }, message as Required<Signed>);
  }

  /** Resumes a parked run, as `run resume` does, and waits until it ends or parks again. */
  async resume(handle: WorkflowHandle, set?: RouteChange): Promise<Ended> {
    const { parked } = await this.state(handle);
    await this.answer(handle, messageNames.resume, { who: 'a@b', reason: 'mended', set });
    return await this.ended(handle, parked?.count);
  }

  /** The record of a run as the store has it: a look that takes less work than a command. */
  async record(runId: string): Promise<RunRecord | undefined> {
    return await this.store.readJson(keys.record(runId), runRecord);
  }

  async state(handle: WorkflowHandle): Promise<RunState> {
    return await query(handle, 'state');
  }

  /** Somebody edits every item of the source: what is identical on both portals is not written again. */
  editSource(): void {
    const { world } = this.source;
    const modified = world.now();
    for (const { id } of world.items.values())
      world.items.change(id, { snippet: `edited at ${modified}`, modified });
  }

  /** The state once it waits for an approval of another plan than `after`. */
  async waiting(handle: WorkflowHandle, after?: string): Promise<RunState> {
    for (let looks = 0; ; await rest(looks++)) {
      const state = await this.state(handle);
      if (state.status === 'waiting' && state.plan?.hash !== after) return state;
      if (state.finishedAt) throw new Error(`the run ended ${state.status}: ${state.error?.message ?? ''}`);
    }
  }

  /** Returns once the run is in a phase. */
  async untilPhase(handle: WorkflowHandle, name: PhaseName): Promise<void> {
    for (let looks = 0; ; await rest(looks++)) {
      const { phases, finishedAt } = await this.state(handle);
      if (phases.find((phase) => phase.name === name)?.status === 'running') return;
      if (finishedAt) throw new Error(`the run ended before ${name}`);
    }
  }

  async plan(runId: string): Promise<Plan> {
    const keysOfRun = [];
    for await (const key of this.store.list(`runs/${runId}/`))
      if (key.includes('/plan-')) keysOfRun.push(key);
    const found = await this.store.readJson(keysOfRun.at(-1) ?? '', plan);
    if (!found) throw new Error(`${runId} left no plan`);
    return found;
  }

  async ledger(runId: string): Promise<Ledger> {
    const found = await this.store.readJson(keys.ledger(runId), ledger);
    if (!found) throw new Error(`${runId} left no ledger`);
    return found;
  }

  /** How often a portal was asked for something. */
  asked(portal: 'source' | 'target', operation: string): number {
    return this[portal].requests().filter((request) => request.operation === operation).length;
  }

  /** Parameters of the imports that the target was sent, without previews. */
  imports(): RequestLogEntry['params'][] {
    return this.target
      .requests()
      .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
      .map(({ params }) => params);
  }

  /** The target refuses imports, as after its account lost a privilege. */
  refuseImports(which: Pick<FaultRule, 'times' | 'nth'> = {}): void {
    this.target.faults.add({
      match: importPost,
      ...which,
      do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
    });
  }

  /** What was asked of either portal that changes something on it, in its order. Signing in changes nothing. */
  writes(): string[] {
    return [this.source, this.target].flatMap((portal) =>
      portal
        .requests()
        .map(({ operation }) => operation)
        .filter((operation) => writing.has(operation) && !/^(token|signIn|oauth)/i.test(operation)),
    );
  }

  /** Package items on either portal, of whatever run. */
  packages(): string[] {
    return [this.source, this.target].flatMap((portal) =>
      portal.world.items.filter(({ type }) => type === 'Export Package').map(({ id }) => id),
    );
  }

  async close(): Promise<void> {
    await this.served?.close();
    await this.stopWorker();
    await this.temporal.connection.close();
    await Promise.all([this.source.close(), this.target.close(), this.more?.close(), this.proxy?.close()]);
    await rm(this.folder, { recursive: true, force: true });
  }
}
