import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../model/errors/errors';
import type { S3Object, S3Objects } from './s3-objects';
import type { StoredFile } from '../store';

/** Connections that may break in a row without a byte. */
const BREAKS_MAX = 4;
const PAUSE_MS = 250;
/** Buffer between connection and reader. @format bytes */
const BUFFER_BYTES = 512 * 1024;

/**
 * An object at one version. Reading resumes after a broken connection, and fails if the object was replaced, so that
 * versions never mix.
 */
export class S3File implements StoredFile {
  constructor(
    private readonly objects: S3Objects,
    private readonly key: string,
    private readonly object: S3Object,
  ) {}

  get size(): number {
    return this.object.size;
  }

  open(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end), { objectMode: false, highWaterMark: BUFFER_BYTES });
  }

  async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    let at = start;
    let breaks = 0;
    while (at < end) {
      let body: Readable | undefined;
      let fault: unknown;
      try {
        body = await this.objects.open(this.key, { start: at, end }, this.object.etag);
      } catch (thrown) {
        fault = thrown;
      }
      try {
        const chunks = body?.[Symbol.asyncIterator]() as AsyncIterator<Buffer> | undefined;
        while (chunks) {
          // Only the connection's own faults are caught: a reader that ends the stream by an error throws at the `yield`.
          const next = await chunks.next().catch((thrown: unknown) => {
            fault = thrown;
            return undefined;
          });
          if (!next || next.done) break;
          at += next.value.length;
          breaks = 0;
          yield next.value;
        }
      } finally {
        body?.destroy();
      }
      if (at >= end) return;
      await this.pauseOrThrow(fault ?? new Error('the response was cut off'), ++breaks);
    }
  }

  private async pauseOrThrow(fault: unknown, breaks: number): Promise<void> {
    const error = PortolanError.from(this.objects.fault(fault, this.key));
    if (error.code !== 'STORE_UNREACHABLE' || breaks >= BREAKS_MAX) throw error;
    await sleep(PAUSE_MS * breaks);
  }
}
