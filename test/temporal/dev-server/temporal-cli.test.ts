import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cliCacheDir, findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';

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

  it('takes the one that PORTOLAN_TEMPORAL_CLI names before all others', async () => {
    await place(path.join(env.PATH, 'temporal'));
    env.PORTOLAN_TEMPORAL_CLI = await place(path.join(folder, 'mine'));
    expect(await findTemporalCli({ env })).toEqual({
      path: env.PORTOLAN_TEMPORAL_CLI,
      source: 'PORTOLAN_TEMPORAL_CLI',
    });
  });

  it('refuses a named one that cannot be run, instead of taking another', async () => {
    await place(path.join(env.PATH, 'temporal'));
    env.PORTOLAN_TEMPORAL_CLI = path.join(folder, 'none');
    await expect(findTemporalCli({ env })).rejects.toThrow(
      `[TEMPORAL_CLI_MISSING] PORTOLAN_TEMPORAL_CLI names ${env.PORTOLAN_TEMPORAL_CLI}, which is not executable`,
    );
  });

  it('takes the one on PATH before the one in the cache', async () => {
    await place(inCache());
    const onPath = await place(path.join(env.PATH, 'temporal'));
    expect(await findTemporalCli({ env })).toEqual({ path: onPath, source: 'on PATH' });
    await rm(onPath);
    expect(await findTemporalCli({ env })).toEqual({ path: inCache(), source: 'cache' });
  });

  it('builds one with Go into the cache where there is none, and finds it there from then on', async () => {
    await place(
      path.join(env.PATH, 'go'),
      '#!/bin/sh\ntest "$1" = version || { echo "#!/bin/sh" >"$GOBIN/temporal"; /bin/chmod +x "$GOBIN/temporal"; }\n',
    );
    const noDownload = async (): Promise<string> => {
      throw new Error('no line');
    };
    const steps: string[] = [];
    const found = await findTemporalCli({
      env,
      download: noDownload,
      onSlowStep: (what) => steps.push(what),
    });
    expect(found.path).toBe(inCache());
    expect(found.source).toContain('built with Go from ');
    expect(steps).toEqual([
      'downloading the Temporal CLI',
      'building the Temporal CLI with Go, once: about 3 minutes on two cores',
    ]);
    expect(await findTemporalCli({ env })).toEqual({ path: inCache(), source: 'cache' });
  });

  it('gives Go no variable of ours that it does not need', async () => {
    const seen = path.join(folder, 'seen');
    await place(
      path.join(env.PATH, 'go'),
      `#!/bin/sh\n/usr/bin/env >>${seen}\ntest "$1" = version || { echo "#!/bin/sh" >"$GOBIN/temporal"; /bin/chmod +x "$GOBIN/temporal"; }\n`,
    );
    const download = async (): Promise<string> => {
      throw new Error('no line');
    };
    const planted = { STAGING_PASSWORD: 'planted', TEMPORAL_API_KEY: 'planted' };
    await findTemporalCli({ env: { ...env, ...planted, GOPROXY: 'off' }, download });
    const given = await readFile(seen, 'utf8');
    expect(given).not.toContain('planted');
    expect(given.split('\n')).toEqual(expect.arrayContaining(['GOPROXY=off', `HOME=${env.HOME}`]));
  });

  it('tells everything that it tried where nothing works', async () => {
    const download = async (): Promise<string> => {
      throw new Error('no line');
    };
    await expect(findTemporalCli({ env, download })).rejects.toThrow(
      [
        `[TEMPORAL_CLI_MISSING] No Temporal CLI is on PATH or in ${cliCacheDir(env)}, and none could be installed:`,
        'downloaded from https://github.com/temporalio/cli/releases/download/v1.5.1: no line',
        'built with Go from github.com/temporalio/cli/cmd/temporal@v1.5.1: no `go` on PATH',
      ].join('\n  '),
    );
  });
});
