import { rm } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpsRequired, noResource, PortalFault, tokenInvalid } from '../errors';
import type { Fault, Faults } from '../faults';
import type { Jobs } from '../jobs';
import type { RequestLog } from '../request-log';
import { sendEvents } from '../resources/webhooks';
import { opens, readToken, type TokenFacts } from '../tokens';
import type { World } from '../world';
import { readBody } from './body';
import type { Call } from './call';
import type { Params } from './params';
import type { Reply } from './reply';
import type { Match, Router } from './router';
import { Drop, dropConnection, sendReply, type Shaping } from './send';

export interface ServerParts {
  readonly world: World;
  readonly router: Router;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly jobs: Jobs;
}

/** Creates a server that the caller must start with `listen`. */
export function makeServer(
  listener: RequestListener,
  tls: { key: string; cert: string } | undefined,
): Server {
  const options = { requestTimeout: 0, keepAliveTimeout: 30_000, highWaterMark: 1024 * 1024 };
  return tls ? createSecureServer({ ...options, ...tls }, listener) : createServer(options, listener);
}

/** Handles a request: faults before, body, token, handler, faults after, response, log. */
export function portalListener(parts: ServerParts): RequestListener {
  return (request, response) => {
    void answer(parts, request, response).catch((error: unknown) => {
      // The connection or the portal is closed, so no response can be sent.
      response.destroy(error instanceof Error ? error : undefined);
    });
  };
}

interface Progress {
  match?: Match;
  params?: Params;
  bytes: number;
  session?: TokenFacts;
  fault?: string;
  /** The response is JSON, whatever was requested, because the body was not read yet. */
  plain?: boolean;
}

async function answer(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const began = Date.now();
  const url = new URL(request.url ?? '/', 'http://localhost');
  const progress: Progress = { bytes: 0 };
  const shaping: Shaping = {};
  let reply: Reply;
  try {
    reply = await work(parts, request, url, progress, shaping);
  } catch (error) {
    if (error instanceof Drop) {
      writeLog(parts, request, url, progress, { began, status: 0 });
      if (error.how === 'reset') dropConnection(request);
      return;
    }
    reply = faultReply(error, url.pathname);
  }
  if (!request.complete) request.resume();
  const format = formatOf(progress);
  const ending = { began, status: statusOf(reply), errorCode: errorCodeOf(reply) };
  if (parts.world.closed) throw new Error('The portal is closed');
  writeLog(parts, request, url, progress, ending);
  await sendReply(request, response, reply, format, shaping);
}

async function work(
  parts: ServerParts,
  request: IncomingMessage,
  url: URL,
  progress: Progress,
  shaping: Shaping,
): Promise<Reply> {
  const { world, router, faults } = parts;
  const match = router.match(request.method ?? 'GET', url.pathname);
  progress.match = match;
  const subject = {
    method: request.method ?? 'GET',
    path: url.pathname,
    operation: match?.route.operation ?? 'none',
  };
  const due = faults.take(subject);
  const early = await play(due, 'before', parts, request, progress, shaping);
  if (early) return early;

  const body = await readBody(request, url, world.files.incoming);
  progress.params = body.params;
  progress.bytes = body.bytes;
  if (body.tooLong) {
    await dropFiles(body.params);
    throw new PortalFault(413, 'Uploads in chunked transfer encoding are limited to 50 MB.');
  }
  due.push(...faults.take({ ...subject, params: (name) => body.params.text(name) }));
  const late = await play(
    due.filter((fault) => !shaping.played?.has(fault)),
    'before',
    parts,
    request,
    progress,
    shaping,
  );
  if (late) return late;

  let reply: Reply;
  try {
    reply = await handle(parts, request, progress, body.params);
  } catch (error) {
    reply = faultReply(error, url.pathname);
  } finally {
    await dropFiles(body.params);
  }
  return (await play(due, 'after', parts, request, progress, shaping)) ?? reply;
}

async function handle(
  { world, jobs }: ServerParts,
  request: IncomingMessage,
  progress: Progress,
  params: Params,
): Promise<Reply> {
  const { match } = progress;
  if (world.settings.httpsOnly && !('encrypted' in request.socket)) throw httpsRequired();
  if (!match || (world.settings.noItemStatus && match.route.operation === 'item.status')) {
    if (world.settings.notFoundPages) return { kind: 'html', body: '', status: 404 };
    throw noResource();
  }
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const token = tokenOf(request, params);
  if (token !== undefined && !match.route.operation.startsWith('token.')) {
    progress.session = readToken(world, token, { referer: request.headers.referer, address });
    if (!progress.session || !opens(progress.session, match.path['server'])) throw tokenInvalid();
  }
  const username = progress.session?.username;
  const user = username === undefined ? undefined : world.users.get(username);
  const call: Call = {
    method: request.method ?? 'GET',
    tokenBy: carrierOf(request, params),
    world,
    jobs,
    params,
    user,
    settings: world.settings,
    path: match.path,
    headers: request.headers,
    address,
    session: progress.session,
  };
  const reply = await match.route.handler(call);
  sendEvents(call, match.route.operation);
  return reply;
}

