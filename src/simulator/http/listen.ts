import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { SimulatorOptions } from '../options';
import { makeServer, portalListener, type ServerParts } from './server';

/** Bytes sent and received by a portal, including those of failed requests. */
export interface Traffic {
  readonly received: number;
  readonly sent: number;
}

/** Counts at a server's sockets, so that cut and repeated transfers count too. */
class TrafficMeter {
  private readonly open = new Set<Socket>();
  private readonly closed = { received: 0, sent: 0 };

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => {
        this.open.delete(socket);
        this.closed.received += socket.bytesRead;
        this.closed.sent += socket.bytesWritten;
      });
    });
  }

  get total(): Traffic {
    let { received, sent } = this.closed;
    for (const socket of this.open) {
      received += socket.bytesRead;
      sent += socket.bytesWritten;
    }
    return { received, sent };
  }
}

export interface Listening {
  readonly server: Server;
  readonly traffic: TrafficMeter;
  readonly port: number;
  readonly origin: string;
}

/** Listens on the requested port, else the port of an earlier start, else any. @throws Error if it is in use */
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

/** Stops listening and cuts open connections. */
export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
