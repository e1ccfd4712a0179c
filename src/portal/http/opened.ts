import type { Readable } from 'node:stream';
import type { PortolanError } from '../../model/errors/errors';
import type { Deadline } from './deadline';
import { toNumber } from './reading';
import type { RequestEnd } from './request';

/** A response with an unread body. */
export interface Opened {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
  /** Host of a store beside the portal's interface that a redirect led to. Its URL is a secret. */
  readonly redirectedToHost?: string;
  readonly deadline: Deadline;
  /** Maps an error of the body. */
  readonly fault: (thrown: unknown) => PortolanError;
}

/** The first bytes of an answer; what comes after them is dropped. */
export async function readUpTo(opened: Opened, maxBytes: number): Promise<{ bytes: Buffer; whole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of opened.body) {
      const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > maxBytes) break;
    }
  } catch (error) {
    throw opened.fault(error);
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), whole: length <= maxBytes };
}

/** How reading by the caller ended. A response the caller dropped did not break off. */
export function howRead(opened: Opened): Pick<RequestEnd, 'error' | 'receivedBytes'> {
  const { body, headers, deadline } = opened;
  if (body.readableEnded) return { receivedBytes: toNumber([headers['content-length']].flat()[0]) };
  const { errored } = body;
  // So Node and undici call it where a body is destroyed for no reason, and we where its time is over.
  const isLeft = errored?.name === 'AbortError' && deadline.ended === undefined;
  return errored && !isLeft ? { error: opened.fault(errored).code } : {};
}

/** Drops an unread response without an unhandled error. */
export function drop(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (body.destroyed) return resolve();
    body.once('error', () => {});
    body.once('close', () => resolve());
    body.destroy();
  });
}
