// The metrics of `portolan serve`, the dashboard and the alarms over them, with a real Prometheus: test/ops. Prometheus
// and promtool are those on PATH; else those of Debian's package, unpacked into the project's cache folder: nothing is
// installed, and nothing is started but what the test starts.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { cache, jest, makeWhole, runner, sayAs } from './commands.mjs';

const programs = ['prometheus', 'promtool'];
const unpacked = path.join(cache, 'prometheus-debian');

const say = sayAs('ops');
const run = runner(say);

async function unpack(cwd) {
  // Who is root fetches as root: the account that apt has for it may not write here.
  const download = () => run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', 'prometheus'], { cwd });
  say("fetches Debian's package prometheus, 20 MB, with apt-get, which checks its signature: once");
  if (download() !== 0) {
    say('apt-get knows no such package: looks anew which there are');
    const status = run('apt-get', ['update']) || download();
    if (status !== 0) return status;
  }
  const file = (await readdir(cwd)).find((name) => name.endsWith('.deb'));
  return run('dpkg-deb', ['--extract', file, 'whole'], { cwd });
}

/** The folder in which both programs are. */
async function findPrometheus() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), path.join(unpacked, 'usr', 'bin')];
  const found = () => folders.find((folder) => programs.every((name) => existsSync(path.join(folder, name))));
  return found() ?? ((await makeWhole(unpacked, unpack, 'whole')) === 0 ? found() : undefined);
}

const folder = await findPrometheus();
if (folder === undefined) {
  say('there is no Prometheus here: put prometheus and promtool on PATH, and try again');
  process.exitCode = 1;
} else {
  say(`takes prometheus and promtool of ${folder}`);
  const env = { ...process.env, PORTOLAN_TEST_PROMETHEUS: folder };
  process.exitCode =
    run(process.execPath, [path.join('scripts', 'setup.mjs')]) ||
    run(process.execPath, jest('-c', 'test/ops/jest.config.js'), { env });
}
