import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { answersAt, parseAddress } from '../../src/temporal/dev-server/address';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';

const root = path.join(__dirname, '..', '..');

describe('a Temporal server started by Portolan', () => {
  it('ends when its owner is killed', async () => {
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
