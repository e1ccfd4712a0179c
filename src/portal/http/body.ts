import { randomUUID } from 'node:crypto';
import { PortolanError } from '../../model/errors/errors';
import type { FilePart, Params, ParamValue, PortalRequest, Verbatim } from './request';

/** A request's body that can be opened again for a repeat. Its length is always known. */
export interface Body {
  readonly contentType: string;
  /** @format bytes */
  readonly length: number;
  open(): Buffer | AsyncIterable<Buffer>;
}

/** Parameters as they are sent; what is unset or empty is left out. */
export function pairsOf(params: Params = {}): [string, string][] {
  return Object.entries(params).flatMap(([name, value]): [string, string][] => {
    if (isVerbatim(value)) return [[name, value.verbatim]];
    const text = Array.isArray(value) ? value.join(',') : value === undefined ? '' : String(value);
    return text === '' ? [] : [[name, text]];
  });
}

const isVerbatim = (value: ParamValue): value is Verbatim => typeof value === 'object' && 'verbatim' in value;

export function formBody(pairs: readonly [string, string][]): Body {
  const bytes = Buffer.from(new URLSearchParams([...pairs]).toString());
  return { contentType: 'application/x-www-form-urlencoded', length: bytes.length, open: () => bytes };
}

/** The body of a POST. */
export const bodyOf = (
  { encoding, file }: Pick<PortalRequest<unknown>, 'encoding' | 'file'>,
  pairs: readonly [string, string][],
): Body => (file || encoding === 'multipart' ? multipartBody(pairs, file) : formBody(pairs));

/**
 * A multipart body written by hand: fields, then at most one file, read as it is sent. Form libraries
 * hold the whole file in memory or send it chunked, which portals cap at 50 MB.
 */
function multipartBody(pairs: readonly [string, string][], file?: FilePart): Body {
  const boundary = `portolan-${randomUUID()}`;
  const fields = pairs.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  );
  const fileHead =
    file &&
    `--${boundary}\r\nContent-Disposition: form-data; name="${file.field ?? 'file'}"; filename="${quoted(file.filename)}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n';
  const head = Buffer.from(fields.join('') + (fileHead ?? ''));
  const tail = Buffer.from(`${file ? '\r\n' : ''}--${boundary}--\r\n`);
  const contentType = `multipart/form-data; boundary=${boundary}`;
  if (!file) {
    const bytes = Buffer.concat([head, tail]);
    return { contentType, length: bytes.length, open: () => bytes };
  }
  const length = head.length + stretchOf(file).length + tail.length;
  return { contentType, length, open: () => stream(head, file, tail) };
}

async function* stream(head: Buffer, file: FilePart, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  const { start, end, length } = stretchOf(file);
  let sent = 0;
  const { source } = file;
  // A piece is asked for when the connection has taken the one before: undici waits for that.
  for await (const chunk of source.pieces?.(start, end) ?? source.open(start, end)) {
    const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    sent += bytes.length;
    if (sent > length) break;
    yield bytes;
    file.onProgress?.(sent);
  }
  if (sent !== length) {
    throw new PortolanError('STORE_BROKEN', `The file to send is not ${length} bytes long, as announced.`);
  }
  yield tail;
}

function stretchOf({ source, start = 0, end = source.size }: FilePart): {
  start: number;
  end: number;
  length: number;
} {
  return { start, end, length: end - start };
}

const quoted = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
