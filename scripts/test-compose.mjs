// Checks Dockerfile and docker-compose.yml without an engine: docker-compose has to accept the file, and the suite in
// test/compose holds its paths, ports and variables against the code.
import { spawnSync } from 'node:child_process';

const say = (line) => process.stderr.write(`${line}\n`);
const run = (command, args, options = {}) =>
  spawnSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8', ...options });

function dockerCompose() {
  const ways = [
    ['docker-compose', []],
    ['docker', ['compose']],
  ];
  return ways.find(([command, args]) => run(command, [...args, 'version'], { stdio: 'ignore' }).status === 0);
}

function findOrInstall() {
  const found = dockerCompose();
  if (found !== undefined) return found;
  say('compose  docker-compose is not there: installing the package docker-compose with apt-get');
  run('apt-get', ['update'], { stdio: 'ignore' });
  run('apt-get', ['install', '--yes', '--no-install-recommends', 'docker-compose'], { stdio: 'ignore' });
  return dockerCompose();
}

const compose = findOrInstall();
if (compose === undefined) {
  say('compose  docker-compose could be neither found nor installed; install it and try again');
  process.exit(1);
}
const [command, args] = compose;
const env = { ...process.env, TEMPORAL_DB_PASSWORD: 'only-for-this-check' };
const config = run(command, [...args, '--file', 'docker-compose.yml', 'config'], { env });
if (config.status !== 0) process.exit(1);
say(`compose  ${command} accepts docker-compose.yml`);

const unset = run(command, [...args, '--file', 'docker-compose.yml', 'config'], {
  env: { ...process.env, TEMPORAL_DB_PASSWORD: '' },
  stdio: 'ignore',
});
if (unset.status === 0) {
  say('compose  docker-compose.yml has to refuse an empty TEMPORAL_DB_PASSWORD');
  process.exit(1);
}
process.exit(
  run(process.execPath, ['node_modules/jest/bin/jest.js', 'test/compose'], { stdio: 'inherit' }).status ?? 1,
);
