import { Readable, Transform } from 'node:stream';
import type { AnswerContext } from '../../http/response';
import type { Portal } from '../../client';
import { announcedLength, ERROR_TEXT_MAX, refuseErrors } from './item-data';
import { ERROR_IN_DATA_MAX } from '../../http/limits';
import { drop, type Opened, readUpTo } from '../../http/opened';
import { pathOf } from '../../http/address';
import { toNumber } from '../../http/reading';
import { portalError } from '../../http/response-limits';
import type { CallOptions } from '../../http/request';

export interface Download {
  /** The bytes from `startsAt` on. It must be read or destroyed. Its errors are PortolanErrors. */
  readonly body: Readable;
  /** First byte of the body in the file: 0 where the portal ignored the wish to resume. */
  readonly startsAt: number;
  /** Length of the whole file, where the portal names it. @format bytes */
  readonly totalBytes?: number;
  /** Host of the store that the portal redirected to. The address itself is a secret. */
  readonly redirectedToHost?: string;
  /** Strong entity tag, to be given when resuming. */
  readonly etag?: string;
}

interface DownloadRequest {
  /** First byte desired. */
  readonly from: number;
  /** Tag of the file of which the bytes before `from` are. */
  readonly etag?: string;
  readonly onChunk?: (bytes: number) => void;
}

/**
 * Opens an item's data as a stream, from a byte on where the portal offers that. Redirects are followed
 * by hand, without the token where they leave the portal's interface. A small JSON error in a 200 is thrown. There is no time
 * limit unless `timeoutMs` is given, but 60 s between two pieces. docs/reference/portal-interface.md, "Download"
 *
 * @throws PortolanError ITEM_NOT_FOUND, PERMISSION_DENIED, HTML_RESPONSE, REDIRECT_LOOP, UNAVAILABLE
 *   (also for an error of the content store that it redirects to). The body ends with RESPONSE_CUT where
 *   it breaks off, TIMEOUT where it stops, ABORTED by the caller's signal.
 */
export const downloadItemData = (
  portal: Portal,
  itemId: string,
  request: DownloadRequest,
  options?: CallOptions,
): Promise<Download> =>
  downloadFile(
    portal,
    { operation: 'item.data', path: pathOf`content/items/${itemId}/data` },
    request,
    options,
  );

/** Opens any file of a portal as a stream, as `downloadItemData` does an item's data. */
export async function downloadFile(
  portal: Portal,
  file: { readonly operation: string; readonly path: string },
  request: DownloadRequest,
  options?: CallOptions,
): Promise<Download> {
  const { from, etag } = request;
  const headers = from > 0 ? { range: `bytes=${from}-`, ...(etag && { 'if-range': etag }) } : undefined;
  const open = (more?: Readonly<Record<string, string>>) =>
    portal.open(
      { ...file, ...(more && { headers: more }) },
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
  const head = await peek(opened);
  refuseErrors(opened, head.bytes, head.ended, context);
  const etag = [headers['etag']].flat()[0];
  const startsAt = status === 206 ? from : 0;
  const totalBytes =
    status === 206 ? (range?.total ?? (length === undefined ? undefined : from + length)) : length;
  return {
    body: passOn(opened, head, onChunk),
    startsAt,
    ...(totalBytes !== undefined && { totalBytes }),
    ...(redirectedToHost && { redirectedToHost }),
    ...(etag && !etag.startsWith('W/') && { etag }),
  };
}

interface Head {
  readonly bytes: Buffer;
  readonly ended: boolean;
}

/** So much of the body that a small error in place of the file shows. */
function peek(opened: Opened): Promise<Head> {
  const { body } = opened;
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      body.off('readable', onReadable).off('end', onEnd).off('error', onError);
      act();
    };
    const done = (ended: boolean) => settle(() => resolve({ bytes: Buffer.concat(chunks), ended }));
    const onEnd = () => done(true);
    const onError = (error: Error) => settle(() => reject(opened.fault(error)));
    const onReadable = () => {
      for (let chunk: Buffer | null; length <= ERROR_IN_DATA_MAX && (chunk = body.read()) !== null;) {
        chunks.push(chunk);
        length += chunk.length;
      }
      if (length > ERROR_IN_DATA_MAX) done(false);
    };
    body.on('readable', onReadable).on('end', onEnd).on('error', onError);
  });
}

/** The body as the caller gets it: its errors are ours, and destroying it ends the answer. */
function passOn(opened: Opened, head: Head, onChunk: ((bytes: number) => void) | undefined): Readable {
  const passing = new Transform({
    highWaterMark: BUFFER_BYTES,
    transform(chunk: Buffer, _encoding, done) {
      onChunk?.(chunk.length);
      done(null, chunk);
    },
  });
  passing.once('close', () => {
    opened.deadline.release();
    void drop(opened.body);
  });
  // The reader gets the error; until then it must not end the process.
  passing.on('error', () => {});
  passing.write(head.bytes);
  if (head.ended) return passing.end();
  opened.body.once('error', (error) => passing.destroy(opened.fault(error)));
  opened.body.pipe(passing);
  return passing;
}

/** Held of a file between the connection and its reader. @format bytes */
const BUFFER_BYTES = 256 * 1024;

/** `bytes 5-9/10`, `bytes 5-9/*`, `bytes *\/10`. */
function rangeOf(header: string | string[] | undefined): { start?: number; total?: number } | undefined {
  const match = /^bytes\s+(?:(\d+)-\d+|\*)\/(\d+|\*)$/i.exec([header].flat()[0]?.trim() ?? '');
  return match ? { start: toNumber(match[1]), total: toNumber(match[2]) } : undefined;
}

function refuseRange({ name }: Portal): never {
  throw portalError(
    'BAD_RESPONSE',
    name,
    'item.data',
    'returned neither the rest of the file nor the whole file',
  );
}
