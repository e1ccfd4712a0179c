import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { downloadRelease } from '../../../src/temporal/dev-server/release-download';
import { cliCacheDir, findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';

const NAME = 'temporal_cli_1.2.3_linux_amd64.tar.gz';

describe('a Temporal CLI that is downloaded', () => {
  let folder: string;
  let archive: Buffer;
  let server: http.Server;
  let address: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-release-'));
    const ran = path.join(folder, 'ran');
    await writeFile(path.join(folder, 'temporal'), `#!/bin/sh\ntouch ${ran}\n`);
    await chmod(path.join(folder, 'temporal'), 0o755);
    execFileSync('tar', ['-czf', NAME, 'temporal'], { cwd: folder });
    archive = await readFile(path.join(folder, NAME));
    server = http.createServer(({ url }, response) => {
      if (url === `/moved/${NAME}`) response.writeHead(302, { location: `/${NAME}` }).end();
      else if (url === `/${NAME}`) response.end(archive);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  const into = (): Promise<string> => mkdtemp(path.join(folder, 'into-'));
  const release = (platform = 'linux_amd64') => ({
    version: '1.2.3',
    address,
    platform,
    sums: { linux_amd64: createHash('sha256').update(archive).digest('hex'), linux_arm64: 'another' },
  });

  it('is the one whose sum is recorded, from wherever a redirect leads to', async () => {
    const file = await downloadRelease(await into(), { ...release(), address: `${address}/moved` });
    expect(await readFile(file, 'utf8')).toContain('#!/bin/sh');
    expect((await readdir(folder)).includes('ran')).toBe(false);
  });

  it('is neither unpacked nor kept where its bytes are others [P28]', async () => {
    const env = { HOME: await into(), PATH: path.join(folder, 'no-bin') };
    const sums = { linux_amd64: 'f'.repeat(64) };
    const download = (dir: string): Promise<string> => downloadRelease(dir, { ...release(), sums });
    await expect(findTemporalCli({ env, download })).rejects.toThrow(
      /linux_amd64\.tar\.gz has sha256 [0-9a-f]{64}, not f{64}; it was not unpacked/,
    );
    expect(await readdir(cliCacheDir(env))).toEqual([]);
    await expect(access(path.join(folder, 'ran'))).rejects.toThrow('ENOENT');
  });

  it('is refused if no checksum is recorded for this machine, or the address has no file', async () => {
    await expect(downloadRelease(await into(), release('plan9_mips'))).rejects.toThrow(
      'no checksum is recorded for plan9_mips',
    );
    await expect(downloadRelease(await into(), release('linux_arm64'))).rejects.toThrow('returned HTTP 404');
    const nowhere = { ...release(), address: 'http://127.0.0.1:1' };
    await expect(downloadRelease(await into(), nowhere)).rejects.toThrow(/:1\/.*cannot be reached/);
  });
});
