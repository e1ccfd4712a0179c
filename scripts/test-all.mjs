// Every suite there is, one after the other, also after one that failed; a table at the end says what became of each.
// `npm run test:all` runs all of them, `npm run test:all chaos s3` those that are named.
import { spawn } from 'node:child_process';
import { has, root } from './commands.mjs';

const withoutGo = () => (has('go', 'version') ? undefined : 'Go is not on PATH');

/** Suites in their order, and what a machine may lack for one. */
const suites = [
  { name: 'test' },
  { name: 'test:chaos' },
  { name: 'test:faults' },
  { name: 'test:backup', lacks: withoutGo },
  { name: 'test:s3', lacks: withoutGo },
  { name: 'test:server' },
  { name: 'test:cluster', lacks: withoutGo },
  { name: 'test:soak' },
  { name: 'test:harm' },
  { name: 'test:transfers' },
  { name: 'test:big' },
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
  { name: 'test:guide', lacks: () => (has('script', '--version') ? undefined : '`script` is not on PATH') },
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
  process.stderr.write(`\nall  npm run ${name}\n`);
  const child = spawn('npm', ['run', '--silent', name], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'pipe'],
    shell: process.platform === 'win32',
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    process.stderr.write(text);
    output += text;
  });
  const exit = await new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (status, signal) => resolve(status ?? signal)),
  );
  const seconds = Math.round((Date.now() - began) / 1000);
  return { name, counts: countsIn(output), seconds, exit, failed: exit !== 0 };
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
  const results = [];
  for (const suite of chosen(process.argv.slice(2))) results.push(await runSuite(suite));
  console.log(`\n${table(results)}`);
  if (results.some(({ failed }) => failed)) process.exitCode = 1;
} catch (error) {
  console.error(`all  ${error.message}`);
  process.exitCode = 2;
}
