// The metrics of `portolan serve`, the dashboard and the alarms over them, with a real Prometheus: test/ops. Prometheus
// and promtool are those on PATH; else those of Debian's package, unpacked into the project's cache folder: nothing is
// installed, and nothing is started but what the test starts.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache } from './cache.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const programs = ['prometheus', 'promtool'];
const unpacked = path.join(cache, 'prometheus-debian');

const say = (line) => process.stderr.write(`ops  ${line}\n`);

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) say(`${command}: ${error.code === 'ENOENT' ? 'is not on PATH' : error.message}`);
  return status ?? 1;
}

/** Fetches in a folder of its own and moves the result into the cache whole: a broken attempt leaves nothing. */
async function unpack() {
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(path.join(cache, 'making-'));
  // Who is root fetches as root: the account that apt has for it may not write here.
  const download = () =>
    run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', 'prometheus'], { cwd: making });
  try {
    say("fetches Debian's package prometheus, 20 MB, with apt-get, which checks its signature: once");
    if (download() !== 0) {
      say('apt-get knows no such package: looks anew which there are');
      if (run('apt-get', ['update']) !== 0 || download() !== 0) return false;
    }
    const file = (await readdir(making)).find((name) => name.endsWith('.deb'));
    if (run('dpkg-deb', ['--extract', file, 'whole'], { cwd: making }) !== 0) return false;
    await rm(unpacked, { recursive: true, force: true });
    await rename(path.join(making, 'whole'), unpacked);
    return true;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

/** The folder in which both programs are. */
async function findPrometheus() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), path.join(unpacked, 'usr', 'bin')];
  const found = () => folders.find((folder) => programs.every((name) => existsSync(path.join(folder, name))));
  return found() ?? ((await unpack()) ? found() : undefined);
}

const folder = await findPrometheus();
if (folder === undefined) {
  say('there is no Prometheus here: put prometheus and promtool on PATH, and try again');
  process.exitCode = 1;
} else {
  say(`takes prometheus and promtool of ${folder}`);
  process.exitCode =
    run(process.execPath, [path.join('scripts', 'setup.mjs')]) ||
    run(
      process.execPath,
      [path.join('node_modules', 'jest', 'bin', 'jest.js'), '-c', 'test/ops/jest.config.js'],
      {
        env: { ...process.env, PORTOLAN_TEST_PROMETHEUS: folder },
      },
    );
}
