import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator';
import { answersAt } from '../../../src/temporal/dev-server/address';
import { Portolan } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { freeServerPort } from '../../support/free-port';
import { listenersOf } from './listeners';
import { itLong } from '../../support/long';
import { until } from '../../support/until';

async function ended({ child, ended: end }: Portolan, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  return (await end).status;
}
/** What it printed after a word. */
const printed = ({ stdout, stderr }: Portolan, word: string): string =>
  new RegExp(`^${word} +http://(\\S+)$`, 'm').exec(`${stdout}\n${stderr}`)?.[1] ?? '';

describe('portolan up', () => {
  let folder: string;
  let port: number;
  let up: Portolan;
  let portals: readonly Simulator[] = [];

  const start = async (...options: string[]): Promise<void> => {
    up = new Portolan(['up', ...options], { cwd: folder });
    await up.says('ready');
  };
  const typed = (...args: string[]) => inProcess(args, { cwd: folder });

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
    await ended(up, 'SIGTERM');
    await Promise.all(portals.map((portal) => portal.close()));
    await rm(folder, { recursive: true, force: true });
  });

  it('serves the web UI of this machine', async () => {
    await start();
    const url = `http://${printed(up, 'page')}`;
    const status = await fetch(`${url}/api/v1/status`);
    expect([status.status, await status.json()]).toEqual([200, expect.objectContaining({ running: [] })]);
    expect(await typed('open')).toMatchObject({ status: 0, stdout: `${url}/\n` });
    expect(printed(up, 'ui')).toBe('');
  });

  it('is refused twice on the same state', async () => {
    expect(await typed('up')).toMatchObject({
      status: 11,
      stderr: expect.stringContaining(`Process ${up.child.pid} already runs Temporal on `),
    });
  });

  itLong('has no web UI if its address is in use, and says so', async () => {
    const host = printed(up, 'page');
    const elsewhere = await mkdtemp(path.join(os.tmpdir(), 'portolan-up-'));
    const temporalAt = `127.0.0.1:${await freeServerPort()}`;
    const config = { temporal: { address: temporalAt }, serve: { address: host }, portals: {} };
    await writeFile(path.join(elsewhere, 'portolan.yaml'), JSON.stringify(config));
    const second = new Portolan(['up'], { cwd: elsewhere });
    await second.says('ready');
    expect(await ended(second, 'SIGINT')).toBe(0);
    expect(second.stdout + second.stderr).toMatch(
      `page      none: Another program already listens at ${host}. Set another port in serve.address`,
    );
    await rm(elsewhere, { recursive: true, force: true });
  });

  it('takes its server along on kill -9, and continues its runs at the next start', async () => {
    const waiting = await typed('sync', 'asks');
    const [, runId = '', hash = ''] = /run approve (\w+) --plan ([\w-]+)/.exec(waiting.stdout) ?? [];
    await ended(up, 'SIGKILL');
    // Its folder was open to other users.
    await chmod(path.join(folder, 'var', 'temporal'), 0o755);
    await start('--ui', '--no-page');
    const approved = await typed('run', 'approve', runId, '--plan', hash);
    expect([waiting.status, approved.status]).toEqual([4, 0]);
    const runs = path.join(folder, 'var', 'store', 'runs');
    const [run = ''] = await readdir(runs);
    const record = () => readFile(path.join(runs, run, 'record.json'), 'utf8');
    await until('the run to succeed', record, (text) => text.includes('"status":"succeeded"'));
  });

  it('keeps its files private, and can run without the web UI [P27]', async () => {
    expect((await fetch(`http://${printed(up, 'ui')}`)).status).toBe(200);
    expect(listenersOf(up.child.pid!)).toEqual([]);
    const now = await readdir(path.join(folder, 'var'), { recursive: true });
    for (const name of ['.', ...now]) {
      // The database's journal comes and goes.
      const found = await stat(path.join(folder, 'var', name)).catch(() => undefined);
      if (found !== undefined)
        expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600]);
    }
  });

  it('leaves nothing running after Ctrl-C, and down stops no other process', async () => {
    expect(await ended(up, 'SIGINT')).toBe(0);
    expect(await answersAt({ host: '127.0.0.1', port })).toBe(false);
    const state = path.join(folder, 'var', 'temporal');
    expect(await readdir(state)).not.toContain('up.json');
    // The process ID of a killed one may belong to another process.
    await writeFile(path.join(state, 'up.json'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    expect(await typed('down')).toMatchObject({ status: 0, stdout: 'Nothing is running.\n' });
  });
});
