import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { answersAt, parseAddress } from '../../src/temporal/dev-server/address';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';

const root = path.join(__dirname, '..', '..');

describe('the set-up', () => {
  it('has nothing left to do and nothing to say the second time', () => {
    const setUp = () => spawnSync(process.execPath, ['scripts/setup.mjs'], { cwd: root, encoding: 'utf8' });
    expect(setUp().status).toBe(0);
    expect(setUp()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('puts the command where npx finds it', () => {
    const portolan = path.join(root, 'node_modules', '.bin', 'portolan');
    expect(spawnSync(portolan, ['--version'], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('a Temporal server started by Portolan', () => {
  it('ends on kill -9 of the process that started it', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-owner-'));
    const options = {
      cli: (await findTemporalCli()).path,
      address: '127.0.0.1:0',
      logFile: path.join(folder, 'temporal.log'),
    };
    const owner = spawn(
      process.execPath,
      [
        '-e',
        `require('./dist/temporal/dev-server/temporal-server').startTemporalServer(${JSON.stringify(options)})
          .then(({ address }) => { console.log(address); setInterval(() => {}, 1000); });`,
      ],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const address = parseAddress(line.toString().trim());
    expect(await answersAt(address)).toBe(true);

    owner.kill('SIGKILL');

    while (await answersAt(address)) await sleep(50);
    await rm(folder, { recursive: true, force: true });
  });
});
