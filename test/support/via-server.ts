import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import pino from 'pino';
import { loadConfig } from '../../src/config/load-config';
import type { RunningServer } from '../../src/serve/server';
import type { Ended } from './child';

/** Whether the commands of the suites ask a `portolan serve`: `npm run test:server`. */
export const isViaServer = process.env['PORTOLAN_TEST_VIA'] === 'server';

/** Commands that no server runs for others: docs/guide/access.md lists them. */
const local = startsOf([
  ...['demo', 'init', 'up', 'down', 'worker', 'simulate', 'serve', 'clean', '__complete', 'login', 'logout'],
  ...['snapshot export', 'snapshot import', 'snapshot keygen', 'run bundle', 'run show --bundle'],
  'doctor --cluster',
  ...['release export', 'release import'],
]);

/** What changes nothing, and may be asked again on the machine of the server. */
const looks = startsOf([
  ...['status', 'doctor', 'diff', 'freezes', 'queue list', 'hook list', 'run list', 'run show', 'run logs'],
  ...['schedule list', 'schedule show', 'snapshot list', 'snapshot show', 'snapshot diff', 'snapshot verify'],
  ...['release list', 'release show', 'release diff', 'promote status', 'promote diff', 'promote history'],
  ...['settings export', 'settings diff', 'category-schema export', 'category-schema diff'],
]);

function startsOf(commands: readonly string[]): (args: readonly string[]) => boolean {
  return (args) => commands.some((words) => `${args.join(' ')} `.startsWith(`${words} `));
}

/** A server, with the configuration that it was started with. */
interface Asked {
  readonly url: string;
  readonly file: string;
  /** Without the name of the file: it is the server's. */
  readonly args: readonly string[];
}

/** By file and content: a server knows the configuration that it was started with. */
const servers = new Map<string, Promise<RunningServer>>();

/**
 * The server that a command asks: one that has the configuration which would be read otherwise, and asks for no key.
 * undefined where the command needs none, or the configuration cannot be read.
 */
export async function serverFor(args: readonly string[], meant: string): Promise<Asked | undefined> {
  if (!isViaServer || local(args)) return undefined;
  const at = args.indexOf('--config');
  const file = path.resolve(at < 0 ? meant : (args[at + 1] ?? ''));
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    loadConfig(file);
  } catch {
    return undefined;
  }
  const key = `${file}\n${text}`;
  let server = servers.get(key);
  if (!server) servers.set(key, (server = start(file)));
  return { url: (await server).url, file, args: at < 0 ? args : args.toSpliced(at, 2) };
}

async function start(file: string): Promise<RunningServer> {
  const { startServer } = await import('../../src/serve/server.js');
  const config = loadConfig(file);
  const serve = { ...config.serve, address: '127.0.0.1:0', open: true };
  return await startServer({ ...config, serve }, pino({ level: 'silent' }));
}

/** Throws where no command of a suite has asked one: it would show nothing. */
export async function closeServers(): Promise<void> {
  if (!isViaServer) return;
  const all = [...servers.values()];
  if (all.length === 0) throw new Error('no command of this suite has asked a server');
  servers.clear();
  for (const server of await Promise.all(all)) await server.close();
}

/**
 * What a command that asks a server ended with. One that changed nothing is typed on the server's machine as well, and
 * has to end there in the same way, unless it ends in another way each time: then things have moved meanwhile.
 */
export async function endedThere(asked: Asked, run: (server?: string) => Promise<Ended>): Promise<Ended> {
  const there = await run(asked.url);
  // By these statuses, nothing was begun.
  const isRefused = there.status === 2 || there.status === 10;
  if (!isRefused && !looks(asked.args)) return there;
  const here = await run();
  if (isSame(asked, there, here)) return there;
  const [later, hereLater] = [await run(asked.url), await run()];
  if (isSame(asked, here, hereLater))
    expect([asked.args, shown(asked, later)]).toEqual([asked.args, shown(asked, hereLater)]);
  return later;
}

const isSame = (asked: Asked, there: Ended, here: Ended): boolean =>
  isDeepStrictEqual(shown(asked, there), shown(asked, here));

/** All but what is another each time, and where the configuration lies, which is told on its machine alone. */
function shown({ url, file, args }: Asked, { status, stdout, stderr }: Ended): unknown {
  // What a start was prepared with is told with its run alone, and not where none is begun.
  const said = looks(args) ? stderr : stderr.replace(/^[^]*?^(?=error )/m, '');
  const [out, err] = [stdout, said].map((words) =>
    words
      // Commands that are named next name the file that was typed.
      .replaceAll(` --config ${file}`, '')
      .replaceAll(file, path.basename(file))
      .replaceAll(`${url}: `, `${path.basename(file)}: `)
      // The page is that of whoever answers.
      .replace(/^\n?(web {6}|ui {7}).*\n/gm, '')
      .replace(/\b\d+\.\ds\b/g, 'N s')
      .replace(/"ageMs":\s*\d+/g, '"ageMs": 0'),
  );
  const isJson = /^\s*[[{]/.test(out ?? '');
  return { status, err, out: isJson ? jsonOf(out ?? '') : out };
}

/** One document, or one in each line. */
function jsonOf(words: string): unknown {
  try {
    return JSON.parse(words) as unknown;
  } catch {
    return words
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }
}
