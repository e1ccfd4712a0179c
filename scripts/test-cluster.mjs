// A production Temporal server on PostgreSQL, and what Portolan does there: test/cluster. The server and its SQL tool are
// built once with Go, into the project's cache folder, as is the S3 server; PostgreSQL is the distribution's.
// `npm run test:cluster story` takes the suites whose path has that in it.
import path from 'node:path';
import { cache, goInstall, has, jest, runner, sayAs } from './commands.mjs';

/** test/cluster/temporal.ts starts the same. */
const VERSION = '1.29.1';
const GO_PACKAGES = { 'temporal-server': 'cmd/server', 'temporal-sql-tool': 'cmd/tools/sql' };

const folder = path.join(cache, `temporal-server-${VERSION}`);

const say = sayAs('cluster');
const run = runner(say);
const inRoot = (script, ...args) => run(process.execPath, [path.join('scripts', script), ...args]);

async function buildServer() {
  for (const [name, inModule] of Object.entries(GO_PACKAGES)) {
    const executable = path.join(folder, name);
    const from = `go.temporal.io/server/${inModule}@v${VERSION}`;
    const status = await goInstall({ executable, from, makes: path.basename(inModule), say, run });
    if (status !== 0) return status;
  }
  return 0;
}

/** What the distribution has, by what shows that it is there. PostgreSQL's own cluster is not used: one is made for each run. */
const PACKAGES = {
  postgresql: 'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb',
  libfaketime: 'ls /usr/lib/*/faketime/libfaketime.so.1',
};

function installPackages() {
  const missing = Object.entries(PACKAGES).flatMap(([name, shows]) => (has('sh', '-c', shows) ? [] : [name]));
  if (missing.length === 0) return 0;
  if (!has('apt-get', '--version') || process.getuid() !== 0) {
    say(
      `needs PostgreSQL, 12 or later, and libfaketime; as root, type: apt-get install --yes ${missing.join(' ')}`,
    );
    return 1;
  }
  say(`installs ${missing.join(' and ')} with apt-get`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update'], { env });
  return run('apt-get', ['install', '--yes', '--no-install-recommends', ...missing], { env });
}

function hasOpenssl() {
  if (has('openssl', 'version')) return 0;
  say('needs openssl, 3 or later, which makes its certificates');
  return 1;
}

process.exitCode =
  hasOpenssl() ||
  installPackages() ||
  inRoot('setup.mjs') ||
  (await buildServer()) ||
  inRoot('test-s3.mjs', 'build') ||
  run(process.execPath, jest('-c', path.join('test', 'cluster', 'jest.config.js'), ...process.argv.slice(2)));
