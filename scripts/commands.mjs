// What the scripts of the suites share: commands that speak for themselves, and what is made once for the cache.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Folder of what commands here fetch or build once: that of `portolan`, `cliCacheDir` in src/temporal/dev-server. */
export const cache = path.join(
  process.env.XDG_CACHE_HOME || path.join(process.env.HOME || os.homedir(), '.cache'),
  'portolan',
);

/** Lines of a script on stderr, each under its name. */
export const sayAs = (name) => (line) => process.stderr.write(`${name}  ${line}\n`);

/** Whether a command is there, and ends with 0. */
export const has = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Runs commands in the project's folder, with this terminal; gives back how each ended. */
export const runner =
  (say) =>
  (command, args, options = {}) => {
    const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
    if (error) say(`${command}: ${error.code === 'ENOENT' ? 'is not on PATH' : error.message}`);
    return status ?? 1;
  };

/** Names a suite of jest, with its arguments, for a runner. */
export const jest = (...args) => [path.join('node_modules', 'jest', 'bin', 'jest.js'), ...args];

/** A module of the build. */
export const ofBuild = (...names) => createRequire(import.meta.url)(path.join(root, 'dist', ...names));

/**
 * Makes something in a folder of its own and moves it into the cache whole: a broken attempt leaves nothing.
 * @param make gets the folder, and says how it ended
 * @param made where it lies in the folder then
 */
export async function makeWhole(at, make, made = '.') {
  await mkdir(path.dirname(at), { recursive: true });
  const making = await mkdtemp(path.join(path.dirname(at), 'making-'));
  try {
    const status = await make(making);
    if (status === 0) {
      await rm(at, { recursive: true, force: true });
      await rename(path.join(making, made), at);
    }
    return status;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

/** Builds a program with Go for the cache, where it is not there yet; gives back how that ended. */
export async function goInstall({ executable, from, makes, say, run }) {
  if (existsSync(executable)) return 0;
  const { childEnvironment } = ofBuild('temporal', 'dev-server', 'temporal-cli.js');
  say(`builds ${from} with Go: some minutes, once`);
  const install = (GOBIN) => run('go', ['install', from], { env: { ...childEnvironment('build'), GOBIN } });
  return await makeWhole(executable, install, makes);
}
