import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator';
import { answersAt } from '../../../src/temporal/dev-server/address';
import { portolan } from '../../support/child';
import { freeServerPort } from '../../support/free-port';
import { listenersOf } from './listeners';
import { itLong } from '../../support/long';

const starter = path.join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');

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
  let portals: readonly Simulator[] = [];

  const started = async (...options: string[]): Promise<Up> => {
    up = new Up(folder, ...options);
    await up.says('ready');
    return up;
  };
  const typed = (...args: string[]) =>
    spawnSync(process.execPath, [starter, ...args], { cwd: folder, encoding: 'utf8' });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-up-'));
    port = await freeServerPort();
    const simulated = { version: '11.4', jobPolls: 0, seedItems: 3 };
    const portal = (name: string, seed: string): Promise<Simulator> =>
      startSimulator({ ...simulated, name, seed, state: path.join(folder, name) });
    const [staging, production] = (portals = [
      await portal('staging', 'many'),
      await portal('production', 'empty'),
    ]);
    await writeFile(path.join(folder, 'secret'), 'owner-pw');
    const auth = { type: 'password', username: 'owner', password: { file: './secret' } };
    const config = {
      temporal: { address: `127.0.0.1:${port}` },
      serve: { address: '127.0.0.1:0' },
      portals: { staging: { url: staging?.url, auth }, production: { url: production?.url, auth } },
      routes: {
        asks: {
          source: { portal: 'staging', group: manyGroupId },
          target: { portal: 'production', group: emptyGroupId },
        },
      },
    };
    await writeFile(path.join(folder, 'portolan.yaml'), JSON.stringify(config));
  });
  afterAll(async () => {
    await up?.end('SIGTERM');
    await Promise.all(portals.map((portal) => portal.close()));
    await rm(folder, { recursive: true, force: true });
  });

  it('serves the web UI of this machine', async () => {
    const { output } = await started();
    const [, url = ''] = /^page +(http:\S+)$/m.exec(output) ?? [];
    const status = await fetch(`${url}/api/v1/status`);
    expect([status.status, await status.json()]).toEqual([200, expect.objectContaining({ running: [] })]);
    expect(typed('open')).toMatchObject({ status: 0, stdout: `${url}/\n` });
    expect(output).not.toMatch(/^ui /m);
  });

  it('is refused twice on the same state', () => {
    expect(typed('up')).toMatchObject({
      status: 11,
      stderr: expect.stringContaining(`Process ${up?.child.pid} already runs Temporal on `),
    });
  });

  itLong('has no web UI if its address is in use, and says so', async () => {
    const [, host = ''] = /^page +http:\/\/(\S+)$/m.exec(up?.output ?? '') ?? [];
    const elsewhere = await mkdtemp(path.join(os.tmpdir(), 'portolan-up-'));
    const temporalAt = `127.0.0.1:${await freeServerPort()}`;
    const config = { temporal: { address: temporalAt }, serve: { address: host }, portals: {} };
    await writeFile(path.join(elsewhere, 'portolan.yaml'), JSON.stringify(config));
    const second = new Up(elsewhere);
    await second.says('ready');
    expect(await second.end('SIGINT')).toBe(0);
    expect(second.output).toMatch(
      `page      none: Another program already listens at ${host}. Set another port in serve.address`,
    );
    await rm(elsewhere, { recursive: true, force: true });
  });

  it('takes its server along on kill -9, and continues its runs at the next start', async () => {
    const waiting = await portolan(['sync', 'asks'], { cwd: folder });
    const [, runId = '', hash = ''] = /run approve (\w+) --plan ([\w-]+)/.exec(waiting.stdout) ?? [];
    await up?.end('SIGKILL');
    // Its folder was open to other users.
    await chmod(path.join(folder, 'var', 'temporal'), 0o755);
    await started('--ui', '--no-page');
    const approved = await portolan(['run', 'approve', runId, '--plan', hash], { cwd: folder });
    expect([waiting.status, approved.status]).toEqual([4, 0]);
    expect(await portolan(['run', 'watch', runId], { cwd: folder })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('SUCCEEDED'),
    });
  });

  it('keeps its files private, and can run without the web UI [P27]', async () => {
    const { child, output } = up!;
    const [, ui = ''] = /^ui +(http:\S+)$/m.exec(output) ?? [];
    expect((await fetch(ui)).status).toBe(200);
    expect(listenersOf(child.pid!)).toEqual([]);
    const now = await readdir(path.join(folder, 'var'), { recursive: true });
    for (const name of ['.', ...now]) {
      // The database's journal comes and goes.
      const found = await stat(path.join(folder, 'var', name)).catch(() => undefined);
      if (found !== undefined)
        expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600]);
    }
  });

  it('leaves nothing running after Ctrl-C, and down stops no other process', async () => {
    expect(await up?.end('SIGINT')).toBe(0);
    expect(await answersAt({ host: '127.0.0.1', port })).toBe(false);
    const state = path.join(folder, 'var', 'temporal');
    expect(await readdir(state)).not.toContain('up.json');
    // The process ID of a killed one may belong to another process.
    await writeFile(path.join(state, 'up.json'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    expect(typed('down')).toMatchObject({ status: 0, stdout: 'Nothing is running.\n' });
  });
});
