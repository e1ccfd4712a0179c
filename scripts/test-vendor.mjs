// Drives the vendor's Python client against two simulated portals, end to end.
// The Python environment is made once, in the project's cache folder.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { cache, root } from './commands.mjs';

const vendor = path.join(root, 'test', 'vendor');
const require = createRequire(import.meta.url);
const { startSimulator } = require(path.join(root, 'dist', 'simulator', 'simulator.js'));
const { transportGroupId, transportTargetGroupId } = require(
  path.join(root, 'dist', 'simulator', 'seed', 'transport.js'),
);

/** Items of the seed that an export takes. */
const EXPORTED = 11;

async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (status !== 0) throw new Error(`${path.basename(command)} ended with status ${status}`);
}

/** The interpreter of an environment with exactly the named packages; made anew when they change. */
async function python() {
  const requirements = path.join(vendor, 'requirements.txt');
  const hash = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12);
  const folder = path.join(cache, `vendor-python-${hash}`);
  const interpreter = path.join(folder, 'bin', 'python');
  const done = path.join(folder, 'done');
  if (await readFile(done).then(Boolean, () => false)) return interpreter;
  console.log(`making a Python environment in ${folder} (about 550 MB, a few minutes)`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(interpreter, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', requirements]);
  await writeFile(done, 'yes\n');
  return interpreter;
}

async function migrate(interpreter, title, options) {
  console.log(`\n${title}`);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-vendor-'));
  const open = [];
  try {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name));
    await run(interpreter, [path.join(vendor, 'certificate.py'), key, cert]);
    const tls = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
    const start = async (name, version, seed) => {
      const state = path.join(folder, name);
      const simulator = await startSimulator({ name, version, seed, state, tls, ...options });
      open.push(simulator);
      return simulator.world.portalUrl;
    };
    const source = await start('source', '11.2', 'transport');
    const target = await start('target', '11.4', 'transport-target');
    const args = [source, target, transportGroupId, transportTargetGroupId, String(EXPORTED)];
    await run(interpreter, ['-W', 'ignore', path.join(vendor, 'migrate.py'), ...args]);
  } finally {
    await Promise.all(open.map((simulator) => simulator.close()));
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  const interpreter = await python();
  await migrate(interpreter, 'portals that answer more than the interface names', {});
  await migrate(interpreter, 'strict portals that redirect downloads', { strict: true, redirect: true });
  console.log("\nthe vendor's Python client is content");
} catch (error) {
  console.error(`failed: ${error.message}`);
  process.exitCode = 1;
}
