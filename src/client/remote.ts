import { z } from 'zod';
import { contract, eachOperation, type Portolan } from '../contract/contract';
import type { How, Operation } from '../contract/operation';
import { PortolanError } from '../model/errors/errors';
import { API, PAGE_MAX, part } from './api';
import { credentialFor } from './credentials';
import { errorOfProblem } from './problem';
import type { ServerAddress } from './server-address';
import { type Asked, ServerLine } from './server-connection';

/** Works with a server, with the credential saved on this machine. */
export async function withServer<T>(
  server: ServerAddress,
  work: (portolan: Portolan) => Promise<T>,
): Promise<T> {
  const line = new ServerLine({ url: server.url }, await credentialFor(server));
  try {
    return await work({
      ...eachOperation((id) => (given, how) => ask(line, contract[id], given, how)),
      place: { label: 'server', words: server.url },
    });
  } finally {
    await line.close();
  }
}

/** Request IDs that fit in the header `Idempotency-Key`; others go into the query. */
const HEADER_KEY = /^[\x21-\x7e]{1,200}$/;

type Values = Readonly<Record<string, unknown>>;

async function ask(
  line: ServerLine,
  described: Operation,
  given: Values,
  { signal, requestId, attended, say = () => undefined }: How,
): Promise<unknown> {
  const { at, answer, starts, pages, stream } = described;
  const [method, path] = at.split(' ') as ['GET' | 'POST', string];
  const { filled, others } = placed(path, given);
  const get = (query: Values): Promise<unknown> =>
    line.ask(`${API}${filled}`, answer, { query: query as Asked['query'] });
  if (stream !== undefined) return eventsOf(line, filled, described, others, signal);
  if (method === 'GET') return pages === undefined ? await get(others) : await everyPage(get, pages, others);
  if (!starts) return await line.ask(`${API}${filled}`, answer, { body: others });
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

const page = z.looseObject({ next: z.string().optional(), unread: z.boolean().optional() });

/** An answer with its whole list, or with as much of it as is asked for. */
async function everyPage(
  get: (query: Values) => Promise<unknown>,
  list: string,
  given: Values,
): Promise<unknown> {
  const wanted = typeof given['limit'] === 'number' ? given['limit'] : Infinity;
  const rows: unknown[] = [];
  let cursor = given['cursor'];
  for (;;) {
    const found = page.parse(
      await get({ ...given, cursor, limit: Math.min(wanted - rows.length, PAGE_MAX) }),
    );
    const more = found[list] as readonly unknown[];
    rows.push(...more);
    const { next, unread } = found;
    // A server that repeats a page would never end.
    const isLast = next === undefined || next === cursor || more.length === 0 || unread === true;
    if (isLast || rows.length >= wanted) return { ...found, [list]: rows };
    cursor = next;
  }
}

/** The path with its parameters, and the fields that it does not name. */
function placed(path: string, given: Values) {
  const others = { ...given };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    delete others[name];
    return part(String(given[name]));
  });
  return { filled, others };
}
