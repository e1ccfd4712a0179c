import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SimulatorOptions } from '../options';
import { makeServer, portalListener, type ServerParts } from './server';
import { TrafficMeter } from './traffic';

export interface Listening {
  readonly server: Server;
  readonly traffic: TrafficMeter;
  readonly port: number;
  readonly origin: string;
}

/** Listens on the port asked for, else on that of an earlier start, else on any. @throws Error where it is taken */
export async function listen(
  options: SimulatorOptions,
  earlier: number | undefined,
  parts: ServerParts,
): Promise<Listening> {
  const server = makeServer(portalListener(parts), options.tls);
  const traffic = new TrafficMeter(server);
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port || earlier || 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, traffic, port, origin: `${options.tls ? 'https' : 'http'}://${host}:${port}` };
}

/** Stops listening and cuts what is open. */
export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
