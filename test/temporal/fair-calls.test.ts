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
import type { Asked } from './fixtures/calls-to-portals';

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
    cli: fair,
    address: '127.0.0.1:0',
    logFile,
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

/** @returns what calls were given, in the order in which a worker of one slot began them once all of them waited */
async function begunInOrder(
  all: readonly (Asked & { readonly kind?: 'restore' | 'promotion' })[],
): Promise<string[]> {
  const taskQueue = 'fair';
  const begun: string[] = [];
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const watchRun = async ({ runId }: Pick<Asked, 'runId'>): Promise<void> => {
    begun.push(runId);
    await held;
  };
  worker = await startWorker({
    connection: { address: server.address },
    namespace: 'default',
    taskQueue,
    identity: `${process.pid}@${os.hostname()}`,
    activities: { watchRun },
    tuning: { activities: 1, transfers: 1 },
    bundlePath: path.join(folder, 'bundle.js'),
  });
  const results: Promise<unknown>[] = [];
  for (const [at, { kind = 'calls', ...asked }] of all.entries()) {
    const args = [asked];
    const workflowId = `w-${at}`;
    const { workflow } = temporal.client;
    results.push((await workflow.start(kind, { workflowId, taskQueue, args })).result());
    const asking = workflow.getHandle(kind === 'promotion' ? `${workflowId}-part` : workflowId);
    await until('its calls are asked for', async () => {
      const { events } = await asking.fetchHistory();
      return events?.filter((event) => event.activityTaskScheduledEventAttributes).length === asked.count;
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

describe('activities that wait for a worker with fairness', () => {
  let begun: readonly string[];

  beforeAll(async () => {
    begun = await begunInOrder([
      { count: 200, portal: 'busy', runId: 'many' },
      { count: 2, portal: 'busy', runId: 'late' },
      { count: 2, portal: 'idle', runId: 'to another portal' },
      { count: 2, runId: 'to no portal' },
      { kind: 'promotion', count: 2, portal: 'busy', runId: 'of a group of a promotion' },
      { kind: 'restore', count: 2, portal: 'busy', runId: 'of a restore' },
    ]);
  });
  const placesOf = (runId: string): number[] => begun.flatMap((each, at) => (each === runId ? [at] : []));

  it.each(['to another portal', 'to no portal'])(
    'take turns by portal: two %s do not wait for 200 others',
    (runId) => {
      expect(placesOf(runId)).toHaveLength(2);
      expect(Math.max(...placesOf(runId))).toBeLessThan(20);
    },
  );

  it('begin first if they are of a restore', () => {
    // One had begun before any had to wait, and one may be on its way to the worker.
    expect(Math.max(...placesOf('of a restore'))).toBeLessThan(5);
  });

  it('take turns if they are of groups of a promotion', () => {
    expect(placesOf('of a group of a promotion')).toHaveLength(2);
    expect(Math.min(...placesOf('of a group of a promotion'))).toBeGreaterThan(100);
  });

  it('keep their order if they go to one portal', () => {
    expect(placesOf('many')).toHaveLength(200);
    expect(Math.min(...placesOf('late'))).toBeGreaterThan(100);
  });
});
