import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TemporalClient, connectTemporal } from '../../src/temporal/connection';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../src/temporal/dev-server/temporal-server';
import { backlogOf } from '../../src/temporal/task-queue';
import { type RunningWorker, startWorker } from '../../src/temporal/worker';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle';
import { until } from '../support/until';

let folder: string;
let server: TemporalServer;
let temporal: TemporalClient;
let worker: RunningWorker;

/** As a server of one's own has it by docker/temporal-dynamic-config.yaml. */
async function startFairServer(): Promise<TemporalServer> {
  const { path: cli } = await findTemporalCli();
  const fair = path.join(folder, 'temporal');
  const flag = '--dynamic-config-value matching.enableFairness=true';
  await writeFile(fair, `#!/bin/sh\nexec '${cli}' "$@" ${flag}\n`);
  await chmod(fair, 0o755);
  const logFile = path.join(folder, 'temporal.log');
  return await startTemporalServer({
    ...{ cli: fair, address: '127.0.0.1:0', logFile },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-fair-'));
  const bundle = await bundleWorkflows(require.resolve('./fixtures/calls-to-portals'));
  await writeFile(path.join(folder, 'bundle.js'), bundle);
  server = await startFairServer();
  temporal = await connectTemporal({ address: server.address }, 'default');
});
afterAll(async () => {
  await worker.stop();
  await temporal.connection.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Calls of one workflow, all of which are given the same. */
interface Asked {
  /** @default one that is no kind of run */
  readonly kind?: 'restore' | 'promotion';
  readonly count: number;
  readonly given: object;
}

/** @returns what calls were given, in the order in which a worker of one slot began them once all of them waited */
async function begunInOrder(all: readonly Asked[]): Promise<unknown[]> {
  const taskQueue = 'fair';
  const begun: unknown[] = [];
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const call = async (given: unknown): Promise<void> => {
    begun.push(given);
    await held;
  };
  worker = await startWorker({
    connection: { address: server.address },
    ...{ namespace: 'default', taskQueue, identity: `${process.pid}@${os.hostname()}` },
    activities: { call },
    tuning: { workflowTasks: 40, activities: 1, transfers: 1, pollers: 2, stickyMs: 2_000 },
    bundlePath: path.join(folder, 'bundle.js'),
  });
  const results: Promise<unknown>[] = [];
  for (const [at, { kind = 'calls', count, given }] of all.entries()) {
    const args = [count, given];
    const workflowId = `w-${at}`;
    const { workflow } = temporal.client;
    results.push((await workflow.start(kind, { workflowId, taskQueue, args })).result());
    const asking = workflow.getHandle(kind === 'promotion' ? `${workflowId}-part` : workflowId);
    await until('its calls are asked for', async () => {
      const { events } = await asking.fetchHistory();
      return events?.filter((event) => event.activityTaskScheduledEventAttributes).length === count;
    });
  }
  const waiting = all.reduce((sum, { count }) => sum + count, 0) - 1;
  await until('all but the first wait', async () => {
    const backlog = await backlogOf(temporal, taskQueue, 'activities');
    return (backlog?.count ?? 0) >= waiting;
  });
  letGo();
  await Promise.all(results);
  return begun;
}

const facts = (name: string): object => ({ name, portalId: '0123456789ABCDEF', aliases: [] });

/** What calls to portals are given, each of another portal. */
const toOthers = {
  'a portal': { portal: 'by-name' },
  'facts of a portal': { target: facts('by-facts') },
  'an end of a route': { end: { portal: 'by-end', url: 'https://example.com' } },
  'a route': { route: { name: 'nightly', target: { portal: 'by-route' } } },
};

describe('calls that wait for a worker of a server with fairness', () => {
  const busy = { portal: 'busy' };
  const lateToTheBusy = { portal: 'busy', late: true };
  const ofRestore = { portal: 'busy', of: 'a restore' };
  const ofPromotion = { portal: 'busy', of: 'a group of a promotion' };
  let begun: readonly unknown[];

  beforeAll(async () => {
    const late = [lateToTheBusy, ...Object.values(toOthers)].map((given) => ({ count: 2, given }));
    begun = await begunInOrder([
      { count: 200, given: busy },
      ...late,
      { kind: 'promotion', count: 2, given: ofPromotion },
      { kind: 'restore', count: 2, given: ofRestore },
    ]);
  });
  const placesOf = (given: object): number[] =>
    begun.flatMap((each, at) => (JSON.stringify(each) === JSON.stringify(given) ? [at] : []));

  it.each(Object.entries(toOthers))(
    'take turns by portal: two to one do not wait for two hundred to another, where they are given %s',
    (_what, given) => {
      expect(placesOf(given)).toHaveLength(2);
      expect(Math.max(...placesOf(given))).toBeLessThan(20);
    },
  );

  it('begin first where they are of a restore, whichever came before', () => {
    // One had begun before any had to wait, and one may be on its way to the worker.
    expect(Math.max(...placesOf(ofRestore))).toBeLessThan(5);
  });

  it('take their turns where they are of groups of a promotion, which are restored by the hundred', () => {
    expect(placesOf(ofPromotion)).toHaveLength(2);
    expect(Math.min(...placesOf(ofPromotion))).toBeGreaterThan(100);
  });

  it('begin in the order in which they came where they go to one portal', () => {
    expect(placesOf(busy)).toHaveLength(200);
    expect(Math.min(...placesOf(lateToTheBusy))).toBeGreaterThan(100);
  });
});
