import type { ServerResponse } from 'node:http';
import type { Reply } from '../harness/wire';

/** A text in pieces, each made when it is asked for. */
export const text =
  (pieces: () => Iterable<string>, status = 200, type = 'application/json'): Reply =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type });
    void pour(response, pieces());
  };

/** Writes as fast as it is taken, until the text ends or nobody listens any more. */
async function pour(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  let goOn = (): void => {};
  response.on('drain', () => goOn()).on('close', () => goOn());
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await new Promise<void>((resolve) => (goOn = resolve));
  }
  response.end();
}

/** `piece` so many times, in pieces of a size that sockets like. */
export function* filled(piece: string, times: number): Generator<string> {
  const many = Math.max(1, Math.floor(65_536 / piece.length));
  const block = piece.repeat(many);
  for (let left = times; left > 0; left -= many) yield left >= many ? block : piece.repeat(left);
}

export function* forEver(piece: string): Generator<string> {
  for (const block = piece.repeat(Math.ceil(65_536 / piece.length)); ;) yield block;
}

/** A piece a second, as long as somebody listens. */
export const trickle =
  (head: string, piece: string, headers: Record<string, string> = {}): Reply =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.write(head);
    const timer = setInterval(() => response.write(piece), 1_000);
    response.once('close', () => clearInterval(timer));
  };
