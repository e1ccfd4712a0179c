// Hundreds of syncs on one worker, by the command that it is given. `npm run test:soak -- --concurrency 200` starts so many at
// once, and does nothing else; `npm run test:soak -- --pages 200 --minutes 60` opens so many pages for so long.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    config: { type: 'string', short: 'c' },
    concurrency: { type: 'string' },
    pages: { type: 'string' },
    minutes: { type: 'string' },
  },
});
const { config, concurrency, pages, minutes } = values;
for (const [option, given] of Object.entries({ concurrency, pages, minutes }))
  if (given !== undefined && !/^[1-9]\d*$/.test(given))
    throw new Error(`--${option} ${given}: write a number`);
const only = concurrency ? ['test/soak/concurrency'] : pages || minutes ? ['test/soak/pages'] : [];

const run = (program, ...args) =>
  spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(concurrency && { PORTOLAN_SOAK_STARTED: concurrency }),
      ...(pages && { PORTOLAN_SOAK_PAGES: pages }),
      ...(minutes && { PORTOLAN_SOAK_MINUTES: minutes }),
    },
  }).status ?? 1;

process.exitCode =
  run(process.execPath, path.join('scripts', 'setup.mjs')) || run(...positionals, '-c', config, ...only);
