// What takes gigabytes: a package of 3 GB through a whole sync (test/transfers, which `npm test` runs with a small one), and
// a group of 12 GB that is synced, backed up and restored (test/big). `npm run test:big -- package` or `-- group` for one.
import { spawnSync } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const GB = 1024 ** 3;
const PACKAGE_GB = 3;

const suites = {
  package: {
    // It lies on the source, in the store, and on the target in parts while it is joined; and a little more.
    neededGb: 4 * PACKAGE_GB + 1,
    args: ['test/transfers'],
    env: { PORTOLAN_TEST_PACKAGE: `${PACKAGE_GB}GB` },
  },
  group: {
    // Its packages lie on the source, in the store and on the target, where one is joined or unpacked at a time.
    neededGb: 3 * 12 + 5 + 3,
    args: ['-c', 'test/big/jest.config.js'],
    env: {},
  },
};

const say = (line) => process.stderr.write(`big  ${line}\n`);
const node = (args, env = {}) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    .status ?? 1;

async function run(name) {
  const { neededGb, args, env } = suites[name];
  const folder = os.tmpdir();
  const { bavail, bsize } = await statfs(folder);
  const free = (bavail * bsize) / GB;
  say(`${name}: needs ${neededGb} GB of disk in ${folder}, where ${free.toFixed(1)} GB are free`);
  if (free >= neededGb) return node([path.join('node_modules', 'jest', 'bin', 'jest.js'), ...args], env);
  say('too little: free some, or name another folder in TMPDIR');
  return 1;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  say(`there is no ${unknown.join(', ')}: name some of ${Object.keys(suites).join(', ')}`);
  process.exitCode = 2;
} else {
  process.exitCode = node([path.join('scripts', 'setup.mjs')]);
  if (process.exitCode === 0)
    for (const name of names.length > 0 ? names : Object.keys(suites))
      process.exitCode = (await run(name)) || process.exitCode;
}
