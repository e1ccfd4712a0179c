import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** What undici parses the responses on a connection with. */
interface Parser {
  paused: boolean;
  readonly ptr: number;
  readonly llhttp: { llhttp_resume(ptr: number): void };
  readonly socket: Socket;
  execute(bytes: Buffer): void;
  finish?(): Error | null;
}

const CONNECTED = 'undici:client:connected';

/**
 * undici 7 crashes the process if a server closes a connection whose response is read slowly, which pauses the parser:
 * https://github.com/nodejs/undici/issues/5360. As in undici 8, which needs Node 22, what has arrived is parsed first.
 */
function repairParser(message: unknown): void {
  const { socket } = message as { readonly socket: object };
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = key && (socket as Record<symbol, Parser | null>)[key];
  const finish = parser?.finish;
  // Connections of Node's own fetch have another parser.
  if (!finish) return;
  unsubscribe(CONNECTED, repairParser);
  // Tests load this module several times, but undici once.
  if (finish.name === finishPaused.name) return;
  (Object.getPrototypeOf(parser) as Parser).finish = finishPaused;

  function finishPaused(this: Parser): Error | null {
    for (let isLast = false; this.paused && !isLast;) {
      const bytes = this.socket.read() as Buffer | null;
      isLast = bytes === null;
      resume(this);
      this.execute(bytes ?? Buffer.alloc(0));
    }
    // A response without a length ends with the connection.
    if (this.paused) resume(this);
    return finish!.call(this);
  }
}

function resume(parser: Parser): void {
  parser.llhttp.llhttp_resume(parser.ptr);
  parser.paused = false;
}

subscribe(CONNECTED, repairParser);
