// Makes what a fresh clone lacks: dependencies, the build, the Temporal CLI. What is there already costs nothing.
// `node scripts/setup.mjs` makes all of it, `node scripts/setup.mjs build` leaves Temporal out.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  copyFile,
  mkdir,
  readFile,
  readdir,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const inRoot = (...names) => path.join(root, ...names);
const require = createRequire(import.meta.url);
const say = (line) => process.stderr.write(`${line}\n`);

const OLDEST_NODE = [20, 20];
const STAMP = inRoot('dist', '.stamp');
const LINK = inRoot('node_modules', '.bin', 'portolan');
const LINK_TARGET = path.join('..', '..', 'dist', 'cli', 'main.js');

let running;

/** Starts the line of a step; its time follows when it ends. */
function begin(name) {
  end();
  running = { started: Date.now() };
  process.stderr.write(`setup  ${name.padEnd(72)} `);
}

function end(result = '') {
  if (running === undefined) return;
  const seconds = ((Date.now() - running.started) / 1000).toFixed(1);
  running = undefined;
  say(`${seconds.padStart(6)}s  ${result}`.trimEnd());
}

async function step(name, work) {
  begin(name);
  await work();
  end();
}

/** Runs a command; its output is shown only where it fails. */
async function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed\n${Buffer.concat(output)}`);
}

const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'));

/** Whether node_modules holds what package-lock.json asks for: npm notes in it what it installed. */
async function isInstalled() {
  const desired = (await readJson(inRoot('package-lock.json'))).packages;
  const there = await readJson(inRoot('node_modules', '.package-lock.json')).then(
    (lock) => lock.packages,
    () => undefined,
  );
  return (
    there !== undefined &&
    Object.entries(desired).every(
      ([name, { version, optional }]) => name === '' || optional || there[name]?.version === version,
    )
  );
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

/** Changes whenever the build could come out differently. */
async function sourceHash() {
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/setup.mjs'].map(
    (name) => inRoot(name),
  );
  const hash = createHash('sha256');
  for (const file of [...(await filesBelow(inRoot('src'))).sort(), ...settings]) {
    hash.update(`${path.relative(root, file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex');
}

/** What is not TypeScript goes along as it is; what has no source any more goes away. */
async function copyAssets() {
  const sources = (await filesBelow(inRoot('src'))).map((file) => path.relative(inRoot('src'), file));
  const expected = new Set(sources.map((name) => name.replace(/\.tsx?$/, '.js')));
  for (const name of sources.filter((source) => !/\.tsx?$/.test(source))) {
    await mkdir(path.dirname(inRoot('dist', name)), { recursive: true });
    await copyFile(inRoot('src', name), inRoot('dist', name));
  }
  for (const file of await filesBelow(inRoot('dist'))) {
    const name = path.relative(inRoot('dist'), file).replace(/\.map$/, '');
    if (/\.js$/.test(name) && name.includes(path.sep) && !expected.has(name)) await rm(file);
  }
}

async function build() {
  await rm(STAMP, { force: true });
  await step('compile', () =>
    run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json']),
  );
  await copyAssets();
  await step('bundle the workflows', async () => {
    const { bundleWorkflows } = require(inRoot('dist', 'temporal', 'workflow-bundle.js'));
    await writeFile(inRoot('dist', 'workflow-bundle.js'), await bundleWorkflows());
  });
  await chmod(inRoot('dist', 'cli', 'main.js'), 0o755);
}

/** `npx portolan` finds the project's own command like that of a dependency. */
async function linkCommand() {
  if ((await readlink(LINK).catch(() => '')) === LINK_TARGET) return;
  await rm(LINK, { force: true });
  await symlink(LINK_TARGET, LINK);
}

async function setUp(everything) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    throw new Error(
      `Portolan needs Node ${OLDEST_NODE.join('.')} or later; this is ${process.versions.node}.`,
    );
  }
  if (!(await isInstalled()))
    await step('install the dependencies (npm ci)', () => run('npm', ['ci', '--no-audit', '--no-fund']));
  const hash = await sourceHash();
  if ((await readFile(STAMP, 'utf8').catch(() => '')) !== hash) {
    await build();
    await writeFile(STAMP, hash);
  }
  await linkCommand();
  if (!everything) return;
  const { findTemporalCli, lookForTemporalCli } = require(
    inRoot('dist', 'temporal', 'dev-server', 'temporal-cli.js'),
  );
  if (await lookForTemporalCli()) return;
  begin('look for the Temporal CLI');
  const { path: file, source } = await findTemporalCli({ onSlowStep: begin });
  end(`${source}: ${file}`);
}

await setUp(process.argv[2] !== 'build').catch((error) => {
  end('failed');
  say(error instanceof Error ? error.message : String(error));
  if (error.hint) say(error.hint);
  process.exit(1);
});
