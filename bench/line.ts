import net, { type AddressInfo } from 'node:net';
import { Transform } from 'node:stream';

/** What a line carries in each direction. @format bytes per second */
export const LINE_RATE = 100 * 1024 ** 2;
/** How far a line may be ahead of its rate, or catch up, since a timer is not exact. @format milliseconds */
const AHEAD_MS = 5;
const LATE_MS = 20;

const ignore = (): void => undefined;

/** One direction of a line, shared by all its connections. */
class Lane {
  private freeAt = 0;

  /** Passes bytes on at the rate of the line. */
  stretch(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const now = performance.now();
        this.freeAt = Math.max(this.freeAt, now - LATE_MS) + (chunk.length / LINE_RATE) * 1000;
        const waitMs = this.freeAt - now;
        if (waitMs < AHEAD_MS) done(null, chunk);
        else setTimeout(() => done(null, chunk), waitMs);
      },
    });
  }
}

/**
 * Opens a line to a portal with a limited rate in each direction, however many connections share it.
 * @returns the portal's address at this end of the line
 */
export async function openLine(portal: string): Promise<string> {
  const url = new URL(portal);
  const port = Number(url.port);
  const [there, back] = [new Lane(), new Lane()];
  const server = net.createServer((near) => {
    const far = net.connect(port, url.hostname);
    near.pipe(there.stretch()).pipe(far);
    far.pipe(back.stretch()).pipe(near);
    // An end without the other is of no use.
    for (const end of [near, far])
      end.on('error', ignore).on('close', () => void [near, far].forEach((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, url.hostname, resolve));
  url.port = String((server.address() as AddressInfo).port);
  return url.href;
}
