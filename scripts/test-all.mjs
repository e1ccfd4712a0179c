// `npm run test:all` runs every suite, `npm run test:all chaos s3` those that are named. Prints a table at the end.
import { spawn } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { has, root, runner, sayAs } from './commands.mjs';

/** The suites mostly wait: for timers, for killed workers, for slow portals. */
const AT_A_TIME = 3;

const say = sayAs('all');
const outputs = path.join(root, 'var', 'test-all');

const withoutGo = () => (has('go', 'version') ? undefined : 'Go is not on PATH');

/** Suites, the longest first, and what a machine may lack for one. */
const suites = [
  { name: 'test:faults' },
  { name: 'test:backup', lacks: withoutGo },
  { name: 'test:harm' },
  { name: 'test:chaos' },
  { name: 'test:cluster', lacks: withoutGo },
  { name: 'test:big' },
  { name: 'test:soak' },
  { name: 'test:guide', lacks: () => (has('script', '--version') ? undefined : '`script` is not on PATH') },
  { name: 'test' },
  { name: 'test:transfers' },
  { name: 'test:s3', lacks: withoutGo },
  {
    name: 'test:vendor',
    lacks: () => (has('python3', '-m', 'venv', '--help') ? undefined : 'Python 3 with venv is not on PATH'),
  },
  {
    name: 'test:ways',
    lacks: () =>
      withoutGo() ?? (has('systemd-analyze', '--version') ? undefined : 'systemd-analyze is not on PATH'),
  },
  {
    name: 'test:ops',
    lacks: () =>
      (has('prometheus', '--version') && has('promtool', '--version')) || has('apt-get', '--version')
        ? undefined
        : 'prometheus and promtool are not on PATH, and no apt-get to fetch them with',
  },
  { name: 'test:server' },
];

/** `test:s3` for `s3` and for itself. */
const fullName = (name) => (name === 'test' || name.startsWith('test:') ? name : `test:${name}`);

function chosen(names) {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === fullName(name)));
  if (unknown.length > 0)
    throw new Error(
      `There is no suite ${unknown.join(', ')}. Name some of: ${suites.map(({ name }) => name).join(' ')}`,
    );
  return names.length === 0 ? suites : suites.filter(({ name }) => names.map(fullName).includes(name));
}

/** Sums of jest's own last lines; undefined where a suite is not one of jest's. */
function countsIn(output) {
  const lines = [...output.matchAll(/^Tests: +(?<counts>.*) total$/gm)].map(({ groups }) => groups.counts);
  const sumOf = (word) =>
    lines.reduce((sum, line) => sum + Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0), 0);
  return lines.length === 0 ? undefined : { passed: sumOf('passed'), failed: sumOf('failed') };
}

async function runSuite({ name, lacks }) {
  const lacking = lacks?.();
  if (lacking) return { name, exit: `not run: ${lacking}`, failed: true };
  const began = Date.now();
  const output = path.join(outputs, `${name.replace(':', '-')}.log`);
  const file = await open(output, 'w');
  const child = spawn('npm', ['run', '--silent', name], {
    cwd: root,
    stdio: ['ignore', file.fd, file.fd],
    shell: process.platform === 'win32',
  });
  const exit = await new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (status, signal) => resolve(status ?? signal)),
  );
  await file.close();
  const seconds = Math.round((Date.now() - began) / 1000);
  say(`npm run ${name}: exit ${exit} after ${timeOf(seconds)}, see ${output}`);
  return { name, counts: countsIn(await readFile(output, 'utf8')), seconds, exit, failed: exit !== 0 };
}

const timeOf = (seconds) =>
  seconds === undefined ? '-' : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;

function table(results) {
  const rows = [
    ['suite', 'passed', 'failed', 'time', 'exit'],
    ...results.map(({ name, counts, seconds, exit }) =>
      [name, counts?.passed ?? '-', counts?.failed ?? '-', timeOf(seconds), exit].map(String),
    ),
  ];
  const line = ([name, passed, failed, time, exit]) =>
    `${name.padEnd(14)}  ${passed.padStart(6)}  ${failed.padStart(6)}  ${time.padStart(7)}  ${exit}`;
  return rows.map(line).join('\n');
}

try {
  const left = chosen(process.argv.slice(2)).values();
  // Once for all: none of them may build while another runs.
  if (runner(say)(process.execPath, [path.join('scripts', 'setup.mjs')]) !== 0) process.exit(1);
  await mkdir(outputs, { recursive: true });
  const results = [];
  const runNext = async () => {
    for (const suite of left) results.push(await runSuite(suite));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, runNext));
  console.log(`\n${table(results)}`);
  if (results.some(({ failed }) => failed)) process.exitCode = 1;
} catch (error) {
  say(error.message);
  process.exitCode = 2;
}
