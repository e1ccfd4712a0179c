import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Below what systems give out to whoever asks for any port: nobody else takes it between the look and the use. */
const FIRST = 15_000;
const LAST = 31_000;
/** A Web UI listens this far above its server. */
const UI_ABOVE = 1_000;

/** A port for a Temporal server whose Web UI finds its own free, too. */
export async function freeServerPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if ((await isFree(port)) && (await isFree(port + UI_ABOVE))) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
