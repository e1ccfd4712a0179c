// Types the pages of docs/guide as a person would: each block of `sh`, line by line, in a terminal, in a fresh folder,
// with fresh simulated portals. Blocks of `yaml` go into portolan.yaml, or into the file that their first line names.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const guide = path.join(root, 'docs', 'guide');

/** What each other page begins with. */
const FIRST = 'start.md';

/** Ports as the pages have them; each typing has its own in their place. */
const PORTS = ['6080', '6090', '6070', '8350', '9464'];

/** How long one line may take; far above any, since machines are busy now and then. */
const LINE_MS = Number(process.env.LINE_MS ?? 600_000);

/** How long a worker may take to reread portolan.yaml. */
const REREAD_MS = 60_000;
const isNotReread = (printed) => printed.includes('[CONFIG_MISMATCH]');

const canListen = (port) =>
  new Promise((resolve) => {
    const server = net.createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** Below those that connections are given. */
async function freePort() {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (await canListen(port)) return String(port);
  }
}

/** Blocks of a page in their order. */
const blocksOf = (page) =>
  [...page.matchAll(/^```(sh|yaml)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text }));

/** `npx portolan diff transport  # ends with 20 …`: the line, and the status that it has to end with. */
function lineOf(text) {
  const status = Number(/# .*\bends with (\d+)/.exec(text)?.[1] ?? 0);
  return { text: text.replace(/\s+# .*$/, ''), status };
}

const merged = (into, from) =>
  from !== null && typeof from === 'object' && !Array.isArray(from)
    ? {
        ...into,
        ...Object.fromEntries(Object.entries(from).map(([key, value]) => [key, merged(into?.[key], value)])),
      }
    : from;

async function writeYaml(folder, text) {
  const named = /^# (\S+\.yaml)\n/.exec(text)?.[1];
  const file = path.join(folder, named ?? 'portolan.yaml');
  if (named !== undefined) return writeFile(file, text);
  const before = parse(await readFile(file, 'utf8').catch(() => '{}'));
  return writeFile(file, stringify(merged(before, parse(text))));
}

/** A shell in a terminal. `type` settles with what a line printed and its status. */
function openTerminal(folder, env) {
  const child = spawn(
    'script',
    ['--quiet', '--return', '--flush', '--command', 'bash --norc --noprofile', '/dev/null'],
    {
      cwd: folder,
      detached: true,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let output = '';
  let look = () => undefined;
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text) => {
    output += text;
    look();
  });
  const ended = new Promise((resolve) => child.once('close', resolve));

  /** Waits for a fact in what was printed since `from`; answers the questions that come before it. */
  const seen = (pattern, from, what) =>
    new Promise((resolve, reject) => {
      let answered = from;
      const over = setTimeout(
        () => reject(new Error(`${what}: nothing after ${LINE_MS / 60_000} minutes:\n${output.slice(from)}`)),
        LINE_MS,
      );
      look = () => {
        const since = output.slice(answered);
        const asked = /Type "([^"]+)" to confirm/.exec(since) ?? /\?[\s\S]*Yes[\s\S]*No/.exec(since);
        if (asked !== null && since.includes('└')) {
          answered = output.length;
          child.stdin.write(asked[1] === undefined ? 'y' : `${asked[1]}\r`);
          return;
        }
        const found = pattern.exec(output.slice(from));
        if (found === null) return;
        clearTimeout(over);
        resolve(found);
      };
      look();
    });

  let lines = 0;
  return {
    async type(line) {
      const from = output.length;
      lines += 1;
      if (/&$/.test(line)) {
        child.stdin.write(`${line}\n`);
        const [, word] = await seen(/^(?:(ready|error)\b|serving at )/m, from, line);
        if (word === 'error') throw new Error(`${line}\n${output.slice(from)}`);
        return { status: 0, printed: output.slice(from) };
      }
      // Whoever types the next line is slower than what this one ends.
      const [, job] = /^kill (%\S+)$/.exec(line) ?? [];
      child.stdin.write(
        `${line}${job === undefined ? '' : `; wait ${job}; true`}; printf '\\n@@%s:%s@@\\n' ${lines} "$?"\n`,
      );
      const [, status] = await seen(new RegExp(`@@${lines}:(\\d+)@@`), from, line);
      return { status: Number(status), printed: output.slice(from).replace(/\s*@@.*@@\s*/g, '\n') };
    },
    async close() {
      // Ctrl-C ends what a failed page left in front; the rest ends in the order in which it was started last.
      child.stdin.write('\x03');
      child.stdin.write('\nfor job in $(jobs -p | tac); do kill -- -$job; wait $job; done; exit\n');
      await ended;
    },
  };
}

/** What a person reads off the screen before typing it. */
async function filled(line, terminal) {
  if (!line.includes('HASH')) return line;
  const { printed } = await terminal.type('npx portolan run show latest -o json');
  return line.replace('HASH', JSON.parse(printed).plan.hash);
}

/** `npx` as the pages type it, for the build that is here; one process, so that who waits for it waits for its end. */
async function makeNpx(folder) {
  const bin = path.join(folder, 'node_modules', '.bin');
  await mkdir(bin, { recursive: true });
  const program = path.join(root, 'dist', 'cli', 'main.js');
  const text = `#!/bin/sh\nshift\nexec '${process.execPath}' '${program}' "$@"\n`;
  await writeFile(path.join(bin, 'npx'), text, { mode: 0o755 });
  return bin;
}

/** Types a page, after the first one where it is another; throws at the first line that ends otherwise than it says. */
async function typePage(name) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-guide-'));
  const ports = new Map(await Promise.all(PORTS.map(async (port) => [port, await freePort()])));
  const placed = (text) => text.replace(/\b\d{4}\b/g, (port) => ports.get(port) ?? port);
  const terminal = openTerminal(folder, {
    ...process.env,
    PATH: `${await makeNpx(folder)}${path.delimiter}${process.env.PATH}`,
    PS1: '',
    NO_COLOR: '1',
    TERM: 'dumb',
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
  });
  try {
    await terminal.type('stty -echo cols 120; PS1=; PROMPT_COMMAND=');
    for (const page of name === FIRST ? [name] : [FIRST, name]) {
      for (const { kind, text } of blocksOf(await readFile(path.join(guide, page), 'utf8'))) {
        if (kind === 'yaml') {
          await writeYaml(folder, placed(text));
          continue;
        }
        for (const each of text.trim().split('\n')) {
          if (each.startsWith('#') || each === '') continue;
          const { text: line, status: due } = lineOf(await filled(placed(each), terminal));
          let { status, printed } = await terminal.type(line);
          // A worker rereads portolan.yaml within seconds; a person types more slowly than this.
          for (const until = Date.now() + REREAD_MS; isNotReread(printed) && Date.now() < until;)
            ({ status, printed } = await terminal.type(`sleep 1; ${line}`));
          if (process.env.PORTOLAN_SHOW === '1' && page === name)
            console.log(`$ ${line}\n${printed.trim()}\n[${status}]\n`);
          if (status !== due)
            throw new Error(`docs/guide/${page}: ${line}\nended with ${status}, not ${due}:\n${printed}`);
        }
      }
    }
  } finally {
    await terminal.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2);
const names = (await readdir(guide)).filter(
  (name) => asked.length === 0 || asked.includes(name.replace('.md', '')),
);
for (const name of names) {
  const began = Date.now();
  await typePage(name);
  console.log(`ok  docs/guide/${name}  ${Math.round((Date.now() - began) / 1000)}s`);
}
