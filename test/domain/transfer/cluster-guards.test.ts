import { expect, it } from '@jest/globals';
import { msToTs } from '@temporalio/common/lib/time';
import type { Config } from '../../../src/config/config';
import type { GuardResult } from '../../../src/model/run/run';
import { identityOf } from '../../../src/model/run/worker-view';
import { examineServer } from '../../../src/service/transfer/cluster';
import { ofStore } from '../../../src/service/transfer/store-and-serve';
import { Secret } from '../../../src/secrets/secret';
import type { Store } from '../../../src/store/store';
import type { TemporalClient } from '../../../src/temporal/connection';
import { CannedS3 } from '../../store/s3/canned-s3';

const denied = Object.assign(new Error('denied'), {
  code: 7,
  details: 'Request unauthorized.',
  metadata: {},
});
const MB = 1024 ** 2;

type Call = (asked: { taskQueueType?: number }) => unknown;

/** A server where all is well, but for these calls. */
function serverThat(calls: Readonly<Record<string, Call>>) {
  const well: Record<string, Call> = {
    getSystemInfo: () => ({ serverVersion: '1.30.0' }),
    describeNamespace: () => ({
      config: { workflowExecutionRetentionTtl: msToTs(30 * 24 * 3_600_000) },
      namespaceInfo: { limits: { blobSizeLimitError: 2 * MB } },
    }),
    listWorkflowExecutions: () => ({ executions: [] }),
    listSchedules: () => ({}),
    describeTaskQueue: () => ({ pollers: [poller('1@a', '0.1.0')], stats: { approximateBacklogCount: 0 } }),
  };
  const workflowService = new Proxy(
    {},
    {
      get: (_, name: string) => async (asked: object) => {
        const call = calls[name] ?? well[name];
        return await Promise.resolve(call ? call(asked) : {});
      },
    },
  );
  const connection = { workflowService, options: { address: 'temporal:7233' } };
  const client = { namespace: 'default', connection, client: {} };
  return client as unknown as TemporalClient;
}

const poller = (name: string, version: string) => ({
  identity: identityOf({
    name,
    version,
    config: 'c'.repeat(12),
    store: 'd'.repeat(12),
    lacks: 0,
    at: 1,
    keys: [],
  }),
  lastAccessTime: msToTs(Date.now()),
});

const named = (results: GuardResult[]) => new Map(results.map((each) => [each.name, each]));

async function guardsOf(calls: Readonly<Record<string, Call>>) {
  const config = {
    temporal: { address: 'temporal:7233', namespace: 'default', taskQueue: 'portolan', worker: {} },
    portals: new Map(),
    routes: new Map(),
    pipelines: new Map(),
    schedules: new Map(),
    control: { key: { file: '/nowhere/control.key' } },
  } as unknown as Config;
  return named(await examineServer(config, serverThat(calls)));
}

it('names a missing right, and refuses only those that runs need', async () => {
  const none = () => {
    throw denied;
  };
  const of = await guardsOf({
    describeNamespace: none,
    listSchedules: none,
    countWorkflowExecutions: none,
    listWorkflowExecutions: none,
  });
  const needs = 'in namespace "default"';
  expect(of.get('namespace')).toMatchObject({
    verdict: 'unknown',
    saw: expect.stringContaining('Request unauthorized.'),
    needs: `the right to describe the namespace ${needs}`,
  });
  for (const [name, right] of [
    ['schedules', 'list schedules'],
    ['search attributes', 'list runs'],
  ] as const)
    expect(of.get(name)).toMatchObject({ verdict: 'refuse', needs: `the right to ${right} ${needs}` });
  expect(of.get('workers of runs')?.verdict).toBe('pass');
});

it('reports a backlog of over a minute', async () => {
  const waiting = (ms: number) => () => ({
    pollers: [poller('1@a', '0.1.0')],
    stats: { approximateBacklogCount: 7, approximateBacklogAge: msToTs(ms) },
  });
  expect((await guardsOf({ describeTaskQueue: waiting(59_000) })).get('backlog of calls')?.verdict).toBe(
    'pass',
  );
  expect((await guardsOf({ describeTaskQueue: waiting(61_000) })).get('backlog of calls')).toMatchObject({
    verdict: 'unknown',
    saw: '7 tasks wait, the oldest for 1m01s',
  });
});

it('reports workers of several versions', async () => {
  const describeTaskQueue = () => ({ pollers: [poller('1@a', '0.1.0'), poller('2@b', '0.0.9')] });
  expect((await guardsOf({ describeTaskQueue })).get('worker versions')).toMatchObject({
    verdict: 'unknown',
    saw: expect.stringMatching(/^workers have (0\.1\.0, 0\.0\.9|0\.0\.9, 0\.1\.0); here it is /),
  });
});

it('refuses a server with a smaller payload limit', async () => {
  const limited = (bytes: number) => () => ({ namespaceInfo: { limits: { blobSizeLimitError: bytes } } });
  expect((await guardsOf({ describeNamespace: limited(MB) })).get('payloads')).toMatchObject({
    verdict: 'refuse',
    needs: '2 MB',
  });
  expect((await guardsOf({ describeNamespace: limited(2 * MB) })).get('payloads')?.verdict).toBe('pass');
});

it('reads the clock of a bucket over the connection of the store', async () => {
  // A gateway before a bucket lets nobody in but those who sign what they ask.
  const server = await CannedS3.start(({ headers }) =>
    headers.authorization === undefined
      ? { status: 403, headers: { date: 'unknown' } }
      : { status: 403, headers: { date: new Date(Date.now() - 3_600_000).toUTCString() } },
  );
  try {
    const secret = new Secret({ text: 'planted' }).locate('store.credentials', '.');
    const config = {
      store: {
        type: 's3',
        bucket: 'our-backups',
        prefix: '',
        endpoint: server.endpoint,
        credentials: { accessKeyId: secret, secretAccessKey: secret },
      },
    } as Config;
    const store = {
      where: 'a bucket',
      check: async () => {},
      room: async () => undefined,
    };
    const of = named(await ofStore({ config, store: store as unknown as Store }));
    expect(of.get('clock of the store')).toMatchObject({
      verdict: 'refuse',
      saw: expect.stringMatching(/ behind this machine$/),
    });
  } finally {
    await server.stop();
  }
});
