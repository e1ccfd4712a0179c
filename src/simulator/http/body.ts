import busboy from '@fastify/busboy';
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Params, type UploadedFile } from './params';

/** Limit for uploads in chunked transfer encoding (docs/reference/portal-interface.md, "Limits"). */
const chunkedLimit = 50 * 1024 * 1024;
/** Limit for everything but files. */
const fieldLimit = 64 * 1024 * 1024;

export interface ReadBody {
  readonly params: Params;
  /** Length of the body. */
  readonly bytes: number;
  /** The body came in chunks and exceeds their limit. */
  readonly tooLong: boolean;
}

/** Reads a request's parameters: query, urlencoded or multipart. Files go into the folder `incoming`. */
export async function readBody(request: IncomingMessage, url: URL, incoming: string): Promise<ReadBody> {
  const values = new Map<string, string>(url.searchParams);
  const files = new Map<string, UploadedFile>();
  const type = request.headers['content-type'] ?? '';
  const length = request.headers['content-length'];
  const chunked = length === undefined;
  const meter = new Meter();
  if (request.method === 'POST' && /^multipart\/form-data/i.test(type)) {
    // An announced length needs no check: a body of another length fails anyway.
    await readMultipart(request, chunked ? meter : undefined, { values, files, incoming });
  } else if (request.method === 'POST') {
    const text = await readText(request, meter);
    if (/^application\/x-www-form-urlencoded/i.test(type)) {
      for (const [name, value] of new URLSearchParams(text)) values.set(name, value);
    }
  }
  const queryNames = new Set(url.searchParams.keys());
  return {
    params: new Params(values, files, queryNames),
    bytes: chunked ? meter.bytes : Number(length),
    tooLong: chunked && meter.bytes > chunkedLimit,
  };
}

class Meter extends Transform {
  bytes = 0;

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.bytes += chunk.length;
    done(null, chunk);
  }
}

async function readText(request: IncomingMessage, meter: Meter): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request.pipe(meter)) {
    if (meter.bytes <= fieldLimit) chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readMultipart(
  request: IncomingMessage,
  meter: Meter | undefined,
  into: { values: Map<string, string>; files: Map<string, UploadedFile>; incoming: string },
): Promise<void> {
  const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
  const parser = busboy({ headers, limits: { fieldSize: fieldLimit }, highWaterMark: 1024 * 1024 });
  const writing: Promise<void>[] = [];
  parser.on('field', (name, value) => void into.values.set(name, value));
  parser.on('file', (name, stream, filename) => {
    const path = join(into.incoming, randomUUID());
    const file = createWriteStream(path, { highWaterMark: 4 * 1024 * 1024 });
    writing.push(
      pipeline(stream, file).then(() => {
        into.files.set(name, { path, filename: filename ?? name, bytes: file.bytesWritten });
      }),
    );
  });
  await (meter ? pipeline(request, meter, parser) : pipeline(request, parser));
  await Promise.all(writing);
}
