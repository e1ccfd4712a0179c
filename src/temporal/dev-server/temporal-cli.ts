import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { PortolanError } from '../../model/errors/errors';
import { onlyVariables, openVariables } from '../../model/open-variables';

const run = promisify(execFile);

/**
 * The newest release that `go install` can build: later ones replace a module of their own in go.mod,
 * which `go install` refuses. It carries server 1.29.1 and Web UI 2.42.1.
 */
const CLI_VERSION = '1.5.1';

const RELEASES = `https://github.com/temporalio/cli/releases/download/v${CLI_VERSION}`;

/** sha256 of the archives of that release: what differs is not unpacked. For another machine it is built. */
const CLI_SUMS = {
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
} as const;

/** The Go command asks the module checksum database about it. */
const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`;
const GO_BUILD_LIMIT_MS = 60 * 60_000;

interface TemporalCli {
  readonly path: string;
  /** Where it comes from, for people: `on PATH`, `cache`, ... */
  readonly source: string;
}

interface FindOptions {
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Told before a step that takes long. */
  readonly onSlowStep?: (what: string) => void;
  /** Puts an executable into an empty folder and says its path. @default downloads the release */
  readonly download?: (folder: string) => Promise<string>;
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

/**
 * The Temporal CLI as it is there already: `PORTOLAN_TEMPORAL_CLI`, PATH, our cache. Takes no time.
 * @throws PortolanError `TEMPORAL_CLI_MISSING` if the named one cannot be run: another one is not what was asked for
 */
export async function lookForTemporalCli(env = process.env): Promise<TemporalCli | undefined> {
  const named = env.PORTOLAN_TEMPORAL_CLI;
  if (named && !(await isExecutable(named)))
    throw new PortolanError(
      'TEMPORAL_CLI_MISSING',
      `PORTOLAN_TEMPORAL_CLI names ${named}, which is not executable`,
    );
  if (named) return { path: named, source: 'PORTOLAN_TEMPORAL_CLI' };
  const cache = cliCacheDir(env);
  for (const folder of [...(env.PATH ?? '').split(path.delimiter).filter(Boolean), cache]) {
    const file = path.join(folder, 'temporal');
    if (await isExecutable(file)) return { path: file, source: folder === cache ? 'cache' : 'on PATH' };
  }
  return undefined;
}

/**
 * Finds the Temporal CLI, or makes one: what is there already, else the release for this machine, else one that Go builds.
 * @throws PortolanError `TEMPORAL_CLI_MISSING` naming everything that was tried
 */
export async function findTemporalCli(options: FindOptions = {}): Promise<TemporalCli> {
  const { env = process.env, onSlowStep = () => {} } = options;
  const release = { version: CLI_VERSION, sums: CLI_SUMS, address: RELEASES, env };
  const { download = (folder: string) => downloadRelease(folder, release) } = options;
  const found = await lookForTemporalCli(env);
  if (found !== undefined) return found;

  const cache = cliCacheDir(env);
  const ways = [
    {
      source: `downloaded from ${RELEASES}`,
      make: (folder: string) => {
        onSlowStep('downloading the Temporal CLI');
        return download(folder);
      },
    },
    {
      source: `built with Go from ${GO_PACKAGE}`,
      make: (folder: string) => buildWithGo(folder, env, onSlowStep),
    },
  ];
  const failures: string[] = [];
  for (const { source, make } of ways) {
    try {
      return { path: await makeInCache(cache, make), source };
    } catch (error) {
      failures.push(`${source}: ${lastLines(error)}`);
    }
  }
  throw new PortolanError(
    'TEMPORAL_CLI_MISSING',
    [`No Temporal CLI is on PATH or in ${cache}, and none could be installed:`, ...failures].join('\n  '),
  );
}

const DOWNLOAD_LIMIT_MS = 10 * 60_000;
/** Four times what an archive has. @format bytes */
const ARCHIVE_BYTES_MAX = 256 * 1024 ** 2;

interface Release {
  readonly version: string;
  /** sha256 of an archive, by what it is for, such as `linux_amd64`: no other is taken. */
  readonly sums: Readonly<Record<string, string>>;
  /** Address of the folder in which the archives lie. */
  readonly address: string;
  /** What to download for. @default this machine */
  readonly platform?: string;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
}

/** This machine, as archives name it. */
const thisPlatform = (): string => `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;

/**
 * Downloads a release of the Temporal CLI and unpacks it only if its checksum matches. Does not run it.
 * @param folder is empty
 * @returns path of the executable
 */
