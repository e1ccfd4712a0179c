// Checks Dockerfile and docker-compose.yml without an engine: docker-compose has to accept the file, the suite in
// test/compose holds its paths, ports and variables against the code, and the image's build is rehearsed in a folder.
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const say = (line) => process.stderr.write(`compose  ${line}\n`);

function run(command, args, options = {}) {
  return spawnSync(command, args, { stdio: 'ignore', encoding: 'utf8', ...options });
}

function must(result, what) {
  if (result.status === 0) return say(what);
  say(`NOT: ${what}`);
  if (result.stderr) process.stderr.write(result.stderr);
  process.exit(1);
}

const dockerCompose = () =>
  [
    ['docker-compose', []],
    ['docker', ['compose']],
  ].find(([command, args]) => run(command, [...args, 'version']).status === 0);

function findOrInstall() {
  const found = dockerCompose();
  if (found !== undefined) return found;
  say('docker-compose is not there: installing the package docker-compose with apt-get');
  run('apt-get', ['update']);
  run('apt-get', ['install', '--yes', '--no-install-recommends', 'docker-compose']);
  return dockerCompose();
}

/** Does what the Dockerfile's first stage does, in a folder of its own, and runs the command that comes out of it. */
async function rehearseBuild() {
  const text = (await readFile('Dockerfile', 'utf8')).replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  const [build] = text.split(/^FROM .*\n/m).filter((stage) => stage.trim() !== '');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-image-'));
  try {
    for (const line of build.trim().split('\n')) {
      const [instruction, ...words] = line.trim().split(/\s+/);
      if (instruction === 'COPY') {
        const target = path.resolve(folder, words.at(-1));
        for (const file of words.slice(0, -1)) {
          const into = words.at(-1).endsWith('/') ? path.join(target, path.basename(file)) : target;
          await cp(file, into, { recursive: true });
        }
      } else if (instruction === 'RUN') {
        const command = words.join(' ');
        must(run('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }), command);
      }
    }
    const version = run(process.execPath, ['dist/starter.js', '--version'], { cwd: folder, stdio: 'pipe' });
    must(version, 'the command runs without the development dependencies');
    const worker = run(process.execPath, ['-e', "require('./dist/worker.js')"], {
      cwd: folder,
      stdio: 'pipe',
    });
    must(worker, 'so does the worker');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const compose = findOrInstall();
if (compose === undefined) {
  say('docker-compose could be neither found nor installed; install it and try again');
  process.exit(1);
}
const [command, args] = compose;
const config = (password) =>
  run(command, [...args, '--file', 'docker-compose.yml', 'config'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TEMPORAL_DB_PASSWORD: password },
  });

must(config('only for this check'), `${command} accepts docker-compose.yml`);
must({ status: config('').status === 0 ? 1 : 0 }, 'it refuses an empty TEMPORAL_DB_PASSWORD');
must(
  run(process.execPath, ['node_modules/jest/bin/jest.js', 'test/compose'], { stdio: 'inherit' }),
  'its paths, ports and variables are those of the code',
);
await rehearseBuild();
