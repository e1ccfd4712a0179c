import { EventEmitter, once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';
import { activityInfo } from '@temporalio/activity';
import { postOnce, readIntent } from '../../src/activities/attempt/post-once';
import { LocalStore } from '../../src/store/local/local-store';
import type { CallOptions } from '../../src/portal/http/request';
import { type TemporalClient, connectTemporal } from '../../src/temporal/connection';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import { backlogOf, pollersOf } from '../../src/temporal/task-queue';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../src/temporal/dev-server/temporal-server';
import { type RunningWorker, startWorker } from '../../src/temporal/worker';
import { PortolanError } from '../../src/model/errors/errors';
import { until } from '../support/until';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle';
import type { Asked } from './fixtures/workflows';

/** As portolan.yaml has it where it says nothing. */
const usual = { activities: 100, transfers: 4 };

/** Events of `pair` once it waits for the signal: start, a task of three, an activity of three, a task of three. */
const EVENTS_UNTIL_WAITING = 10;

/** A server that grants everything but the rights of an operator. */
const withoutOperatorRights: Interceptor = (options, nextCall) => {
  const call = new InterceptingCall(nextCall(options));
  if (!options.method_definition.path.includes('.OperatorService/')) return call;
  return new InterceptingCall(call, {
    start: (_metadata, listener) =>
      listener.onReceiveStatus({
        code: status.PERMISSION_DENIED,
        details: 'Request unauthorized.',
        metadata: new Metadata(),
      }),
  });
};

/** Where the first attempt of a write stands still until the second one is over. */
const places = ['before its note', 'before its request'] as const;
type Place = (typeof places)[number];

let folder: string;
/** In the bundle are the workflows of both. */
let bundlePath: string;

const startOn = (
  { address }: TemporalServer,
  taskQueue: string,
  activities: Parameters<typeof startWorker>[0]['activities'],
  tuning = usual,
): Promise<RunningWorker> =>
  startWorker({
    connection: { address },
    namespace: 'default',
    taskQueue,
    identity: `${process.pid}@${os.hostname()}`,
    activities,
    tuning,
    bundlePath,
  });

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-worker-'));
  bundlePath = path.join(folder, 'bundle.js');
  await writeFile(bundlePath, await bundleWorkflows(require.resolve('./fixtures/workflows')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a worker', () => {
  let server: TemporalServer;
  let temporal: TemporalClient;
  let worker: RunningWorker;
  const events: string[] = [];
  const start = () => startOn(server, 'pair', { queueOf: async () => activityInfo().taskQueue, post });
  const sent: string[] = [];
  const late: Promise<unknown>[] = [];
  const secondIsOver = new EventEmitter();
  const openStore = (): LocalStore => new LocalStore(path.join(folder, 'store'));
  /** The first attempt notes a request, and finds before it sends it that the second one has its call. */
  const postNothing = async (store: LocalStore): Promise<void> => {
    const { attempt } = activityInfo();
    const noted = () => readIntent(store, 'noted in vain', 'import');
    if (attempt === 2) {
      expect((await noted())?.round).toBe(1);
      secondIsOver.emit('noted in vain');
      await until('the first attempt withdraws its note', async () => (await noted()) === undefined);
      return;
    }
    const send = async ({ beforeSending }: CallOptions): Promise<string> => {
      await once(secondIsOver, 'noted in vain');
      await beforeSending?.();
      sent.push('noted in vain');
      return 'sent';
    };
    const writing = postOnce(
      { store },
      {
        runId: 'noted in vain',
        name: 'import',
        look: async () => 'again',
        prepare: async () => ({ send }),
        keep: async (reply: string) => reply,
      },
    );
    late.push(writing);
    await writing;
  };
  const post = async (place: Place | 'noted in vain'): Promise<void> => {
    const store = openStore();
    if (place === 'noted in vain') return await postNothing(store);
    const { attempt } = activityInfo();
    const standStill = async (here: Place): Promise<void> => {
      if (attempt === 1 && here === place) await once(secondIsOver, place);
    };
    const writing = postOnce(
      { store },
      {
        runId: place,
        name: 'import',
        look: async () => 'again',
        prepare: async () => {
          await standStill('before its note');
          return {
            seen: [`by attempt ${attempt}`],
            send: async ({ beforeSending }: CallOptions) => {
              await standStill('before its request');
              await beforeSending?.();
              return sent.push(`${place}: attempt ${attempt}`);
            },
          };
        },
        keep: async (reply: number) => reply,
      },
    );
    if (attempt === 1) late.push(writing);
    await writing;
    secondIsOver.emit(place);
  };
  const pollers = () => pollersOf(temporal, 'pair');
  const run = (workflowId: string) =>
    temporal.client.workflow.start('pair', { workflowId, taskQueue: 'pair' });

  beforeAll(async () => {
    // With a database on disk, since it is killed.
    server = await startTemporalServer({
      cli: (await findTemporalCli()).path,
      address: '127.0.0.1:0',
      database: path.join(folder, 'temporal.db'),
      logFile: path.join(folder, 'temporal.log'),
      onEvent: (event) => events.push(event),
    });
    temporal = await connectTemporal({ address: server.address }, 'default');
    worker = await start();
  });
  afterAll(async () => {
    await worker.stop();
    await temporal.connection.close();
    await server.stop();
  });

  it('keeps back a write whose call another attempt has taken over [P01]', async () => {
    const args = [[...places]];
    await temporal.client.workflow.execute('posts', { workflowId: 'posts', taskQueue: 'pair', args });
    const ends = await Promise.allSettled(late);
    expect(ends.map(({ status: end }) => end)).toEqual(['rejected', 'rejected']);
    expect(sent.sort()).toEqual(places.map((place) => `${place}: attempt 2`));
    for (const place of places) {
      expect((await readIntent(openStore(), place, 'import'))?.seen).toEqual(['by attempt 2']);
    }
  });

  it('lets the next attempt send a request that was noted but not sent', async () => {
    const args = [['noted in vain']];
    await temporal.client.workflow.execute('posts', { workflowId: 'posts-nothing', taskQueue: 'pair', args });
    expect(sent).not.toContain('noted in vain');
  });

  it('polls under its own name', async () => {
    expect((await pollers()).map(({ identity }) => identity)).toContain(worker.identity);
    expect(await pollersOf(temporal, 'nobody-here')).toEqual([]);
  });

  it('needs operator rights only if search attributes are missing, and says so', async () => {
    const { connection } = await connectTemporal(
      { address: server.address, interceptors: [withoutOperatorRights] },
      'default',
    );
    try {
      await registerSearchAttributes(connection, 'default');
      await connection.workflowService.registerNamespace({
        namespace: 'bare',
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never, nanos: 0 },
      });
      const thrown = await until('a namespace without them', () =>
        registerSearchAttributes(connection, 'bare').catch((error: unknown) => {
          if (error instanceof PortolanError) return error;
          throw error;
        }),
      );
      expect(thrown).toMatchObject({
        code: 'SEARCH_ATTRIBUTES_MISSING',
        plainMessage:
          'Namespace "bare" of Temporal lacks the search attributes PortolanKind, PortolanRoute, PortolanPhase, PortolanOutcome, and this account may not create them: Request unauthorized.',
        hint: 'Ask an operator to run: temporal operator search-attribute create --namespace bare --type Keyword --name PortolanKind --type Keyword --name PortolanRoute --type Keyword --name PortolanPhase --type Keyword --name PortolanOutcome',
      });
    } finally {
      await connection.close();
    }
  });

  it('continues its runs on both queues after its server was killed', async () => {
    const handle = await run('survives');
    process.kill(server.pid(), 'SIGKILL');
    await until('the return of the server', () => events.includes('Temporal is running again'));
    await handle.signal('goOn');
    expect(await handle.result()).toEqual(['pair', 'pair-transfer']);
  });

  it('ends when asked, and another one continues its runs', async () => {
    const handle = await run('handed-over');
    const hasBegun = async () => (await handle.describe()).historyLength >= EVENTS_UNTIL_WAITING;
    await until('the run to wait', hasBegun);
    await worker.stop();
    await handle.signal('goOn');
    worker = await start();
    expect(await handle.result()).toEqual(['pair', 'pair-transfer']);
  });
});