export function tokenOf(request: IncomingMessage, params: Params): string | undefined {
  const header = request.headers['x-esri-authorization'] ?? request.headers.authorization;
  const bearer = typeof header === 'string' ? /^Bearer\s+(.+)$/i.exec(header)?.[1] : undefined;
  return bearer ?? params.text('token');
}

/** Applies the faults of one moment. @returns the response of a fault, if any @throws Drop */
async function play(
  due: readonly Fault[],
  when: Fault['when'],
  parts: ServerParts,
  request: IncomingMessage,
  progress: Progress,
  shaping: Shaping,
): Promise<Reply | undefined> {
  for (const fault of due) {
    if (fault.when !== when) continue;
    shaping.played = (shaping.played ?? new Set()).add(fault);
    progress.fault = typeof fault.do === 'string' ? fault.do : Object.keys(fault.do)[0];
    const action = fault.do;
    if (action === 'reset' || action === 'hang') throw new Drop(action);
    if (action === 'hold') await parts.faults.hold();
    else if (action === 'html') return { kind: 'html', body: '<html><body><h1>Sign in</h1></body></html>\n' };
    else if (action === 'expireToken') parts.world.expireTokens();
    else if ('status' in action)
      return { kind: 'html', body: '', status: action.status, headers: retry(action) };
    else if ('error' in action) {
      progress.plain = true;
      return faultReply(new PortalFault(action.error.code, action.error.message ?? 'Internal error.'), '');
    } else if ('delay' in action) await sleep(action.delay);
    else if ('cut' in action) shaping.cutAfter = action.cut;
    else if ('slow' in action) shaping.bytesPerSecond = action.slow;
    else await swallow(request, action.cutRequest);
  }
  return undefined;
}

const retry = (action: { retryAfter?: number }): Record<string, string> =>
  action.retryAfter === undefined ? {} : { 'retry-after': String(action.retryAfter) };

/** Reads this many bytes of the request body, then cuts the connection. */
async function swallow(request: IncomingMessage, bytes: number): Promise<never> {
  let seen = 0;
  for await (const chunk of request) {
    seen += (chunk as Buffer).length;
    if (seen >= bytes) break;
  }
  throw new Drop('reset');
}

/** Administration errors have a format of their own. */
function faultReply(error: unknown, path: string): Reply {
  const words = error instanceof Error ? error.message : String(error);
  const fault = error instanceof PortalFault ? error : new PortalFault(500, `Internal error: ${words}`);
  const body = path.startsWith('/portal/portaladmin')
    ? { status: 'error', messages: [fault.message], code: fault.code }
    : fault.body;
  return { kind: 'json', body, status: fault.more.httpStatus };
}

/** Deletes files that the handler did not take. */
async function dropFiles(params: Params): Promise<void> {
  for (const { path } of params.files.values()) await rm(path, { force: true });
}

function formatOf({ match, params, plain }: Progress): 'json' | 'pjson' | 'html' {
  const f = params?.text('f')?.toLowerCase();
  if (plain || match?.route.ownFormat) return 'json';
  return f === 'json' || f === 'pjson' ? f : 'html';
}

function statusOf(reply: Reply): number {
  return reply.kind === 'redirect' ? 302 : (reply.status ?? 200);
}

function errorCodeOf(reply: Reply): number | undefined {
  if (reply.kind !== 'json' || !('error' in reply.body)) return undefined;
  return (reply.body.error as { code?: number }).code;
}

function writeLog(
  { log, world }: ServerParts,
  request: IncomingMessage,
  url: URL,
  progress: Progress,
  ending: { began: number; status: number; errorCode?: number },
): void {
  if (world.closed) return;
  const headers: Record<string, string> = {};
  for (const name of [
    'content-length',
    'transfer-encoding',
    'range',
    'content-type',
    'if-range',
    'user-agent',
  ]) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  log.add({
    at: new Date(ending.began).toISOString(),
    method: request.method ?? '',
    path: url.pathname,
    operation: progress.match?.route.operation ?? 'none',
    params: progress.params?.masked() ?? {},
    bytes: progress.bytes,
    status: ending.status,
    errorCode: ending.errorCode,
    user: progress.session?.username,
    headers,
    tokenBy: progress.params && carrierOf(request, progress.params),
    referer: request.headers.referer,
    fault: progress.fault,
    ms: Date.now() - ending.began,
  });
}

function carrierOf(request: IncomingMessage, params: Params): 'query' | 'form' | 'header' | undefined {
  if (request.headers['x-esri-authorization'] !== undefined || request.headers.authorization !== undefined) {
    return 'header';
  }
  if (!params.has('token')) return undefined;
  return params.inQuery('token') ? 'query' : 'form';
}