export async function downloadRelease(
  folder: string,
  { version, sums, address, platform = thisPlatform(), env }: Release,
): Promise<string> {
  const expected = sums[platform];
  if (expected === undefined) throw new Error(`no checksum is recorded for ${platform}`);
  const name = `temporal_cli_${version}_${platform}.tar.gz`;
  const archive = path.join(folder, name);
  const seen = await save(`${address}/${name}`, archive);
  if (seen !== expected) throw new Error(`${name} has sha256 ${seen}, not ${expected}; it was not unpacked`);
  await run('tar', ['-xzf', archive, '-C', folder, 'temporal'], { env: childEnvironment('look', env) });
  return path.join(folder, 'temporal');
}

/**
 * Follows redirects, by the proxies of the environment.
 * @returns the sha256 of what was saved
 */
async function save(url: string, file: string): Promise<string> {
  const dispatcher = new EnvHttpProxyAgent();
  const sum = createHash('sha256');
  let bytes = 0;
  try {
    const answer = await fetch(url, { dispatcher, signal: AbortSignal.timeout(DOWNLOAD_LIMIT_MS) });
    if (!answer.ok || answer.body === null) throw new Error(`${url} returned HTTP ${answer.status}`);
    const summed = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > ARCHIVE_BYTES_MAX) throw new Error(`${url} is longer than ${ARCHIVE_BYTES_MAX} bytes`);
        sum.update(chunk);
        yield chunk;
      }
    };
    await pipeline(answer.body, summed, createWriteStream(file, { mode: 0o600 }));
    return sum.digest('hex');
  } catch (thrown) {
    const { cause } = thrown as { cause?: unknown };
    throw cause instanceof Error ? new Error(`${url} cannot be reached (${cause.message})`) : thrown;
  } finally {
    await dispatcher.destroy();
  }
}

async function buildWithGo(
  folder: string,
  env: NodeJS.ProcessEnv,
  onSlowStep: (what: string) => void,
): Promise<string> {
  const ours = childEnvironment('build', env);
  await run('go', ['version'], { env: ours }).catch(() => {
    throw new Error('no `go` on PATH');
  });
  onSlowStep('building the Temporal CLI with Go, once: about 3 minutes on two cores');
  await run('go', ['install', GO_PACKAGE], {
    env: { ...ours, GOBIN: folder },
    timeout: GO_BUILD_LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return path.join(folder, 'temporal');
}

/** Moves what was made in a folder of its own into the cache whole, so that a broken attempt leaves nothing. */
async function makeInCache(cache: string, make: (folder: string) => Promise<string>): Promise<string> {
  await mkdir(cache, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(cache, 'making-'));
  try {
    const file = path.join(cache, 'temporal');
    await rename(await make(folder), file);
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a failed program said last, else the message. */
function lastLines(error: unknown): string {
  const { stderr } = error as { stderr?: string };
  const text = stderr?.trim() || (error instanceof Error ? error.message : String(error));
  return text.split('\n').slice(-3).join(' ').slice(0, 300);
}

/** How a program written in Go uses memory and processors. */
const goRuntime = ['GOGC', 'GOMEMLIMIT', 'GOMAXPROCS', 'GODEBUG', 'GOTRACEBACK'] as const;

/** Proxy and certificate settings. */
const network = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
] as const;

/** Settings of the Go command, as `go help environment` lists them. */
const goCommand = [
  ...['GOROOT', 'GOPATH', 'GOBIN', 'GOENV', 'GOFLAGS', 'GOTOOLCHAIN', 'GOWORK', 'GO111MODULE'],
  ...['GOCACHE', 'GOMODCACHE', 'GOTMPDIR'],
  ...['GOPROXY', 'GONOPROXY', 'GOPRIVATE', 'GOSUMDB', 'GONOSUMDB', 'GOINSECURE', 'GOVCS', 'GOAUTH', 'NETRC'],
  ...['GOOS', 'GOARCH', 'GOAMD64', 'GOARM64', 'CGO_ENABLED', 'CC', 'CXX'],
] as const;

/** Names that pass, by what the program is for. Whole names: `GO…` would let `GOOGLE_API_KEY` through. */
const names = {
  /** Temporal's server: it fetches nothing, and is told everything by its arguments. */
  server: [...openVariables, ...goRuntime],
  /** `go install`, `go version`. */
  build: [...openVariables, ...goRuntime, ...network, ...goCommand],
  /** Local programs such as `ps`. */
  look: openVariables,
} as const satisfies Record<string, readonly string[]>;

/** Environment of programs we start: only what they need, so no password, key or chat URL. */
export const childEnvironment = (
  purpose: keyof typeof names,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv => onlyVariables(names[purpose], env);