/** A server with fairness, as a server of one's own has it by docker/temporal-dynamic-config.yaml. */
async function startFairServer(): Promise<TemporalServer> {
  const cli = path.join(folder, 'temporal');
  const flag = '--dynamic-config-value matching.enableFairness=true';
  await writeFile(cli, `#!/bin/sh\nexec '${(await findTemporalCli()).path}' "$@" ${flag}\n`);
  await chmod(cli, 0o755);
  return await startTemporalServer({
    cli,
    address: '127.0.0.1:0',
    logFile: path.join(folder, 'fair.log'),
  });
}

/** @returns what calls were given, in the order in which a worker of one slot began them once all of them waited */
async function begunInOrder(
  all: readonly (Asked & { readonly kind?: 'restore' | 'promotion' })[],
): Promise<string[]> {
  const server = await startFairServer();
  const temporal = await connectTemporal({ address: server.address }, 'default');
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
  const worker = await startOn(server, taskQueue, { watchRun }, { activities: 1, transfers: 1 });
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
  await worker.stop();
  await temporal.connection.close();
  await server.stop();
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

describe('a client', () => {
  it('says that no server responds', async () => {
    await expect(connectTemporal({ address: '127.0.0.1:9' }, 'default')).rejects.toThrow(
      '[TEMPORAL_UNREACHABLE] Cannot reach Temporal at 127.0.0.1:9',
    );
  });
});
