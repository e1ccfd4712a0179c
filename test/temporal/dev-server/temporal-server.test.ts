import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { answersAt, parseAddress } from '../../../src/temporal/dev-server/address';
import { freeServerPort } from '../../support/free-port';
import { listenersOf } from '../../support/listeners';
import { itLong } from '../../support/long';
import { until } from '../../support/until';
import { connectTemporal } from '../../../src/temporal/connection';
import { identify, isAlive, writeServerState } from '../../../src/temporal/dev-server/server-state';
import {
  type ServerProcess,
  type ServerSettings,
  serverArguments,
  spawnServer,
} from '../../../src/temporal/dev-server/server-process';
import { findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';
import {
  type TemporalServer,
  type TemporalServerOptions,
  startTemporalServer,
} from '../../../src/temporal/dev-server/temporal-server';

describe('the embedded Temporal server', () => {
  let cli: string;
  let folder: string;
  let server: TemporalServer | undefined;
  /** In memory and with a Web UI; for tests that leave it as it is. */
  let common: TemporalServer;
  let events: string[] = [];

  const start = async (more: Partial<TemporalServerOptions> = {}): Promise<TemporalServer> => {
    server = await startTemporalServer({
      cli,
      address: '127.0.0.1:0',
      logFile: path.join(folder, 'temporal.log'),
      onEvent: (event) => events.push(event),
      ...more,
    });
    return server;
  };
  const connect = ({ address }: TemporalServer) => connectTemporal({ address }, 'default');

  /** A server on the file, in the state in which `kill -9` of its owner leaves it. */
  const leaveOrphan = async (
    database: string,
    port: number,
    started?: (settings: ServerSettings) => string[],
  ): Promise<ServerProcess> => {
    const owner = identify(process.pid)!;
    const settings: ServerSettings = {
      ...{ cli, host: '127.0.0.1', port, database, namespace: 'default' },
      ...{ logFile: `${database}.log`, endsWithUs: false },
    };
    const orphan = await spawnServer(settings);
    await writeServerState(database, {
      ...{ server: orphan.identity, owner: { ...owner, mark: 'ended' }, port },
      ...(started && { arguments: started(settings) }),
    });
    return orphan;
  };
  /** The status with which a port answers HTTP; `undefined` where what listens there does not speak it. */
  const statusOf = (
    { host, port }: { host: string; port: number },
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<number | undefined> =>
    new Promise((resolve) => {
      http
        .request({ host, port, path, method, headers, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
        .once('error', () => resolve(undefined))
        .end();
    });

  beforeAll(async () => {
    cli = (await findTemporalCli()).path;
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-server-'));
    common = await startTemporalServer({
      cli,
      address: '127.0.0.1:0',
      logFile: path.join(folder, 'common.log'),
    });
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    events = [];
  });
  afterAll(async () => {
    await common?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers, keeps ended runs for 90 days and knows the search attributes as soon as it has started', async () => {
    const { client, connection } = await connect(common);
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 3600);
    expect(await client.workflow.count("PortolanRoute = 'transport'")).toEqual({ count: 0, groups: [] });
    await connection.close();
  });

  it('shows its Web UI where it says, to its own pages and under the names of this machine [P27]', async () => {
    const { uiUrl } = common;
    expect((await fetch(uiUrl!)).status).toBe(200);

    const { port, host } = new URL(uiUrl!);
    const ui = { host: '127.0.0.1', port: Number(port) };
    const api = '/api/v1/namespaces';
    const origin = 'http://evil.example';
    const asPage = { host: `localhost:${port}`, 'sec-fetch-site': 'same-origin' };
    // It finds its server a moment after it shows its pages.
    await until(
      'the API behind the Web UI',
      () => statusOf(ui, api, asPage),
      (status) => status === 200,
    );
    const page = await fetch(uiUrl!);
    const token = /_csrf=([^;]+)/.exec(page.headers.get('set-cookie') ?? '')?.[1] ?? '';
    const change = `${api}/default/workflows/none/signal/look`;
    const ofPage = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    // Taken, and there is no such run.
    const withToken = { ...ofPage, cookie: `_csrf=${token}`, 'x-csrf-token': token };
    expect(await statusOf(ui, change, withToken, 'POST')).toBe(404);

    expect(await statusOf(ui, api, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(ui, api, { host: `evil.example:${port}` })).toBe(403);
    expect(await statusOf(ui, api, { host, origin, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf(ui, api, { host, origin, authorization: 'Bearer x' }, 'POST')).toBe(403);
  });

  it('leaves the Web UI itself at no address that a web page can guess [P27]', async () => {
    const { uiUrl, pid } = common;
    const found = listenersOf(pid());
    const answers = await Promise.all(found.map((each) => statusOf(each, '/api/v1/settings')));
    const uis = found.filter((_each, index) => answers[index] === 200);
    expect(uis).toHaveLength(1);
    expect(uis[0]?.host).toMatch(/^127\.(?!0\.0\.1$)/);
    expect(uis[0]?.port).not.toBe(Number(new URL(uiUrl!).port));
  });

  it('answers HTTP nowhere, while it answers its own clients [P27]', async () => {
    const started = await start({ ui: false });
    const { client, connection } = await connect(started);
    expect(await client.workflow.count()).toMatchObject({ count: 0 });
    await connection.close();

    const found = listenersOf(started.pid());
    expect(found.length).toBeGreaterThan(1);
    const api = '/api/v1/namespaces/default/workflows';
    for (const host of ['127.0.0.1', 'localhost', 'nobody.invalid']) {
      const answers = await Promise.all(found.map((each) => statusOf(each, api, { host })));
      expect(answers.filter((status) => status === 200)).toEqual([]);
      expect(answers.filter((status) => status === 403)).toHaveLength(1);
    }
    const nexus = '/namespaces/default/task-queues/portolan/nexus-services/a/b';
    const answers = await Promise.all(found.map((each) => statusOf(each, nexus, {}, 'POST')));
    expect(answers.filter((status) => ![undefined, 404, 415].includes(status))).toEqual([]);
  });

  it('knows no variable of ours that it does not need, and makes files that only their owner reads [P15]', async () => {
    process.env.PLANTED_PASSWORD = 'planted';
    try {
      const state = path.join(folder, 'state');
      const { pid } = await start({
        ui: false,
        database: path.join(state, 'temporal.sqlite'),
        logFile: path.join(state, 'temporal.log'),
      });
      const environment = readFileSync(`/proc/${pid()}/environ`, 'utf8').split('\0').filter(Boolean);
      expect(environment.join()).not.toContain('planted');
      expect(environment).toContain(`PATH=${process.env.PATH}`);
      expect(Object.keys(process.env).length).toBeGreaterThan(environment.length);

      const names = await readdir(state);
      expect(names).toEqual(expect.arrayContaining(['temporal.sqlite', 'temporal.log']));
      for (const [name, mode] of [['.', 0o700] as const, ...names.map((each) => [each, 0o600] as const)]) {
        // The database's journal comes and goes.
        const found = await stat(path.join(state, name)).catch(() => undefined);
        if (found !== undefined) expect([name, found.mode & 0o777]).toEqual([name, mode]);
      }
    } finally {
      delete process.env.PLANTED_PASSWORD;
    }
  });

  it('comes back on the same file, with the runs that it held, after kill -9', async () => {
    const database = path.join(folder, 'killed.db');
    const before = await start({ database });
    const { client, connection } = await connect(before);
    await client.workflow.start('waits', { workflowId: 'held', taskQueue: 'nobody' });

    const killed = before.pid();
    process.kill(killed, 'SIGKILL');
    await until('its return', () => events.includes('Temporal is running again'));

    expect(before.pid()).not.toBe(killed);
    expect((await client.workflow.getHandle('held').describe()).status.name).toBe('RUNNING');
    await connection.close();
  });

  itLong('takes over a server that a killed process left on the same file and port', async () => {
    const database = path.join(folder, 'orphan.db');
    const port = await freeServerPort();
    const left = await leaveOrphan(database, port, serverArguments);

    const { address, tookOver, pid, stop } = await start({
      database,
      address: `127.0.0.1:${port}`,
      ui: false,
    });

    expect({ tookOver, pid: pid() }).toEqual({ tookOver: true, pid: left.identity.pid });
    await stop();
    expect(await answersAt(parseAddress(address))).toBe(false);
  });

  itLong(
    'ends a server that was left on the same file at another port, so that the file has one server',
    async () => {
      const database = path.join(folder, 'moved.db');
      const port = await freeServerPort();
      const left = await leaveOrphan(database, port, serverArguments);

      expect((await start({ database })).tookOver).toBe(false);

      await left.gone;
      expect(await answersAt({ host: '127.0.0.1', port: port })).toBe(false);
    },
  );

  itLong(
    'ends a server that another version left on the same file and port, since it may be more open',
    async () => {
      const database = path.join(folder, 'older.db');
      const port = await freeServerPort();
      const left = await leaveOrphan(database, port);

      const { tookOver, pid } = await start({ database, address: `127.0.0.1:${port}`, ui: false });

      expect(tookOver).toBe(false);
      await left.gone;
      expect(isAlive(identify(pid())!)).toBe(true);
    },
  );

  itLong('refuses a database whose server belongs to another process that lives', async () => {
    const database = path.join(folder, 'shared.db');
    const { pid } = await start({ database });
    const parent = identify(process.ppid)!;
    await writeServerState(database, { server: identify(pid())!, owner: parent, port: 1 });
    await expect(
      startTemporalServer({ cli, address: '127.0.0.1:0', database, logFile: `${database}.log` }),
    ).rejects.toThrow(`[ADDRESS_IN_USE] Process ${parent.pid} already runs Temporal on ${database}`);
  });

  it('ends with this process where it was asked to, and leaves nothing listening', async () => {
    const { address, stop } = await start({ endsWithUs: true, database: path.join(folder, 'ours.db') });
    await stop();
    expect(await answersAt(parseAddress(address))).toBe(false);
  });

  it.each(['0.0.0.0:7233', '192.168.1.4:7233', 'temporal.example.com:7233'])(
    'refuses %s',
    async (address) => {
      await expect(start({ address })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    },
  );

  itLong('refuses an address where something else listens', async () => {
    const other = await start();
    await expect(
      startTemporalServer({ cli, address: other.address, logFile: path.join(folder, 'b.log') }),
    ).rejects.toThrow(`[ADDRESS_IN_USE] Another program already listens at ${other.address}`);
  });

  it('says what the server said where it does not start', async () => {
    const database = path.join(folder, 'folder.db');
    await mkdir(database);
    await expect(start({ database })).rejects.toMatchObject({
      code: 'TEMPORAL_UNREACHABLE',
      message: expect.stringContaining('Temporal does not start: '),
    });
  });
});
