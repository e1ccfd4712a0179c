// Hundreds of syncs on one worker, by the command that it is given. `npm run test:soak -- --at-once 200` starts so many at
// once, and does nothing else.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { config: { type: 'string', short: 'c' }, 'at-once': { type: 'string' } },
});
const { config, 'at-once': atOnce } = values;
if (atOnce !== undefined && !/^[1-9]\d*$/.test(atOnce))
  throw new Error(`--at-once ${atOnce}: write a number of syncs`);

const run = (program, ...args) =>
  spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...(atOnce && { PORTOLAN_SOAK_STARTED: atOnce }) },
  }).status ?? 1;

process.exitCode =
  run(process.execPath, path.join('scripts', 'setup.mjs')) ||
  run(...positionals, '-c', config, ...(atOnce ? ['test/soak/at-once'] : []));
