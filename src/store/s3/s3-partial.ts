import type { CompletedPart } from '@aws-sdk/client-s3';
import { PART_BYTES, type S3Objects } from './s3-objects';
import type { PartialFile } from '../store';

/** Parts sent at a time, each from a buffer that is used again: V8 collects discarded ones much later. */
const PARTS_AT_A_TIME = 3;

/** A file on its way into a bucket: one upload, which continues after its source broke, but not in a later attempt. */
export class S3Partial implements PartialFile {
  readonly lasting = false;
  size = 0;
  private readonly buffers: Buffer[] = [];
  /** Bytes in the buffer of the next part. */
  private filled = 0;
  private uploadId: string | undefined;
  private parts: Promise<CompletedPart>[] = [];
  private failure: Error | undefined;

  constructor(
    private readonly objects: S3Objects,
    private readonly key: string,
  ) {}

  async restart(): Promise<void> {
    await this.close();
    this.size = 0;
    this.failure = undefined;
  }

  async append(source: AsyncIterable<Uint8Array>): Promise<number> {
    for await (const chunk of source) {
      if (this.failure !== undefined) throw this.failure;
      this.size += chunk.length;
      this.objects.requireFits(this.key, this.size);
      for (let rest = chunk; rest.length > 0;) {
        if (this.filled === PART_BYTES) await this.send();
        const taken = rest.subarray(0, PART_BYTES - this.filled);
        this.buffer.set(taken, this.filled);
        this.filled += taken.length;
        rest = rest.subarray(taken.length);
      }
    }
    return this.size;
  }

  async commit(): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    const { uploadId, filled } = this;
    if (uploadId === undefined) return await this.objects.put(this.key, this.buffer.subarray(0, filled));
    await this.send();
    await this.objects.completeUpload(this.key, uploadId, await Promise.all(this.parts));
    this.uploadId = undefined;
  }

  async close(): Promise<void> {
    const { uploadId } = this;
    this.uploadId = undefined;
    this.filled = 0;
    // A part that arrives after the abort would stay.
    await Promise.allSettled(this.parts.splice(0));
    if (uploadId !== undefined) await this.objects.abort(this.key, uploadId).catch(() => undefined);
  }

  /** The buffer of the next part. */
  private get buffer(): Buffer {
    return (this.buffers[this.parts.length % PARTS_AT_A_TIME] ??= Buffer.allocUnsafeSlow(PART_BYTES));
  }

  /** Sends the filled buffer, and waits until the next one is free. */
  private async send(): Promise<void> {
    try {
      this.uploadId ??= await this.objects.beginUpload(this.key);
      const bytes = this.buffer.subarray(0, this.filled);
      const part = this.objects.sendPart(this.key, this.uploadId, this.parts.length + 1, bytes);
      part.catch(() => undefined);
      this.parts.push(part);
      this.filled = 0;
      await this.parts.at(-PARTS_AT_A_TIME);
    } catch (thrown) {
      this.failure = thrown as Error;
      await this.close();
      throw thrown;
    }
  }
}
