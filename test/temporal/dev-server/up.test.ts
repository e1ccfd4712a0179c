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
import { listenersOf } from '../../support/listeners';
import { itLong } from '../../support/long';
import { until } from '../../support/until';

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
  let portals: Simulator[] = [];

  const started = async (...options: string[]): Promise<Up> => {
    up = new Up(folder, ...options);
    await up.says('ready');
    return up;
  };
  /** The one that an earlier test left running, or a new one. */
  const running = async (): Promise<Up> =>
    up?.child.exitCode === null && up.child.signalCode === null ? up : await started();

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-up-'));
    port = await freeServerPort();
    const simulated = { version: '11.4', jobPolls: 0, seedItems: 3 };
    const [staging, production] = (portals = [
      await startSimulator({
        ...simulated,
        name: 'staging',
        seed: 'many',
        state: path.join(folder, 'staging'),
      }),
      await startSimulator({
        ...simulated,
        name: 'production',
        seed: 'empty',
        state: path.join(folder, 'production'),
      }),
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

  it('ends with its server on kill -9, and its runs continue to their end at the next start', async () => {
    const killed = await running();
    const waiting = await portolan(['sync', 'asks'], { cwd: folder });
    const [, runId = '', hash = ''] = /run approve (\w+) --plan ([\w-]+)/.exec(waiting.stdout) ?? [];
    await killed.end('SIGKILL');
    await until(
      'the end of its server',
      () => answersAt({ host: '127.0.0.1', port }),
      (answers) => !answers,
    );

    await started();

    const approved = await portolan(['run', 'approve', runId, '--plan', hash], { cwd: folder });
    expect([waiting.status, approved.status]).toEqual([4, 0]);
    expect(await portolan(['run', 'watch', runId], { cwd: folder })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('SUCCEEDED'),
    });
  });

  it('starts again right after kill -9, on the same address', async () => {
    await (await running()).end('SIGKILL');
    await started();
  });

  it('has a page for whoever is at this machine', async () => {
    const { output } = await running();
    const [, url = ''] = /^page +(http:\S+)$/m.exec(output) ?? [];
    const status = await fetch(`${url}/api/v1/status`);
    expect([status.status, await status.json()]).toEqual([200, expect.objectContaining({ running: [] })]);
    const open = spawnSync(process.execPath, [starter, 'open'], { cwd: folder, encoding: 'utf8' });
    expect([open.status, open.stdout]).toEqual([0, `${url}/\n`]);
    expect(output).not.toMatch(/^ui /m);
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
    expect(await second.end('SIGINT')).toBe(0);
    expect(second.output).toMatch(
      `page      none: Another program already listens at ${host}. Set another port in serve.address`,
    );
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
    expect(await readdir(path.join(folder, 'var', 'temporal'))).not.toContain('up.json');
  });

  it('signals nobody else when the process ID of a killed one was given to another process', async () => {
    const state = path.join(folder, 'var', 'temporal');
    await writeFile(path.join(state, 'up.json'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    const down = spawnSync(process.execPath, [starter, 'down'], { cwd: folder, encoding: 'utf8' });
    expect([down.status, down.stdout]).toEqual([0, 'Nothing is running.\n']);
  });

  it('keeps its files private, also in a folder that was open, and can run without the web UI [P27]', async () => {
    const state = path.join(folder, 'var', 'temporal');
    await chmod(state, 0o755);

    const { child, output } = await started('--ui', '--no-page');

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
});
