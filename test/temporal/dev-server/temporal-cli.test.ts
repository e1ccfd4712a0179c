import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cliCacheDir, downloadRelease, findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';

describe('the search for the Temporal CLI', () => {
  let folder: string;
  let env: { HOME: string; PATH: string; PORTOLAN_TEMPORAL_CLI?: string };

  const place = async (file: string, content = '#!/bin/sh\n'): Promise<string> => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
    await chmod(file, 0o755);
    return file;
  };
  const inCache = () => path.join(cliCacheDir(env), 'temporal');

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-cli-'));
    env = { HOME: path.join(folder, 'home'), PATH: path.join(folder, 'bin') };
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('prefers the one that PORTOLAN_TEMPORAL_CLI names', async () => {
    await place(path.join(env.PATH, 'temporal'));
    env.PORTOLAN_TEMPORAL_CLI = await place(path.join(folder, 'mine'));
    expect(await findTemporalCli({ env })).toEqual({
      path: env.PORTOLAN_TEMPORAL_CLI,
      source: 'PORTOLAN_TEMPORAL_CLI',
    });
  });

  it('refuses a named one that cannot be run', async () => {
    await place(path.join(env.PATH, 'temporal'));
    env.PORTOLAN_TEMPORAL_CLI = path.join(folder, 'none');
    await expect(findTemporalCli({ env })).rejects.toThrow(
      `[TEMPORAL_CLI_MISSING] PORTOLAN_TEMPORAL_CLI names ${env.PORTOLAN_TEMPORAL_CLI}, which is not executable`,
    );
  });

  it('prefers the one on PATH to the one in the cache', async () => {
    await place(inCache());
    const onPath = await place(path.join(env.PATH, 'temporal'));
    expect(await findTemporalCli({ env })).toEqual({ path: onPath, source: 'on PATH' });
    await rm(onPath);
    expect(await findTemporalCli({ env })).toEqual({ path: inCache(), source: 'cache' });
  });

  const noDownload = (): Promise<string> => Promise.reject(new Error('no line'));

  it('builds one with Go into the cache, without our secrets [P15]', async () => {
    const seen = path.join(folder, 'seen');
    await place(
      path.join(env.PATH, 'go'),
      `#!/bin/sh\n/usr/bin/env >>${seen}\ntest "$1" = version || { echo "#!/bin/sh" >"$GOBIN/temporal"; /bin/chmod +x "$GOBIN/temporal"; }\n`,
    );
    const steps: string[] = [];
    const planted = { STAGING_PASSWORD: 'planted', TEMPORAL_API_KEY: 'planted' };
    const found = await findTemporalCli({
      env: { ...env, ...planted, GOPROXY: 'off' },
      download: noDownload,
      onSlowStep: (what) => steps.push(what),
    });
    expect(found).toEqual({ path: inCache(), source: expect.stringContaining('built with Go from ') });
    expect(steps).toEqual([
      'downloading the Temporal CLI',
      'building the Temporal CLI with Go, once: about 3 minutes on two cores',
    ]);
    const given = await readFile(seen, 'utf8');
    expect(given).not.toContain('planted');
    expect(given.split('\n')).toEqual(expect.arrayContaining(['GOPROXY=off', `HOME=${env.HOME}`]));
    expect(await findTemporalCli({ env })).toEqual({ path: inCache(), source: 'cache' });
  });

  it('reports everything that it tried', async () => {
    await expect(findTemporalCli({ env, download: noDownload })).rejects.toThrow(
      [
        `[TEMPORAL_CLI_MISSING] No Temporal CLI is on PATH or in ${cliCacheDir(env)}, and none could be installed:`,
        'downloaded from https://github.com/temporalio/cli/releases/download/v1.5.1: no line',
        'built with Go from github.com/temporalio/cli/cmd/temporal@v1.5.1: no `go` on PATH',
      ].join('\n  '),
    );
  });
});

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

  it('has the recorded checksum, also behind a redirect', async () => {
    const file = await downloadRelease(await into(), { ...release(), address: `${address}/moved` });
    expect(await readFile(file, 'utf8')).toContain('#!/bin/sh');
    expect((await readdir(folder)).includes('ran')).toBe(false);
  });

  it('is neither unpacked nor kept with another checksum [P28]', async () => {
    const env = { HOME: await into(), PATH: path.join(folder, 'no-bin') };
    const sums = { linux_amd64: 'f'.repeat(64) };
    const download = (dir: string): Promise<string> => downloadRelease(dir, { ...release(), sums });
    await expect(findTemporalCli({ env, download })).rejects.toThrow(
      /linux_amd64\.tar\.gz has sha256 [0-9a-f]{64}, not f{64}; it was not unpacked/,
    );
    expect(await readdir(cliCacheDir(env))).toEqual([]);
    await expect(access(path.join(folder, 'ran'))).rejects.toThrow('ENOENT');
  });

  it('is refused without a recorded checksum or a file', async () => {
    await expect(downloadRelease(await into(), release('plan9_mips'))).rejects.toThrow(
      'no checksum is recorded for plan9_mips',
    );
    await expect(downloadRelease(await into(), release('linux_arm64'))).rejects.toThrow('returned HTTP 404');
    const nowhere = { ...release(), address: 'http://127.0.0.1:1' };
    await expect(downloadRelease(await into(), nowhere)).rejects.toThrow(/:1\/.*cannot be reached/);
  });
});
