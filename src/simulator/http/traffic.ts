import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that went over the lines of a portal, whether or not what they belonged to came to its end. */
export interface Traffic {
  readonly received: number;
  readonly sent: number;
}

/** Counts at the sockets of a server: what was cut off counts as far as it came, what was sent twice counts twice. */
export class TrafficMeter {
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
