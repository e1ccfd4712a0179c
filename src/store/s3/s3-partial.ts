import { Readable } from 'node:stream';
import { PortolanError } from '../../model/errors/errors';
import type { S3Objects } from './s3-objects';
import type { S3Part, S3Upload, S3Uploads } from './s3-uploads';
import type { PartialFile } from '../store';

/** A file may have 10,000 parts, so at most 80 GB. @format bytes */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts under way at a time: each is held in memory. */
const PARTS_AT_A_TIME = 3;

/**
 * A file on its way into a bucket, in parts. S3 lets nobody read parts back, so a later attempt begins anew; within
 * one, whatever came stays when the source breaks, and `append` goes on behind it. A file of less than a part is sent
 * whole when it is committed.
 */
export class S3Partial implements PartialFile {
  readonly lasting = false;
  private written = 0;
  /** The part that is being filled, and how far it is. */
  private filling: Buffer | undefined;
  private filled = 0;
  /** Buffers of parts that have arrived, to be filled again. */
  private readonly spare: Buffer[] = [];
  private upload: Promise<S3Upload> | undefined;
  private begun = 0;
  private arrived: S3Part[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private fault: Error | undefined;

  constructor(
    private readonly objects: S3Objects,
    private readonly uploads: S3Uploads,
    private readonly key: string,
  ) {}

  get size(): number {
    return this.written;
  }

  open(): Readable {
    if (this.written === 0) return Readable.from([]);
    throw new PortolanError('INTERNAL', `${this.key} cannot be read before it is complete`);
  }

  async restart(): Promise<void> {
    await this.discard();
    this.fault = undefined;
  }

  async cutTo(bytes: number): Promise<void> {
    if (bytes === this.written) return;
    if (bytes !== 0) throw new PortolanError('INTERNAL', `${this.key} can only be begun anew`);
    await this.restart();
  }

  async append(source: AsyncIterable<Uint8Array>): Promise<number> {
    try {
      for await (const chunk of source) await this.take(chunk);
    } finally {
      await Promise.all(this.underWay);
    }
    await this.throwFault();
    return this.written;
  }

  async commit(): Promise<void> {
    await this.throwFault();
    if (this.upload === undefined) {
      await this.objects.put(this.key, this.filling?.subarray(0, this.filled) ?? new Uint8Array());
      return;
    }
    if (this.filled > 0) await this.send();
    await Promise.all(this.underWay);
    await this.throwFault();
    const upload = await this.upload;
    await this.uploads.complete(upload, this.arrived).catch(async (thrown: Error) => {
      this.fault = thrown;
      await this.throwFault();
    });
  }

  private async take(chunk: Uint8Array): Promise<void> {
    for (let rest = chunk; rest.length > 0;) {
      await this.throwFault();
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
    await this.throwFault();
    this.upload ??= this.uploads.begin(this.key);
    const { filling, filled, upload } = this;
    if (filling === undefined) return;
    const number = (this.begun += 1);
    this.filling = undefined;
    this.filled = 0;
    const sending = upload
      .then((begun) => this.uploads.send(begun, number, filling.subarray(0, filled)))
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

  /** A store that failed once has lost a piece: the file can only be begun anew. */
  private async throwFault(): Promise<void> {
    const { fault } = this;
    if (fault === undefined) return;
    // What is the matter is told, not that tidying up failed as well.
    await this.discard().catch(() => {});
    throw fault;
  }

  private async discard(): Promise<void> {
    await Promise.all(this.underWay);
    const upload = await this.upload?.catch(() => undefined);
    Object.assign(this, { written: 0, filled: 0, begun: 0, arrived: [], upload: undefined });
    if (upload) await this.uploads.abort(upload);
  }
}
