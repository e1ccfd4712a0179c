// Prints the path of a Chromium that this machine has, or gets: `node scripts/chromium.mjs`. It is the one that CHROMIUM
// names, one on the PATH, that of Debian's package where this may install packages, or the one that playwright-core gets.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** With letters to draw. */
const packages = ['chromium', 'fonts-liberation'];

/** An installation that takes longer has no network. @format milliseconds */
const WITHIN_MS = 240_000;

const NONE =
  'There is no Chromium. Install one, with apt-get install chromium or your own package manager, or set CHROMIUM to the path of one.';

const isProgram = (file) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

async function onPath(candidates) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    for (const name of candidates)
      if (await isProgram(path.join(folder, name))) return path.join(folder, name);
  }
  return undefined;
}

async function fromPackage() {
  const apt = await onPath(['apt-get']);
  if (apt === undefined || process.getuid?.() !== 0) return undefined;
  const options = { timeout: WITHIN_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  await run(apt, ['update', '-qq'], options);
  await run(apt, ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
  return await onPath(names);
}

async function fromPlaywright() {
  const { chromium } = require('playwright-core');
  const cli = path.join(path.dirname(require.resolve('playwright-core/package.json')), 'cli.js');
  const options = { timeout: WITHIN_MS, cwd: root };
  await run(process.execPath, [cli, 'install', '--only-shell', 'chromium'], options);
  return (await isProgram(chromium.executablePath())) ? chromium.executablePath() : undefined;
}

/** Throws a sentence that says what to install where there is none and none can be got. */
export async function findChromium() {
  const named = process.env.CHROMIUM;
  if (named) {
    if (await isProgram(named)) return named;
    throw new Error(`CHROMIUM is ${named}, and that is no program.`);
  }
  const there = await onPath(names);
  if (there !== undefined) return there;
  for (const get of [fromPackage, fromPlaywright]) {
    const got = await get().catch(() => undefined);
    if (got !== undefined) return got;
  }
  throw new Error(NONE);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await findChromium().then(
    (file) => process.stdout.write(`${file}\n`),
    (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    },
  );
}
