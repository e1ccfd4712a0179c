import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen, portOf } from './listening';

export interface Distance {
  /** There and back. @format milliseconds */
  readonly roundTripMs: number;
  /** Share of the segments, on either way, that have to be sent again, from 0 to 1. */
  readonly loss: number;
}

/** What goes into a packet of an ordinary network. @format bytes */
const SEGMENT = 1460;
/** How long TCP waits over a round trip before it sends something again; twice as long each further time. @format milliseconds */
const RESEND_MS = 200;
/** What a receiver's window lets be under way. @format bytes */
const WINDOW = 1024 ** 2;

/**
 * A way to a server far away on which packets are lost, as both ends see it: what is sent arrives half a round trip
 * later, in its order; a lost segment comes when it is sent again, and all behind it waits for that. The machine's own
 * network stays as it is: not every kernel can slow it.
 */
export class FarLine {
  /** Segments that went over it, and how often one had to be sent again. */
  readonly segments = { sent: 0, again: 0 };
  private readonly open = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly to: { readonly host: string; readonly port: number },
    private readonly distance: Distance,
  ) {
    server.on('connection', (near) => void this.carry(near));
  }

  /** @param address `host:port` of the server */
  static async to(address: string, distance: Distance): Promise<FarLine> {
    const [host = '', port] = address.split(':');
    const server = createServer();
    await listen(server);
    return new FarLine(server, { host, port: Number(port) }, distance);
  }

  /** `localhost:port`, as a certificate names it. */
  get address(): string {
    return `localhost:${portOf(this.server)}`;
  }

  async close(): Promise<void> {
    const closed = close(this.server);
    for (const socket of this.open) socket.destroy();
    await closed;
  }

  private async carry(near: Socket): Promise<void> {
    this.watch(near);
    await sleep(this.distance.roundTripMs);
    const far = connect(this.to);
    this.watch(far);
    const ways = await Promise.allSettled([this.send(near, far), this.send(far, near)]);
    if (ways.some(({ status }) => status === 'rejected')) for (const socket of [near, far]) socket.destroy();
  }

  private watch(socket: Socket): void {
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket)).on('error', () => socket.destroy());
  }

  /** Carries one way to its end. Throws where an end breaks off. */
  private async send(from: Socket, to: Socket): Promise<void> {
    let due = 0;
    let underWay = 0;
    let arrived = Promise.resolve();
    for await (const chunk of from as AsyncIterable<Buffer>) {
      due = Math.max(due, performance.now() + this.distance.roundTripMs / 2) + this.resent(chunk.length);
      underWay += chunk.length;
      const at = due;
      arrived = arrived.then(async () => {
        await sleep(Math.max(0, at - performance.now()));
        underWay -= chunk.length;
        to.write(chunk);
      });
      if (underWay > WINDOW) await arrived;
    }
    await arrived;
    to.end();
  }

  /** By how much so many bytes are late, because of what was lost of them. @format milliseconds */
  private resent(bytes: number): number {
    const { roundTripMs, loss } = this.distance;
    let late = 0;
    for (let left = bytes; left > 0; left -= SEGMENT) {
      this.segments.sent += 1;
      for (let wait = roundTripMs + RESEND_MS; Math.random() < loss; wait *= 2) {
        this.segments.again += 1;
        late += wait;
      }
    }
    return late;
  }
}
