// The store in a bucket, on a real S3 server: test/store. The server is built once with Go, into the project's cache folder;
// `node scripts/test-s3.mjs build` does no more than that.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache } from './cache.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** test/store/s3/s3-server.ts starts the same. */
const VERSION = '1.8.0';
const GO_PACKAGE = `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`;

const GB = 1024 ** 3;
const PACKAGE_GB = 3;
/** The package lies on the source, in the bucket as parts and as a whole, on the target as parts and as a whole. */
const NEEDED_GB = 5 * PACKAGE_GB + 1;

const folder = path.join(cache, `versitygw-${VERSION}`);
const executable = path.join(folder, 'versitygw');

const say = (line) => process.stderr.write(`s3  ${line}\n`);

function run(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env });
  if (error) say(`${command}: ${error.code === 'ENOENT' ? 'is not on PATH' : error.message}`);
  return status ?? 1;
}

/** Builds in a folder of its own and moves the result into the cache whole: a broken attempt leaves nothing. */
async function build() {
  if (existsSync(executable)) return 0;
  const made = run(process.execPath, [path.join('scripts', 'setup.mjs'), 'build']);
  if (made !== 0) return made;
  const { childEnvironment } = createRequire(import.meta.url)(
    path.join(root, 'dist', 'temporal', 'dev-server', 'child-environment.js'),
  );
  say(`builds ${GO_PACKAGE} with Go: a minute or two, once`);
  await mkdir(folder, { recursive: true });
  const making = await mkdtemp(path.join(folder, 'making-'));
  try {
    const status = run('go', ['install', GO_PACKAGE], { ...childEnvironment('build'), GOBIN: making });
    if (status === 0) await rename(path.join(making, 'versitygw'), executable);
    return status;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
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
  return (
    (await build()) ||
    run(process.execPath, [path.join('scripts', 'setup.mjs')]) ||
    run(
      process.execPath,
      [path.join('node_modules', 'jest', 'bin', 'jest.js'), '-c', 'test/store/jest.config.js'],
      { ...process.env, PORTOLAN_TEST_PACKAGE: `${PACKAGE_GB}GB` },
    )
  );
}

process.exitCode = process.argv[2] === 'build' ? await build() : await test();
