// The store in a bucket, on a real S3 server: test/store. The server is built once with Go, into the project's cache folder;
// `node scripts/test-s3.mjs build` does no more than that.
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { cache, goInstall, jest, runner, sayAs } from './commands.mjs';

/** test/store/s3/s3-server.ts starts the same. */
const VERSION = '1.8.0';

const GB = 1024 ** 3;
const PACKAGE_GB = 3;
/** The package lies on the source, in the bucket in parts and as a whole, which is copied once more to its place, on the target as parts and as a whole. */
const NEEDED_GB = 6 * PACKAGE_GB + 1;

const executable = path.join(cache, `versitygw-${VERSION}`, 'versitygw');

const say = sayAs('s3');
const run = runner(say);
const setUp = (...args) => run(process.execPath, [path.join('scripts', 'setup.mjs'), ...args]);

async function build() {
  if (existsSync(executable)) return 0;
  const from = `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`;
  return setUp('build') || (await goInstall({ executable, from, makes: 'versitygw', say, run }));
}

/** All of test/store, where there is room for it. */
async function test() {
  const { bavail, bsize } = await statfs(os.tmpdir());
  const free = (bavail * bsize) / GB;
  say(`needs ${NEEDED_GB} GB of disk in ${os.tmpdir()}, where ${free.toFixed(1)} GB are free`);
  if (free < NEEDED_GB) {
    say('too little: free some, or name another folder in TMPDIR');
    return 1;
  }
  const env = { ...process.env, PORTOLAN_TEST_PACKAGE: `${PACKAGE_GB}GB` };
  return (
    (await build()) || setUp() || run(process.execPath, jest('-c', 'test/store/jest.config.js'), { env })
  );
}

process.exitCode = process.argv[2] === 'build' ? await build() : await test();
