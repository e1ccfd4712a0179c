import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { answersAt } from '../../../src/temporal/dev-server/address';
import { freeServerPort } from '../../support/free-port';
import { listenersOf } from '../../support/listeners';
import { itLong } from '../../support/long';
import { type TemporalClient, connectTemporal } from '../../../src/temporal/connection';
import { stateFileOf } from '../../../src/temporal/dev-server/server-state';

const starter = path.join(__dirname, '..', '..', '..', 'dist', 'starter.js');

/** `portolan up` as a child process: what it says, and a way to wait for a word of it. */
class Up {
  output = '';
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;

  constructor(folder: string, ...options: string[]) {
    this.child = spawn(process.execPath, [starter, 'up', ...options], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.ended = once(this.child, 'exit');
  }

  async says(words: string): Promise<void> {
    while (!this.output.includes(words)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`ended before "${words}":\n${this.output}`);
      await sleep(20);
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    await this.ended;
    return this.child.exitCode;
  }
}

describe('portolan up', () => {
  let folder: string;
  let port: number;
  let up: Up | undefined;
  let temporal: TemporalClient | undefined;

  const started = async (...options: string[]): Promise<Up> => {
    up = new Up(folder, ...options);
    await up.says('ready');
    return up;
  };
  /** The one that an earlier test left running, or a new one. */
  const running = async (): Promise<Up> =>
    up?.child.exitCode === null && up.child.signalCode === null ? up : await started();
  const serverPid = (): number => {
    const file = stateFileOf(path.join(folder, 'var', 'temporal', 'temporal.sqlite'));
    return (JSON.parse(readFileSync(file, 'utf8')) as { server: { pid: number } }).server.pid;
  };
  const connect = async (): Promise<TemporalClient> =>
    (temporal = await connectTemporal({ address: `127.0.0.1:${port}` }, 'default'));

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-up-'));
    port = await freeServerPort();
    const config = {
      temporal: { address: `127.0.0.1:${port}` },
      serve: { address: '127.0.0.1:0' },
      portals: {},
    };
    await writeFile(path.join(folder, 'portolan.yaml'), JSON.stringify(config));
  });
  afterEach(async () => {
    await temporal?.connection.close();
    temporal = undefined;
  });
  afterAll(async () => {
    await up?.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  it('takes over its server after kill -9, with the runs that it held', async () => {
    const killed = await running();
    const server = serverPid();
    const { client } = await connect();
    await client.workflow.start('waits', { workflowId: 'held', taskQueue: 'nobody' });
    await killed.end('SIGKILL');

    await started();

    expect(serverPid()).toBe(server);
    expect((await client.workflow.getHandle('held').describe()).status.name).toBe('RUNNING');
  });

  it('has a page for whoever is at this machine', async () => {
    const { output } = await running();
    const [, url = ''] = /^page +(http:\S+)$/m.exec(output) ?? [];
    const status = await fetch(`${url}/api/v1/status`);
    expect([status.status, await status.json()]).toEqual([200, expect.objectContaining({ running: [] })]);
    const open = spawnSync(process.execPath, [starter, 'open'], { cwd: folder, encoding: 'utf8' });
    expect([open.status, open.stdout]).toEqual([0, `${url}/\n`]);
  });

  itLong('has no page where something else has its address, and says so', async () => {
    const { output } = await running();
    const [, host = ''] = /^page +http:\/\/(\S+)$/m.exec(output) ?? [];
    const elsewhere = await mkdtemp(path.join(os.tmpdir(), 'portolan-up-'));
    const temporalAt = `127.0.0.1:${await freeServerPort()}`;
    const config = { temporal: { address: temporalAt }, serve: { address: host }, portals: {} };
    await writeFile(path.join(elsewhere, 'portolan.yaml'), JSON.stringify(config));
    const second = new Up(elsewhere);
    await second.says('ready');
    expect(second.output).toMatch(
      `page       none: Another program already listens at ${host}. Set another port in serve.address`,
    );
    expect(await second.end('SIGINT')).toBe(0);
    await rm(elsewhere, { recursive: true, force: true });
  });

  it('is there once: a second one on the same state is refused', async () => {
    const { child } = await running();
    const second = spawnSync(process.execPath, [starter, 'up'], { cwd: folder, encoding: 'utf8' });
    expect(second.status).toBe(11);
    expect(second.stderr).toContain(`Process ${child.pid} already runs Temporal on `);
  });

  it('leaves nothing running after Ctrl-C', async () => {
    const ended = await running();
    expect(await ended.end('SIGINT')).toBe(0);
    expect(await answersAt({ host: '127.0.0.1', port })).toBe(false);
  });

  it('closes to others what an earlier version left open, and leaves the Web UI out where it is asked to [P27]', async () => {
    const state = path.join(folder, 'var', 'temporal');
    const record = path.join(folder, 'var', 'store', 'runs', 'earlier', 'record.json');
    await mkdir(path.dirname(record), { recursive: true });
    await writeFile(record, '{}');
    const inVar = await readdir(path.join(folder, 'var'), { recursive: true });
    const open = ['.', ...inVar].map((name) => path.join(folder, 'var', name));
    for (const each of open) await chmod(each, (await stat(each)).isDirectory() ? 0o755 : 0o644);

    const { child, output } = await started('--no-ui', '--no-page');

    expect(output).toMatch(/^ui +none$/m);
    expect(listenersOf(child.pid!)).toEqual([]);
    expect(open).toContain(path.join(state, 'temporal.sqlite'));
    const now = await readdir(path.join(folder, 'var'), { recursive: true });
    for (const name of ['.', ...now]) {
      // The database's journal comes and goes.
      const found = await stat(path.join(folder, 'var', name)).catch(() => undefined);
      if (found !== undefined)
        expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600]);
    }
  });
});
