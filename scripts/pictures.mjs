// Makes docs/pictures from a real run of each demo: its terminal, the page of the sync in Temporal's Web UI, and the page.
// Needs `script` (of Debian's bsdutils) and a Chromium; names of person and machine are replaced (neutral-names.cjs).
import { spawn } from 'node:child_process';
import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium } from './chromium.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const pictures = path.join(root, 'docs', 'pictures');
const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core');
const { parse, stringify } = require('yaml');
const { Terminal } = require('@xterm/headless');
const { SerializeAddon } = require('@xterm/addon-serialize');

/** Characters a line and lines: as wide as reads well on a page, and so long that nothing scrolls away. */
const COLUMNS = 116;
const ROWS = 400;

/** Of the page. */
const pagesShown = ['page-now.png', 'page-run.png', 'page-pipeline.png'];

/** Pictures are read on screens of all kinds and fetched with the page. */
const LARGEST_BYTES = 300_000;

/** What is played, and what the picture of its terminal shows of it: lines from one to another, the last that fit. */
const takes = [
  {
    command: 'npm run demo',
    words: 'demo --keep',
    name: 'terminal.png',
    cuts: [{ from: /^PLAN /, to: /^details / }],
    then: async (browser, output) => {
      await webUiPicture(browser, output);
      await pagePictures(browser, output, lookAtSync);
    },
  },
  {
    command: 'npm run demo:promotion',
    words: 'demo --promotion --keep',
    name: 'promotion.png',
    cuts: [
      { from: /^2 {2}\S/, to: /--hotfix/ },
      { from: /^Lena/, to: /^\S+ approved plan/ },
      { from: /^3 {2}\S/, to: /^\$ portolan release create/, until: true },
      { from: /^!! {2}checks/, to: /^FAILED in/ },
      { from: /^\$ portolan promote status/, to: /^verified / },
      { from: /^WHAT HAPPENED/, to: /^WHERE TO LOOK/, until: true },
    ],
    then: (browser, output) => pagePictures(browser, output, lookAtPromotion),
  },
];

const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

async function onPath(names, missing) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    for (const name of names) {
      const file = path.join(folder, name);
      const there = await access(file).then(
        () => true,
        () => false,
      );
      if (there) return file;
    }
  }
  throw new Error(missing);
}

/** Starts a demo in a terminal of its own; settles when it has ended and all is still up. */
async function startDemo(script, words) {
  const program = path.join(root, 'dist', 'cli', 'main.js');
  const line = `stty cols ${COLUMNS} rows ${ROWS} && exec '${process.execPath}' '${program}' ${words}`;
  const child = spawn(script, ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      TERM: 'xterm-256color',
      NODE_OPTIONS: `--require ${path.join(root, 'scripts', 'neutral-names.cjs')}`,
    },
  });
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  let output = '';
  child.stdout.setEncoding('utf8');
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      output += text;
      if (output.includes('Ctrl-C stops everything')) resolve();
    });
    ended.then((status) => reject(new Error(`the demo ended with status ${status}:\n${output}`)), reject);
  });
  const stop = async () => {
    child.stdin.write('\x03');
    await ended;
  };
  return { output, stop };
}

/** What the terminal shows of each cut, as HTML; `until` leaves out the line that ends it. */
async function screensOf(output, cuts) {
  const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const serializer = new SerializeAddon();
  terminal.loadAddon(serializer);
  await new Promise((resolve) => terminal.write(output, resolve));
  const lines = Array.from({ length: ROWS }, (_, row) =>
    (terminal.buffer.active.getLine(row)?.translateToString(true) ?? '').trimEnd(),
  );
  return cuts.map(({ from, to, until = false }) => {
    const startLine = lines.findLastIndex((line) => from.test(line));
    const found = lines.findIndex((line, row) => row > startLine && to.test(line));
    if (startLine < 0 || found < 0)
      throw new Error(`nothing from ${from} to ${to} is on the screen:\n${lines.join('\n')}`);
    const endLine = until ? lines.findLastIndex((line, row) => row < found && line !== '') : found;
    const html = serializer.serializeAsHTML({ range: { startLine, endLine, startCol: 0 } });
    return html.slice(html.indexOf('<pre>'), html.lastIndexOf('</pre>'));
  });
}

const page = (command, screens) => `<!doctype html><style>
  body { margin: 0; background: #14181f; display: inline-block }
  main { padding: 16px 20px }
  p, pre { margin: 0 }
  p, pre > div { font: 13px/1.4 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace !important }
  p, pre > div { color: #d6dbe3 !important; background-color: transparent !important }
  p { opacity: 0.6 }
</style><main><p>$ ${command}</p>${screens.map((screen) => `<p>…</p>${screen}</pre>`).join('')}</main>`;

