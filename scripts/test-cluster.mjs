// A production Temporal server on PostgreSQL, and what Portolan does there: test/cluster. The server and its SQL tool are
// built once with Go, into the project's cache folder, as is the S3 server; PostgreSQL is the distribution's.
// `npm run test:cluster story` takes the suites whose path has that in it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache } from './cache.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** test/cluster/temporal.ts starts the same. */
const VERSION = '1.29.1';
const GO_PACKAGES = { 'temporal-server': 'cmd/server', 'temporal-sql-tool': 'cmd/tools/sql' };

const folder = path.join(cache, `temporal-server-${VERSION}`);

const say = (line) => process.stderr.write(`cluster  ${line}\n`);

function run(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env });
  if (error) say(`${command}: ${error.code === 'ENOENT' ? 'is not on PATH' : error.message}`);
  return status ?? 1;
}

const inRoot = (script, ...args) => run(process.execPath, [path.join('scripts', script), ...args]);
const ofBuild = (...names) => createRequire(import.meta.url)(path.join(root, 'dist', ...names));

/** Builds in a folder of its own and moves the result into the cache whole: a broken attempt leaves nothing. */
async function buildServer() {
  const { childEnvironment } = ofBuild('temporal', 'dev-server', 'child-environment.js');
  for (const [name, inModule] of Object.entries(GO_PACKAGES)) {
    const executable = path.join(folder, name);
    if (existsSync(executable)) continue;
    const goPackage = `go.temporal.io/server/${inModule}@v${VERSION}`;
    say(`builds ${goPackage} with Go: some minutes, once`);
    await mkdir(folder, { recursive: true });
    const making = await mkdtemp(path.join(folder, 'making-'));
    try {
      const status = run('go', ['install', goPackage], { ...childEnvironment('build'), GOBIN: making });
      if (status !== 0) return status;
      await rename(path.join(making, path.basename(inModule)), executable);
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }
  return 0;
}

const has = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const hasPostgresql = () => has('sh', '-c', 'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb');

/** The distribution's own cluster is neither used nor wanted: one is made in a folder for each run. */
function installPostgresql() {
  if (hasPostgresql()) return 0;
  if (!has('apt-get', '--version') || process.getuid() !== 0) {
    say('needs PostgreSQL, 12 or later; as root, type: apt-get install --yes postgresql');
    return 1;
  }
  say('installs PostgreSQL with apt-get');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update'], env);
  return run('apt-get', ['install', '--yes', '--no-install-recommends', 'postgresql'], env);
}

function hasOpenssl() {
  if (has('openssl', 'version')) return 0;
  say('needs openssl, 3 or later, which makes its certificates');
  return 1;
}

process.exitCode =
  hasOpenssl() ||
  installPostgresql() ||
  inRoot('setup.mjs') ||
  (await buildServer()) ||
  inRoot('test-s3.mjs', 'build') ||
  run(process.execPath, [
    path.join('node_modules', 'jest', 'bin', 'jest.js'),
    ...['-c', path.join('test', 'cluster', 'jest.config.js'), ...process.argv.slice(2)],
  ]);
