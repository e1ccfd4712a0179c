// All of `npm test` under another version of Node: `npm run test:node 24`, or 24.11.1. That Node comes as the npm
// package `node`, once, into the project's cache folder. Files or options after the version go to jest.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cache, makeWhole, root, sayAs } from './commands.mjs';

const say = sayAs('node');

function run(command, args, options = {}) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['inherit', 'pipe', 'inherit'],
    ...options,
  });
  if (error) throw error;
  return { status: status ?? 1, stdout };
}

/** The newest version that `24` or `24.11` stands for, as the registry has it. */
function newestOf(asked) {
  const { status, stdout } = run('npm', ['view', `node@${asked}`, 'version', '--json']);
  if (status !== 0) throw new Error(`npm has no package node@${asked}`);
  const versions = [JSON.parse(stdout)].flat();
  const key = (version) =>
    version
      .split('.')
      .map((part) => part.padStart(6, '0'))
      .join('.');
  return versions.sort((one, other) => (key(one) < key(other) ? -1 : 1)).at(-1);
}

/** Path of that Node, which is installed once. */
async function install(version) {
  const folder = path.join(cache, `node-${version}`);
  const executable = path.join(folder, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(executable)) return executable;
  say(`installs the npm package node@${version} into ${folder}`);
  await makeWhole(folder, async (cwd) => {
    await writeFile(path.join(cwd, 'package.json'), '{"private":true}\n');
    const args = ['install', '--no-audit', '--no-fund', '--no-save', `node@${version}`];
    const { status } = run('npm', args, { cwd });
    if (status !== 0) throw new Error(`node@${version} cannot be installed`);
    return status;
  });
  return executable;
}

async function testUnder(asked, more) {
  const executable = await install(/^\d+\.\d+\.\d+$/.test(asked) ? asked : newestOf(asked));
  // Whatever a test starts by the name `node` is this one as well.
  const env = { ...process.env, PATH: `${path.dirname(executable)}${path.delimiter}${process.env.PATH}` };
  const under = (...args) => run(executable, args, { env, stdio: 'inherit' }).status;
  say(
    `${run('node', ['--version'], { env }).stdout.trim()} runs ${more.length > 0 ? more.join(' ') : 'npm test'}`,
  );
  return (
    under(path.join('scripts', 'setup.mjs')) ||
    under(path.join('node_modules', 'jest', 'bin', 'jest.js'), ...more)
  );
}

const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const [version, ...more] = process.argv.slice(2);
if (version === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
  say(`needs the version of Node, ${engines.node}: npm run test:node 24`);
  process.exitCode = 2;
} else {
  process.exitCode = await testUnder(version, more).catch((error) => {
    say(error.message);
    return 1;
  });
}
