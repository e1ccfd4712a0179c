import { Readable } from 'node:stream';
import { PortolanError } from '../../model/errors/errors';
import type { S3Bucket } from './s3-bucket';
import { S3Draft } from './s3-draft';
import type { S3Part, S3Upload } from './s3-uploads';
import type { PartialFile } from '../store';

/** The piece that an attempt adds may have 10,000 parts, so at most 80 GB. @format bytes */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts under way at a time: each is held in memory. */
const PARTS_AT_A_TIME = 3;

/**
 * A file on its way into a bucket, in parts. A later attempt goes on behind the last part of which all before have come;
 * within one, whatever came stays when the source breaks, and `append` goes on behind it. A file of less than a part is
 * sent whole when it is committed.
 */
export class S3Partial implements PartialFile {
  /** What is held for the part that is being filled is lost with this attempt. */
  readonly lasting = false;
  /** Bytes behind the draft's. */
  private written = 0;
  /** The part that is being filled, and how far it is. */
  private filling: Buffer | undefined;
  private filled = 0;
  /** Buffers of parts that have arrived, to be filled again. */
  private readonly spare: Buffer[] = [];
  /** Of the piece that this attempt adds to the draft. */
  private upload: Promise<S3Upload> | undefined;
  private begun = 0;
  private arrived: S3Part[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private fault: Error | undefined;

  private constructor(
    private readonly bucket: S3Bucket,
    private readonly key: string,
    private readonly draft: S3Draft,
  ) {}

  static async takeOver(bucket: S3Bucket, key: string): Promise<S3Partial> {
    const partial = new S3Partial(bucket, key, await S3Draft.takeOver(bucket, key));
    await partial.holdSmallRest(partial.draft.size);
    return partial;
  }

  get size(): number {
    return this.draft.size + this.written;
  }

  open(): Readable {
    if (this.upload !== undefined)
      throw new PortolanError('INTERNAL', `${this.key} cannot be read until it is complete`);
    const { draft, filling, filled } = this;
    async function* all(): AsyncGenerator<Buffer> {
      yield* draft.open() as AsyncIterable<Buffer>;
      if (filled > 0) yield Buffer.from(filling?.subarray(0, filled) ?? []);
    }
    return Readable.from(all(), { objectMode: false });
  }

  async restart(): Promise<void> {
    await this.cutTo(0);
    this.fault = undefined;
  }

  async cutTo(bytes: number): Promise<void> {
    const over = this.size - bytes;
    if (over <= 0 && bytes > 0) return;
    if (bytes > 0 && over <= this.filled) {
      this.filled -= over;
      this.written -= over;
      return;
    }
    this.filled = 0;
    if (bytes > this.draft.size) await this.keepSent();
    else await this.dropSent();
    await this.holdSmallRest(bytes);
  }

  async append(source: AsyncIterable<Uint8Array>): Promise<number> {
    try {
      for await (const chunk of source) await this.take(chunk);
    } finally {
      await Promise.all(this.underWay);
    }
    this.throwFault();
    return this.size;
  }

  async commit(): Promise<void> {
    this.throwFault();
    if (this.upload === undefined && this.draft.size === 0) {
      await this.bucket.objects.put(this.key, this.held());
      return;
    }
    await this.keepSent();
    await this.draft.commit();
  }

  private async take(chunk: Uint8Array): Promise<void> {
    for (let rest = chunk; rest.length > 0;) {
      this.throwFault();
      const part = (this.filling ??= this.spare.pop() ?? Buffer.allocUnsafe(PART_BYTES));
      const taken = rest.subarray(0, part.length - this.filled);
      part.set(taken, this.filled);
      this.filled += taken.length;
      this.written += taken.length;
      rest = rest.subarray(taken.length);
      if (this.filled === part.length) await this.send();
    }
  }

  /** Begins to send the part that is being filled, once there is a place for it. */
  private async send(): Promise<void> {
    while (this.underWay.size >= PARTS_AT_A_TIME) await Promise.race(this.underWay);
    this.throwFault();
    const { uploads } = this.bucket;
    this.upload ??= this.draft.begin();
    const { filling, filled, upload } = this;
    if (filling === undefined) return;
    const number = (this.begun += 1);
    this.filling = undefined;
    this.filled = 0;
    const sending = upload
      .then((begun) => uploads.send(begun, number, filling.subarray(0, filled)))
      .then((part) => {
        this.arrived.push(part);
        this.spare.push(filling);
      })
      .catch((thrown: Error) => {
        this.fault ??= thrown;
      })
      .finally(() => this.underWay.delete(sending));
    this.underWay.add(sending);
  }

  /** Makes what was written in this attempt, to its last byte, a piece of the draft. */
  private async keepSent(): Promise<void> {
    const { bucket, draft } = this;
    if (this.upload === undefined) {
      if (this.filled === 0) return;
      const place = draft.next();
      await bucket.objects.put(place, this.held());
      this.forget();
      return await draft.add(place);
    }
    if (this.filled > 0) await this.send();
    await Promise.all(this.underWay);
    this.throwFault();
    const upload = await this.upload;
    try {
      await bucket.uploads.complete(upload, this.arrived);
      this.forget();
      await draft.add(upload.key);
    } catch (thrown) {
      this.fault = thrown as Error;
      throw thrown;
    }
  }

  private async dropSent(): Promise<void> {
    await Promise.all(this.underWay);
    const upload = await this.upload?.catch(() => undefined);
    this.forget();
    if (upload) await this.draft.end(upload);
  }

  private forget(): void {
    Object.assign(this, { written: 0, filled: 0, begun: 0, arrived: [], upload: undefined });
  }

  /** Cuts the draft to so many bytes; what it cannot keep of these waits for what comes next. */
  private async holdSmallRest(bytes: number): Promise<void> {
    const rest = await this.draft.cutTo(bytes);
    if (rest.length > 0) await this.take(rest);
  }

  private held(): Uint8Array {
    return this.filling?.subarray(0, this.filled) ?? new Uint8Array();
  }

  /** A store that failed once has lost a part: this attempt can only begin anew, a later one goes on before that part. */
  private throwFault(): void {
    if (this.fault !== undefined) throw this.fault;
  }
}
