import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { contract, eachOperation, type Portolan } from '../contract/contract';
import {
  API,
  changesNothing,
  HEADER_KEY,
  type How,
  type Operation,
  PAGE_MAX,
  type Watch,
} from '../contract/operation';
import { Patience } from '../contract/patience';
import { PortolanError } from '../model/errors/errors';
import { credentialFor } from './credentials';
import { errorOfProblem } from './problem';
import type { ServerAddress } from './server-address';
import { type RequestOptions, ServerLine } from './server-connection';

/** Works with a server, with the credential saved on this machine. */
export async function withServer<T>(
  server: ServerAddress,
  work: (portolan: Portolan) => Promise<T>,
): Promise<T> {
  const line = new ServerLine({ url: server.url }, await credentialFor(server));
  try {
    return await work(portolanOver(line));
  } finally {
    await line.close();
  }
}

export const portolanOver = (line: ServerLine): Portolan => ({
  ...eachOperation((id) => (given, how) => {
    const operation: Operation = contract[id];
    const { watch } = operation;
    return watch ? watched(line, operation, watch, given, how.signal) : ask(line, operation, given, how);
  }),
  place: { label: 'server', words: line.server.url },
});

/** Pause before connecting again, after a stream ended or the server was unreachable. @format milliseconds */
const ASK_AGAIN_MS = 1_000;

async function* watched(
  line: ServerLine,
  { at, answer }: Operation,
  watch: Watch,
  given: Values,
  signal?: AbortSignal,
): AsyncGenerator {
  const pathOf = (input: Values) => `${API}${placed(at.slice('GET '.length), input).filled}`;
  let path = pathOf(given);
  const patience = new Patience();
  while (!signal?.aborted) {
    try {
      for await (const { event, data } of line.events(path, signal)) {
        if (event === 'over') return;
        if (event === 'problem') patience.bear(errorOfProblem(line.server, data));
        if (event !== watch.event) continue;
        patience.renew();
        const found = line.claim(path, answer, data);
        // After a lost connection, `latest` still means the same.
        if (watch.meant) path = pathOf(watch.meant.input(found));
        yield found;
        if (watch.isOver?.(found)) return;
      }
      patience.bear(noEvents(line.server.url));
    } catch (thrown) {
      if (signal?.aborted) return;
      patience.bear(thrown);
    }
    await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

const noEvents = (url: string): PortolanError =>
  new PortolanError('SERVER_UNREACHABLE', `${url} keeps closing the stream of events.`, {
    hint: 'Check that no proxy in between cuts responses off, then watch again.',
  });

type Values = Readonly<Record<string, unknown>>;

async function ask(
  line: ServerLine,
  asked: Operation,
  given: Values,
  { signal, requestId, attended, say = () => undefined }: How,
): Promise<unknown> {
  const { at, answer, starts, pages, stream } = asked;
  const [method, path] = at.split(' ') as ['GET' | 'POST', string];
  const { filled, others } = placed(path, given);
  const get = (query: Values): Promise<unknown> =>
    line.ask(`${API}${filled}`, answer, { query: query as RequestOptions['query'] });
  if (stream !== undefined) return eventsOf(line, filled, asked, others, signal);
  if (method === 'GET') return pages === undefined ? await get(others) : await everyPage(get, pages, others);
  if (!starts) {
    const isLook = changesNothing(asked, given);
    const found = await line.ask(`${API}${filled}`, answer, { body: others, isLook });
    for (const words of asked.says?.(found) ?? []) say(words);
    return found;
  }
  const isHeader = requestId !== undefined && HEADER_KEY.test(requestId);
  const { said, ...begun } = await line.ask(`${API}${filled}`, started, {
    body: others,
    headers: isHeader ? { 'idempotency-key': requestId } : undefined,
    query: { ...(attended && { attended }), ...(!isHeader && { requestId }) },
  });
  for (const words of said) say(words);
  return line.claim(filled, answer, begun);
}

/** What was done before a run started comes with it. */
const started = z.looseObject({ said: z.array(z.string()).default([]) });

const page = z.looseObject({
  next: z.string().optional(),
  unread: z.boolean().optional(),
  notes: z.array(z.string()).optional(),
});

/** The events of a stream, until it says that it is over. */
async function* eventsOf(
  line: ServerLine,
  path: string,
  { answer, stream }: Operation,
  body: Values,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  const { server } = line;
  for await (const { event, data } of line.events(`${API}${path}`, signal, body)) {
    if (event === stream) yield line.claim(path, answer, data);
    if (event === 'problem') throw errorOfProblem(server, data) ?? cutShort(server.url);
    if (event === 'over') return;
  }
  throw cutShort(server.url);
}

const cutShort = (url: string): PortolanError =>
  new PortolanError('SERVER_UNREACHABLE', `${url} stopped before it had read everything.`, {
    hint: 'Repeat the command. If it takes hours, ask for less at a time.',
  });

/** An answer with its whole list, or with as much of it as is asked for. */
async function everyPage(
  get: (query: Values) => Promise<unknown>,
  list: string,
  given: Values,
): Promise<unknown> {
  const wanted = typeof given['limit'] === 'number' ? given['limit'] : Infinity;
  const rows: unknown[] = [];
  const notes = new Set<string>();
  const cursors = new Set<unknown>();
  let cursor = given['cursor'];
  for (;;) {
    cursors.add(cursor);
    const found = page.parse(
      await get({ ...given, cursor, limit: Math.min(wanted - rows.length, PAGE_MAX) }),
    );
    const more = found[list] as readonly unknown[];
    rows.push(...more);
    for (const note of found.notes ?? []) notes.add(note);
    const { next, unread } = found;
    // A server that repeats pages would never end.
    const isLast = next === undefined || cursors.has(next) || more.length === 0 || unread === true;
    if (isLast || rows.length >= wanted)
      return { ...found, [list]: rows, ...(notes.size > 0 && { notes: [...notes] }) };
    cursor = next;
  }
}

/** A name as a URL segment; refuses one that would change the path. */
const part = (name: string): string => encodeURIComponent(name).replace(/^\.+$/, '%00');

/** The path with its parameters, and the fields that it does not name. */
function placed(path: string, given: Values) {
  const others = { ...given };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    delete others[name];
    return part(String(given[name]));
  });
  return { filled, others };
}
