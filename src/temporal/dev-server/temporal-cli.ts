import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PortolanError } from '../../model/errors/errors';
import { childEnvironment } from './child-environment';
import { downloadRelease } from './release-download';

const run = promisify(execFile);

/**
 * The newest release that `go install` can build: later ones replace a module of their own in go.mod,
 * which `go install` refuses. It carries server 1.29.1 and Web UI 2.42.1.
 */
export const CLI_VERSION = '1.5.1';

const RELEASES = `https://github.com/temporalio/cli/releases/download/v${CLI_VERSION}`;

/** sha256 of the archives of that release: what differs is not unpacked. For another machine it is built. */
export const CLI_SUMS = {
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
} as const;

/** The Go command asks the module checksum database about it. */
const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`;
const GO_BUILD_LIMIT_MS = 60 * 60_000;

const executableName = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

export interface TemporalCli {
  readonly path: string;
  /** Where it comes from, for people: `on PATH`, `cache`, ... */
  readonly source: string;
}

export interface FindOptions {
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Told before a step that takes long. */
  readonly onSlowStep?: (what: string) => void;
  /** Puts an executable into an empty folder and says its path. @default downloads the release */
  readonly download?: (folder: string) => Promise<string>;
}

type Attempt = (cli: FindContext) => Promise<TemporalCli | string>;

interface FindContext {
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly onSlowStep: (what: string) => void;
  readonly download: (folder: string) => Promise<string>;
}

/** Where a CLI that we fetched or built is kept for all projects of this user. */
export const cliCacheDir = (env: NodeJS.ProcessEnv = process.env): string =>
  path.join(
    env.XDG_CACHE_HOME || path.join(env.HOME || os.homedir(), '.cache'),
    'portolan',
    `temporal-${CLI_VERSION}`,
  );

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

const named: Attempt = async ({ env }) => {
  const file = env.PORTOLAN_TEMPORAL_CLI;
  if (!file) return 'PORTOLAN_TEMPORAL_CLI: not set';
  // A file that somebody named and that is not there is an error of theirs, not a reason to take another.
  if (!(await isExecutable(file))) {
    throw new PortolanError(
      'TEMPORAL_CLI_MISSING',
      `PORTOLAN_TEMPORAL_CLI names ${file}, which is not executable`,
    );
  }
  return { path: file, source: 'PORTOLAN_TEMPORAL_CLI' };
};

const onPath: Attempt = async ({ env }) => {
  for (const dir of (env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    const file = path.join(dir, executableName);
    if (await isExecutable(file)) return { path: file, source: 'on PATH' };
  }
  return 'PATH: no `temporal`';
};

const cached: Attempt = async ({ cacheDir }) => {
  const file = path.join(cacheDir, executableName);
  return (await isExecutable(file)) ? { path: file, source: 'cache' } : `cache: no ${file}`;
};

const downloaded: Attempt = ({ cacheDir, onSlowStep, download }) =>
  intoCache(cacheDir, `downloaded from ${RELEASES}`, (dir) => {
    onSlowStep('downloading the Temporal CLI');
    return download(dir);
  });

const built: Attempt = ({ cacheDir, onSlowStep, env }) =>
  intoCache(cacheDir, `built with Go from ${GO_PACKAGE}`, async (dir) => {
    const ours = childEnvironment('build', env);
    await run('go', ['version'], { env: ours }).catch(() => {
      throw new Error('no `go` on PATH');
    });
    onSlowStep('building the Temporal CLI with Go, once: about 3 minutes on two cores');
    await run('go', ['install', GO_PACKAGE], {
      env: { ...ours, GOBIN: dir },
      timeout: GO_BUILD_LIMIT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return path.join(dir, executableName);
  });

/** Has a file made in a folder of its own and moves it into the cache whole, so that a broken attempt leaves nothing. */
async function intoCache(
  cacheDir: string,
  source: string,
  make: (dir: string) => Promise<string>,
): Promise<TemporalCli | string> {
  let dir: string | undefined;
  try {
    await mkdir(cacheDir, { recursive: true, mode: 0o700 });
    dir = await mkdtemp(path.join(cacheDir, 'making-'));
    const file = path.join(cacheDir, executableName);
    await rename(await make(dir), file);
    return { path: file, source };
  } catch (error) {
    return `${source}: ${firstLines(error)}`;
  } finally {
    if (dir !== undefined) await rm(dir, { recursive: true, force: true });
  }
}

function firstLines(error: unknown): string {
  const { stderr } = error as { stderr?: string };
  const text = stderr?.trim() || (error instanceof Error ? error.message : String(error));
  return text.split('\n').slice(-3).join(' ').slice(0, 300);
}

/** The Temporal CLI as it is there already: `PORTOLAN_TEMPORAL_CLI`, PATH, our cache. Takes no time. */
export const lookForTemporalCli = async (options: FindOptions = {}): Promise<TemporalCli | undefined> =>
  firstOf([named, onPath, cached], compile(options), []);

/**
 * Finds the Temporal CLI, or makes one: what is there already, else the release for this machine, else one that Go builds.
 * @throws PortolanError `TEMPORAL_CLI_MISSING` naming everything that was tried
 */
export async function findTemporalCli(options: FindOptions = {}): Promise<TemporalCli> {
  const tried: string[] = [];
  const found = await firstOf([named, onPath, cached, downloaded, built], compile(options), tried);
  if (found !== undefined) return found;
  throw new PortolanError(
    'TEMPORAL_CLI_MISSING',
    ['No Temporal CLI was found or could be installed. Tried:', ...tried].join('\n  '),
  );
}

async function firstOf(
  attempts: readonly Attempt[],
  context: FindContext,
  tried: string[],
): Promise<TemporalCli | undefined> {
  for (const attempt of attempts) {
    const found = await attempt(context);
    if (typeof found !== 'string') return found;
    tried.push(found);
  }
  return undefined;
}

function compile(options: FindOptions): FindContext {
  const env = options.env ?? process.env;
  return {
    env,
    cacheDir: cliCacheDir(env),
    onSlowStep: options.onSlowStep ?? (() => {}),
    download:
      options.download ??
      ((dir) => downloadRelease(dir, { version: CLI_VERSION, sums: CLI_SUMS, address: RELEASES, env })),
  };
}