async function terminalPicture(browser, output, { command, cuts, name }) {
  const tab = await browser.newPage({ viewport: { width: 1000, height: 800 }, deviceScaleFactor: 1.5 });
  await tab.setContent(page(command, await screensOf(output, cuts)));
  await tab.locator('main').screenshot({ path: path.join(pictures, name) });
  await tab.close();
}

async function webUiPicture(browser, output) {
  const address = /http:\/\/127\.[\d.]+:\d+\/namespaces\/\S+\/workflows\/[\w-]+/.exec(output)?.[0];
  if (address === undefined) throw new Error('the demo names no page of the Web UI');
  const tab = await browser.newPage({ viewport: { width: 1280, height: 1500 }, colorScheme: 'light' });
  await tab.goto(address);
  await tab.getByRole('heading', { name: 'Event History' }).waitFor();
  // The whole timeline, from the first phase on.
  await tab.getByRole('button', { name: 'Minimized' }).click();
  await tab.getByRole('button', { name: 'Descending' }).click();
  await tab.getByText('listRequested').first().waitFor();
  await tab.waitForLoadState('networkidle');
  await tab.screenshot({ path: path.join(pictures, 'web-ui.png') });
  await tab.close();
}

/** A command beside the demo, with neutral names. */
const portolan = (config, words) =>
  spawn(process.execPath, [path.join(root, 'dist', 'cli', 'main.js'), ...words, '--config', config], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_OPTIONS: `--require ${path.join(root, 'scripts', 'neutral-names.cjs')}`,
    },
  });

/** What a command says as JSON. */
async function said(config, ...words) {
  const child = portolan(config, [...words, '-o', 'json']);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.resume();
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return JSON.parse(output);
}

/** Serves the page of the world that a demo has left running, and lets a person look at it. */
async function pagePictures(browser, output, look) {
  const [, config] = /export PORTOLAN_CONFIG=([^;\s]+)/.exec(output) ?? [];
  if (config === undefined) throw new Error('the demo does not say where its portolan.yaml is');
  const file = path.join(path.dirname(config), 'page.yaml');
  const serve = { address: '127.0.0.1:0', open: true };
  await writeFile(file, stringify({ ...parse(await readFile(config, 'utf8')), serve }), { mode: 0o600 });
  const server = portolan(file, ['serve', 'start']);
  const ended = new Promise((resolve) => server.once('close', resolve));
  try {
    const url = await new Promise((resolve, reject) => {
      let heard = '';
      server.stderr.on('data', (chunk) => {
        heard += chunk;
        const [, address] = /serving at (\S+?)[,;]/.exec(heard) ?? [];
        if (address !== undefined) resolve(address);
      });
      server.stdout.resume();
      ended.then(() => reject(new Error(`serve ended:\n${heard}`)));
    });
    await look(file, async (where, name, { width = 1000, height, scheme = 'light', until }) => {
      const tab = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
      await tab.goto(`${url}${where}`);
      if (until !== undefined) await tab.locator(until).waitFor();
      await tab.screenshot({ path: path.join(pictures, name) });
      await tab.close();
    });
  } finally {
    server.kill('SIGINT');
    await ended;
  }
}

/** A sync that waits for somebody, among what has been. */
async function lookAtSync(config, shoot) {
  await said(config, 'backup', 'create', 'transport');
  const { runId } = await said(
    config,
    ...['sync', 'transport', '--full', '--no-wait', '--reason', 'Road closures for winter'],
  );
  await shoot(`/runs/${runId}`, 'page-run.png', { width: 880, height: 580, until: '#decision' });
  await shoot('/', 'page-now.png', { height: 340, until: '#waiting .figures' });
  await said(config, 'run', 'cancel', runId);
}

async function lookAtPromotion(_config, shoot) {
  await shoot('/pipelines/transport', 'page-pipeline.png', { width: 1120, height: 700, scheme: 'dark' });
}

async function makePictures() {
  const script = await onPath(['script'], 'There is no `script` here: apt-get install bsdutils');
  const executablePath = await findChromium();
  await mkdir(pictures, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: browserFlags });
  for (const take of takes) {
    const demo = await startDemo(script, take.words);
    try {
      await terminalPicture(browser, demo.output, take);
      await take.then?.(browser, demo.output);
    } finally {
      await demo.stop();
    }
  }
  await browser.close();
  for (const name of [...takes.map((take) => take.name), 'web-ui.png', ...pagesShown]) {
    const { size } = await stat(path.join(pictures, name));
    const kept = size <= LARGEST_BYTES;
    console.log(
      `docs/pictures/${name}  ${Math.round(size / 1000)} kB${kept ? '' : ': too large for a page'}`,
    );
    if (!kept) process.exitCode = 1;
  }
}

await makePictures().catch((error) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
