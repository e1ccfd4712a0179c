import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { answersAt, parseAddress } from '../../../src/temporal/dev-server/address';
import { freeServerPort } from '../../support/free-port';
import { connectTemporal } from '../../../src/temporal/connection';
import { identify, writeServerState } from '../../../src/temporal/dev-server/server-state';
import { type ServerProcess, spawnServer } from '../../../src/temporal/dev-server/server-process';
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
  const until = async (is: () => boolean): Promise<void> => {
    while (!is()) await sleep(20);
  };

  /** A server on the file, in the state in which `kill -9` of its owner leaves it. */
  const leaveOrphan = async (database: string, port: number): Promise<ServerProcess> => {
    const owner = identify(process.pid)!;
    const orphan = await spawnServer({
      ...{ cli, host: '127.0.0.1', port, database, namespace: 'default' },
      ...{ logFile: `${database}.log`, endsWithUs: false },
    });
    await writeServerState(database, { server: orphan.identity, owner: { ...owner, mark: 'ended' }, port });
    return orphan;
  };

  beforeAll(async () => {
    cli = (await findTemporalCli()).path;
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-server-'));
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    events = [];
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('answers, keeps ended runs for 90 days and knows the search attributes as soon as it has started', async () => {
    const { client, connection } = await connect(await start());
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 3600);
    expect(await client.workflow.count("PortolanRoute = 'transport'")).toEqual({ count: 0, groups: [] });
    await connection.close();
  });

  it('shows its Web UI where it says', async () => {
    const { uiUrl } = await start();
    expect((await fetch(uiUrl!)).status).toBe(200);
  });

  it('comes back on the same file, with the runs that it held, after kill -9', async () => {
    const database = path.join(folder, 'killed.db');
    const before = await start({ database });
    const { client, connection } = await connect(before);
    await client.workflow.start('waits', { workflowId: 'held', taskQueue: 'nobody' });

    const killed = before.pid();
    process.kill(killed, 'SIGKILL');
    await until(() => events.includes('Temporal is back'));

    expect(before.pid()).not.toBe(killed);
    expect((await client.workflow.getHandle('held').describe()).status.name).toBe('RUNNING');
    await connection.close();
  });

  it('takes over a server that a killed process left on the same file and port', async () => {
    const database = path.join(folder, 'orphan.db');
    const port = await freeServerPort();
    const left = await leaveOrphan(database, port);

    const { address, tookOver, pid, stop } = await start({
      database,
      address: `127.0.0.1:${port}`,
      ui: false,
    });

    expect({ tookOver, pid: pid() }).toEqual({ tookOver: true, pid: left.identity.pid });
    await stop();
    expect(await answersAt(parseAddress(address))).toBe(false);
  });

  it('ends a server that was left on the same file at another port, so that the file has one server', async () => {
    const database = path.join(folder, 'moved.db');
    const port = await freeServerPort();
    const left = await leaveOrphan(database, port);

    expect((await start({ database })).tookOver).toBe(false);

    await left.gone;
    expect(await answersAt({ host: '127.0.0.1', port: port })).toBe(false);
  });

  it('refuses a database whose server belongs to another process that lives', async () => {
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

  it('refuses an address where something else listens', async () => {
    const other = await start();
    await expect(
      startTemporalServer({ cli, address: other.address, logFile: path.join(folder, 'b.log') }),
    ).rejects.toThrow(`[ADDRESS_IN_USE] Something else listens at ${other.address}`);
  });

  it('says what the server said where it does not start', async () => {
    await expect(start({ database: folder })).rejects.toMatchObject({
      code: 'TEMPORAL_UNREACHABLE',
      message: expect.stringContaining('Temporal does not start: '),
    });
  });
});
