import { Readable } from 'node:stream';
import { PortolanError } from '../model/errors';
import type { AnswerContext } from './answer';
import type { Portal } from './client';
import { announcedLength, ERROR_TEXT_MAX, refuseErrors } from './item-data';
import { ERROR_IN_DATA_MAX } from './limits';
import { drop, type Opened, readUpTo } from './line';
import { pathOf } from './path';
import { toNumber } from './reading';
import type { CallOptions } from './request';

export interface Download {
  /** The bytes from `startsAt` on. It must be read or destroyed. Its errors are PortolanErrors. */
  readonly body: Readable;
  /** First byte of the body in the file: 0 where the portal ignored the wish to resume. */
  readonly startsAt: number;
  /** Length of the whole file, where the portal names it. @format bytes */
  readonly totalBytes?: number;
  /** Host of another origin that the portal redirected to. The address itself is a secret. */
  readonly redirectedToHost?: string;
  /** Strong entity tag, to be given when resuming. */
  readonly etag?: string;
}

export interface DownloadRequest {
  /** First byte wanted. */
  readonly from: number;
  /** Tag of the file of which the bytes before `from` are. */
  readonly etag?: string;
  readonly onChunk?: (bytes: number) => void;
}

/**
 * Opens an item's data as a stream, from a byte on where the portal offers that. Redirects are followed
 * by hand, without the token to another origin. A small JSON error in a 200 is thrown. There is no time
 * limit unless `timeoutMs` is given, but 60 s between two pieces. docs/portal-interface.md, "Item data"
 *
 * @throws PortolanError ITEM_NOT_FOUND, PERMISSION_DENIED, HTML_RESPONSE, REDIRECT_LOOP, UNAVAILABLE
 *   (also for an error of the content store that it redirects to). The body ends with RESPONSE_CUT where
 *   it breaks off, TIMEOUT where it stops, ABORTED by the caller's signal.
 */
export async function downloadItemData(
  portal: Portal,
  itemId: string,
  request: DownloadRequest,
  options?: CallOptions,
): Promise<Download> {
  const { from, etag } = request;
  const headers = from > 0 ? { range: `bytes=${from}-`, ...(etag && { 'if-range': etag }) } : undefined;
  const open = (more?: Readonly<Record<string, string>>) =>
    portal.open(
      { operation: 'item.data', path: pathOf`content/items/${itemId}/data`, ...(more && { headers: more }) },
      (opened, context) => begin(opened, context, request),
      options,
    );
  return (await open(headers)) ?? (await open()) ?? refuseRange(portal);
}

/** The download; undefined where the portal cannot serve the range, and the whole is to be asked for. */
async function begin(
  opened: Opened,
  context: AnswerContext,
  { from, onChunk }: DownloadRequest,
): Promise<Download | undefined> {
  const { status, headers, redirectedToHost } = opened;
  const range = rangeOf(headers['content-range']);
  if (status === 416) {
    await drop(opened.body);
    opened.deadline.release();
    const complete = from > 0 && range?.total === from;
    return complete ? { body: Readable.from([]), startsAt: from, totalBytes: from } : undefined;
  }
  if (status >= 400) {
    const { bytes, whole } = await readUpTo(opened, ERROR_TEXT_MAX);
    refuseErrors(opened, bytes, whole, context);
  }
  if (status === 206 && range?.start !== from) {
    await drop(opened.body);
    opened.deadline.release();
    return undefined;
  }
  const length = announcedLength(opened);
  const chunks = opened.body[Symbol.asyncIterator]();
  const head = await peek(opened, chunks);
  refuseErrors(opened, Buffer.concat(head.chunks), head.ended, context);
  const etag = [headers['etag']].flat()[0];
  const startsAt = status === 206 ? from : 0;
  const totalBytes =
    status === 206 ? (range?.total ?? (length === undefined ? undefined : from + length)) : length;
  return {
    body: Readable.from(bodyOf(opened, head, chunks, onChunk), {
      objectMode: false,
      highWaterMark: 256 * 1024,
    }),
    startsAt,
    ...(totalBytes !== undefined && { totalBytes }),
    ...(redirectedToHost && { redirectedToHost }),
    ...(etag && !etag.startsWith('W/') && { etag }),
  };
}

interface Head {
  readonly chunks: Buffer[];
  readonly ended: boolean;
}

/** So much of the body that a small error in place of the file shows. */
async function peek(opened: Opened, chunks: AsyncIterator<Buffer>): Promise<Head> {
  const head: Buffer[] = [];
  let length = 0;
  try {
    while (length <= ERROR_IN_DATA_MAX) {
      const next = await chunks.next();
      if (next.done) return { chunks: head, ended: true };
      head.push(next.value);
      length += next.value.length;
    }
    return { chunks: head, ended: false };
  } catch (error) {
    throw opened.fault(error);
  }
}

async function* bodyOf(
  opened: Opened,
  head: Head,
  chunks: AsyncIterator<Buffer>,
  onChunk?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    for (const chunk of head.chunks) {
      onChunk?.(chunk.length);
      yield chunk;
    }
    while (!head.ended) {
      const next = await chunks.next();
      if (next.done) return;
      onChunk?.(next.value.length);
      yield next.value;
    }
  } catch (error) {
    throw opened.fault(error);
  } finally {
    opened.deadline.release();
    await drop(opened.body);
  }
}

/** `bytes 5-9/10`, `bytes 5-9/*`, `bytes *\/10`. */
function rangeOf(header: string | string[] | undefined): { start?: number; total?: number } | undefined {
  const match = /^bytes\s+(?:(\d+)-\d+|\*)\/(\d+|\*)$/i.exec([header].flat()[0]?.trim() ?? '');
  return match ? { start: toNumber(match[1]), total: toNumber(match[2]) } : undefined;
}

function refuseRange(portal: Portal): never {
  throw new PortolanError(
    'BAD_RESPONSE',
    `${portal.name} serves neither the rest of the file nor the whole.`,
    {
      portal: portal.name,
      operation: 'item.data',
    },
  );
}
