import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { PortolanError } from '../../model/errors/errors';
import { type Address, listenHost } from './address';

/** The Web UI as people see it. */
export interface WebUi {
  readonly url: string;
  close(): Promise<void>;
}

/** What a browser tells of a request, as far as it decides. */
export interface UiRequest {
  readonly method?: string;
  readonly url?: string;
  readonly headers: IncomingHttpHeaders;
}

/** Methods that change nothing. */
const reads: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** A page of this UI, or a typed URL. */
const ownSites: ReadonlySet<unknown> = new Set([undefined, 'same-origin', 'none']);

/** Headers that are about one connection, or would make the UI leave out its own look at who asks. */
const dropped = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'authorization'];

/**
 * Why a request is not answered; `undefined` where it is. A page elsewhere whose name was made to lead here shows in
 * Host, one that sends here from its own place in Origin and in Sec-Fetch-Site. What changes something has to show that
 * it comes from a page of ours.
 * @param hosts the names under which it is asked, each with its port
 */
export function whyRefused(
  { method, url, headers }: UiRequest,
  hosts: readonly string[],
): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!hosts.includes(host.toLowerCase()) || url?.startsWith('/') !== true)
    return `Use one of these addresses: ${hosts.map((each) => `http://${each}`).join(', ')}.`;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return 'Only its own pages may call it; this request comes from another page.';
  if (!ownSites.has(site))
    return `Only its own pages may call it; this request comes from another site. Type http://${host} into the browser.`;
  if (!reads.has(method) && origin === undefined && site !== 'same-origin')
    return 'Only its own pages may change anything; this request does not say where it comes from.';
  return undefined;
}

/**
 * Puts a door before the Web UI of a Temporal server on this machine, which itself answers any Host, and whoever sends
 * an Authorization header without a look at where that comes from. Only requests of its own pages, under this machine's
 * names, get through.
 *
 * The UI behind it asks nobody who he is. It listens where no other machine and no web page finds it (`hiddenAddress`);
 * who has a shell on this machine finds it, as he finds the server itself.
 * @param at where people find it
 * @param behind where the Web UI listens
 * @throws PortolanError `ADDRESS_IN_USE`
 */
export async function openWebUi(at: Address, behind: Address): Promise<WebUi> {
  const name = at.host.includes(':') ? `[${at.host}]` : at.host;
  const hosts = [...new Set([name, '127.0.0.1', 'localhost', '[::1]'])].map((each) => `${each}:${at.port}`);
  const server = http.createServer((request, response) => {
    const refusal = whyRefused(request, hosts);
    if (refusal === undefined) pass(request, response, behind);
    else answer(response, 403, refusal);
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(at.port, listenHost(at.host), resolve),
  ).catch((error: NodeJS.ErrnoException) => {
    throw new PortolanError(
      'ADDRESS_IN_USE',
      `The Web UI cannot listen at ${name}:${at.port} (${error.code ?? 'unknown cause'})`,
      {
        hint: 'Stop the program that uses this port, choose another temporal.address, or omit the Web UI: portolan up --no-ui',
      },
      { cause: error },
    );
  });
  return {
    url: `http://${name}:${at.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
    .end(`${sentence}\n`);
}

const without = (headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

function pass(request: IncomingMessage, response: ServerResponse, { host, port }: Address): void {
  const { method, url } = request;
  const onward = http.request(
    { host, port, method, path: url, headers: without(request.headers, dropped), agent: false },
    (answered) => {
      response.writeHead(answered.statusCode ?? 502, {
        ...without(answered.headers, dropped),
        // Nor does a page elsewhere take its files in.
        'cross-origin-resource-policy': 'same-origin',
      });
      pipeline(answered, response, () => {});
    },
  );
  onward.on('error', () => {
    if (response.headersSent) response.destroy();
    else answer(response, 502, 'The Temporal server does not respond. Try again in a moment.');
  });
  response.on('close', () => onward.destroy());
  pipeline(request, onward, () => {});
}
