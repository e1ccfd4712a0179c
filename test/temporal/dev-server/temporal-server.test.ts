import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listenersOf } from './listeners';
import { itLong } from '../../support/long';
import { connectTemporal } from '../../../src/temporal/connection';
import { findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';
import {
  type TemporalServer,
  type TemporalServerOptions,
  startTemporalServer,
} from '../../../src/temporal/dev-server/temporal-server';

describe('the embedded Temporal server', () => {
  let cli: string;
  let folder: string;
  let state: string;
  /** In memory and with a Web UI. */
  let withUi: TemporalServer;
  /** With a database on disk and without a Web UI. */
  let usual: TemporalServer;

  const start = (more: Partial<TemporalServerOptions>): Promise<TemporalServer> =>
    startTemporalServer({ cli, address: '127.0.0.1:0', logFile: path.join(folder, 'temporal.log'), ...more });
  const connect = ({ address }: TemporalServer) => connectTemporal({ address }, 'default');

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
    state = path.join(folder, 'state');
    withUi = await start({ ui: true });
    process.env.PLANTED_PASSWORD = 'planted';
    usual = await start({
      database: path.join(state, 'temporal.sqlite'),
      logFile: path.join(state, 'temporal.log'),
    });
    delete process.env.PLANTED_PASSWORD;
  });
  afterAll(async () => {
    await Promise.all([withUi?.stop(), usual?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps ended runs for 90 days and knows the search attributes', async () => {
    const { client, connection } = await connect(withUi);
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 3600);
    expect(await client.workflow.count("PortolanRoute = 'transport'")).toEqual({ count: 0, groups: [] });
    await connection.close();
  });

  it('has its Web UI at one address that no web page can guess [P27]', async () => {
    const { uiUrl, pid } = withUi;
    expect((await fetch(uiUrl!)).status).toBe(200);

    const found = listenersOf(pid());
    const answers = await Promise.all(found.map((each) => statusOf(each, '/api/v1/settings')));
    const uis = found.filter((_each, index) => answers[index] === 200);
    expect(uis.map(({ host, port }) => `http://${host}:${port}`)).toEqual([uiUrl]);
    expect(uis[0]?.host).toMatch(/^127\.(?!0\.0\.1$)/);
  });

  it('has no Web UI by default, and responds to no HTTP request [P27]', async () => {
    expect(usual.uiUrl).toBeUndefined();
    const { client, connection } = await connect(usual);
    expect(await client.workflow.count()).toMatchObject({ count: 0 });
    await connection.close();

    const found = listenersOf(usual.pid());
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

  it('knows no secret of ours, and makes private files [P15]', async () => {
    const environment = readFileSync(`/proc/${usual.pid()}/environ`, 'utf8').split('\0').filter(Boolean);
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
  });

  it('leaves no call without an answer open once its connection closes', async () => {
    const { client, connection } = await connect(usual);
    await usual.stop();
    const failed = (call: Promise<unknown>): Promise<unknown> =>
      call.catch(({ cause, message }: Error) => (cause instanceof Error ? cause.message : message));
    const calls = [client.workflow.count(), client.workflow.getHandle('held').result()].map(failed);
    await connection.close();
    const words = '1 CANCELLED: The connection was closed before the call was answered';
    expect(await Promise.all([...calls, failed(client.workflow.count())])).toEqual([words, words, words]);
  });

  it.each(['0.0.0.0:7233', '192.168.1.4:7233', 'temporal.example.com:7233'])(
    'refuses %s',
    async (address) => {
      await expect(start({ address })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    },
  );

  itLong('refuses an address in use', async () => {
    const { address } = withUi;
    await expect(start({ address })).rejects.toThrow(
      `[ADDRESS_IN_USE] Another program already listens at ${address}`,
    );
  });

  it('repeats what the server said if it does not start', async () => {
    const database = path.join(folder, 'folder.db');
    await mkdir(database);
    await expect(start({ database })).rejects.toMatchObject({
      code: 'TEMPORAL_UNREACHABLE',
      message: expect.stringContaining('Temporal does not start: '),
    });
  });
});
