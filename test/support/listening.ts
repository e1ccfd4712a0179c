import type { AddressInfo, Server } from 'node:net';

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
