// Makes docs/pictures from a real run of the demo: its terminal, and its page in Temporal's Web UI.
// Needs `script` (of Debian's bsdutils) and a Chromium; names of person and machine are replaced (neutral-names.cjs).
import { spawn } from 'node:child_process';
import { access, mkdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const pictures = path.join(root, 'docs', 'pictures');
const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core');
const { Terminal } = require('@xterm/headless');
const { SerializeAddon } = require('@xterm/addon-serialize');

/** Characters a line and lines: as wide as reads well on a page, and so long that nothing scrolls away. */
const COLUMNS = 116;
const ROWS = 200;

/** Pictures are read on screens of all kinds and fetched with the page. */
const LARGEST_BYTES = 300_000;

const COMMAND = 'npm run demo';

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
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

/** Starts `portolan demo --keep` in a terminal of its own; settles when the run has ended and all is still up. */
async function startDemo(script) {
  const starter = path.join(root, 'dist', 'starter.js');
  const line = `stty cols ${COLUMNS} rows ${ROWS} && exec '${process.execPath}' '${starter}' demo --keep`;
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
      if (output.includes('Ctrl-C ends all of it')) resolve();
    });
    ended.then((status) => reject(new Error(`the demo ended with status ${status}:\n${output}`)), reject);
  });
  const stop = async () => {
    child.stdin.write('\x03');
    await ended;
  };
  return { output, stop };
}

/** The terminal's screen as HTML, from the plan to the run's end: the demo goes on with where to look. */
async function screenOf(output) {
  const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const serializer = new SerializeAddon();
  terminal.loadAddon(serializer);
  await new Promise((resolve) => terminal.write(output, resolve));
  const lines = Array.from({ length: ROWS }, (_, row) =>
    (terminal.buffer.active.getLine(row)?.translateToString(true) ?? '').trimEnd(),
  );
  const first = lines.findIndex((line) => line.startsWith('PLAN '));
  const last = lines.findLastIndex((line) => line.startsWith('details '));
  if (first < 0 || last < first)
    throw new Error(`the demo's screen is not as expected:\n${lines.join('\n')}`);
  const html = serializer.serializeAsHTML({ range: { startLine: first, endLine: last, startCol: 0 } });
  return html.slice(html.indexOf('<pre>'), html.lastIndexOf('</pre>'));
}

const page = (screen) => `<!doctype html><style>
  body { margin: 0; background: #14181f; display: inline-block }
  main { padding: 16px 20px }
  p, pre { margin: 0 }
  p, pre > div { font: 13px/1.4 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace !important }
  p, pre > div { color: #d6dbe3 !important; background-color: transparent !important }
  p { opacity: 0.6 }
</style><main><p>$ ${COMMAND}</p><p>…</p>${screen}</pre></main>`;

async function terminalPicture(browser, output) {
  const tab = await browser.newPage({ viewport: { width: 1000, height: 800 }, deviceScaleFactor: 1.5 });
  await tab.setContent(page(await screenOf(output)));
  await tab.locator('main').screenshot({ path: path.join(pictures, 'terminal.png') });
  await tab.close();
}

async function webUiPicture(browser, output) {
  const address = /http:\/\/127\.0\.0\.1:\d+\/namespaces\/\S+\/workflows\/[\w-]+/.exec(output)?.[0];
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

async function makePictures() {
  const script = await onPath(['script'], 'There is no `script` here: apt-get install bsdutils');
  const executablePath = await onPath(browsers, 'There is no Chromium here: apt-get install chromium');
  await mkdir(pictures, { recursive: true });
  const demo = await startDemo(script);
  try {
    const browser = await chromium.launch({ executablePath, args: browserFlags });
    await terminalPicture(browser, demo.output);
    await webUiPicture(browser, demo.output);
    await browser.close();
  } finally {
    await demo.stop();
  }
  for (const name of ['terminal.png', 'web-ui.png']) {
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
