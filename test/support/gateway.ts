import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Gateway {
  /** The portal's address as seen through the gateway. */
  readonly url: string;
  close(): Promise<void>;
}

/** What is answered in place of the portal. */
export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** Addresses below the portal's interface, and what is answered there. */
export type Replies = readonly (readonly [below: RegExp, reply: Reply])[];

/**
 * A reverse proxy in front of a portal: the same portal under another address, or one that somebody has taken over,
 * and that answers in its place where they like.
 * @param replies the first that matches; what none matches goes to the portal behind
 */
export async function startGateway(portalUrl: string, replies: Replies = []): Promise<Gateway> {
  const behind = new URL(portalUrl);
  const server = http.createServer((request, response) => {
    const below = (request.url ?? '').slice(behind.pathname.length).replace(/^\//, '');
    const [, reply] = replies.find(([pattern]) => pattern.test(below)) ?? [];
    if (reply) {
      request.resume();
      return reply(request, response);
    }
    const { method, url: path, headers } = request;
    const onward = http.request(
      { host: behind.hostname, port: behind.port, method, path, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${behind.pathname}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
