import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Answers a request when its whole body has come. */
export const withBody =
  (answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown): RequestListener =>
  (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => answer(request, Buffer.concat(pieces), response));
  };

/** Has a server listen on a free port of this machine. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return portOf(server);
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Closes a server with its connections. */
export async function close(server: Server & { closeAllConnections?(): void }): Promise<void> {
  server.closeAllConnections?.();
  await new Promise((resolve) => server.close(resolve));
}
