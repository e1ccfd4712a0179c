// A package of 3 GB through a whole sync: test/transfers, which `npm test` runs with a small one.
import { spawnSync } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const GB = 1024 ** 3;
const PACKAGE_GB = 3;
/** The package lies on the source, in the store, and on the target in parts while it is joined; and a little more. */
const NEEDED_GB = 4 * PACKAGE_GB + 1;

const say = (line) => process.stderr.write(`big  ${line}\n`);
const node = (...args) =>
  spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PORTOLAN_TEST_PACKAGE: `${PACKAGE_GB}GB` },
  }).status ?? 1;

const folder = os.tmpdir();
const { bavail, bsize } = await statfs(folder);
const free = (bavail * bsize) / GB;
say(`needs ${NEEDED_GB} GB of disk in ${folder}, where ${free.toFixed(1)} GB are free`);
if (free < NEEDED_GB) {
  say('too little: free some, or name another folder in TMPDIR');
  process.exitCode = 1;
} else {
  process.exitCode =
    node(path.join('scripts', 'setup.mjs')) ||
    node(path.join('node_modules', 'jest', 'bin', 'jest.js'), 'test/transfers');
}
