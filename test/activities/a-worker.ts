import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { z } from 'zod';
import { attemptSignal } from '../../src/activities/attempt/heartbeat';
import { type Activities, createActivities } from '../../src/activities/activities';
import type { Config } from '../../src/config/config';
import { PortalPool } from '../../src/config/portal-pool';
import { resolveRoute } from '../../src/config/resolve-route';
import { openControl } from '../../src/domain/control/control';
import { Policy } from '../../src/domain/policy/policy';
import { StageChecks } from '../../src/domain/release/checks/stage-checks';
import { openSnapshots } from '../../src/domain/snapshot/snapshots';
import { type PortalFacts, readPortalFacts } from '../../src/domain/transfer/portal-facts';
import { planHash } from '../../src/domain/transfer/plan';
import type { Plan } from '../../src/model/transfer/plan';
import type { Route } from '../../src/model/transfer/route';
import { viewOf } from '../../src/domain/run/worker-view';
import { transportGroupId, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';
import { keys } from '../../src/store/keys';
import { LocalStore } from '../../src/store/local/local-store';
import { openStore } from '../../src/store/open-store';
import type { Store } from '../../src/store/store';
import { aConfig } from '../support/config';
import { authorityOf, letIn } from '../support/control';
import { aPlan, type Row } from './a-plan';
import { clientOfOurs } from './attempt/client-of-ours';

const quiet = new DefaultLogger('ERROR');

type Answer<Name extends keyof Activities> = Awaited<ReturnType<Activities[Name]>>;

/** A worker's activities over one simulated portal and a store into which somebody else can write; no Temporal. */
export class AWorker {
  readonly store: Store;
  /** The store as somebody sees it who has not its key. */
  readonly writer: LocalStore;
  readonly activities: Activities;
  readonly policy: Policy;
  readonly route: Route;

  private constructor(
    readonly folder: string,
    readonly config: Config,
    readonly target: Simulator,
    readonly facts: PortalFacts,
    private readonly portals: PortalPool,
  ) {
    this.store = openStore(config);
    this.writer = new LocalStore(path.join(folder, 'store'));
    this.policy = new Policy(config, this.store);
    const snapshots = openSnapshots(config, this.store);
    this.activities = createActivities({
      config,
      portals,
      store: this.store,
      snapshots,
      policy: this.policy,
      authority: authorityOf(config, this.store),
      openControl: () => openControl(config),
      view: () => viewOf(config, this.store, 'a-worker'),
      checks: new StageChecks(config, snapshots),
      indexed: new Set(),
    });
    this.route = resolveRoute(config, { route: 'transport' }, { overwrite: true });
  }

  /** @param more of portolan.yaml */
  static async open(more: object = {}): Promise<AWorker> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-worker-'));
    const state = path.join(folder, 'production');
    const target = await startSimulator({
      name: 'production',
      version: '11.4',
      seed: 'transport-target',
      state,
    });
    await writeFile(path.join(folder, 'secret'), 'admin-pw', { mode: 0o600 });
    const auth = { type: 'password', username: 'admin', password: { file: path.join(folder, 'secret') } };
    const routes = {
      transport: {
        source: { portal: 'staging', group: transportGroupId },
        target: { portal: 'production', group: transportTargetGroupId },
      },
    };
    const portals = {
      staging: { url: 'http://127.0.0.1:9/sharing/rest', auth },
      production: { url: target.url, auth },
    };
    const store = { type: 'local', path: path.join(folder, 'store') };
    const config = aConfig({ store, portals, routes, ...more }, folder);
    const pool = new PortalPool(config, undefined, { signal: attemptSignal });
    return new AWorker(folder, config, target, await readPortalFacts(pool.open('production')), pool);
  }

  /** Lets the start of a run in whose activities are called then. */
  async letIn<Input extends { readonly runId: string }>(workflowType: string, input: Input): Promise<void> {
    await letIn(this.config, this.store, workflowType, { startedBy: 'test', ...input });
  }

  /** What an activity answers. */
  async call<Name extends keyof Activities>(
    name: Name,
    input: Parameters<Activities[Name]>[0],
    attempt = 1,
  ): Promise<Answer<Name>> {
    const environment = new MockActivityEnvironment({ attempt }, { logger: quiet, client: clientOfOurs });
    const activity = this.activities[name] as (input: unknown) => Promise<Answer<Name>>;
    return await environment.run<[unknown], Answer<Name>, typeof activity>(activity, input);
  }

  /** Writes the first plan of a run, with its hash. @returns its key */
  async plan(runId: string, rows: readonly Row[], more: Partial<Plan> = {}): Promise<string> {
    const { target, options } = this.route;
    const plan = aPlan(rows, { targetGroupId: target.groupId, ...more });
    const key = keys.plan(runId, 1);
    const sha256 = planHash(plan.packages, target, options, plan.rows);
    await this.store.writeJson(key, { ...plan, sha256 });
    return key;
  }

  /** Writes into a note what the worker did not, as whoever can write into the store. */
  async alter(key: string, change: (content: Record<string, unknown>) => unknown): Promise<void> {
    const written = (await this.writer.readJson(key, z.record(z.string(), z.unknown()))) ?? {};
    if (!('content' in written)) await this.writer.writeJson(key, change(written));
    else {
      const content = written['content'] as Record<string, unknown>;
      await this.writer.writeJson(key, { ...written, content: change(content) });
    }
  }

  /** How often the portal was asked for an operation. */
  asked(operation: string): number {
    return this.target.requests().filter((request) => request.operation === operation).length;
  }

  async close(): Promise<void> {
    await this.portals.close();
    await this.target.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
