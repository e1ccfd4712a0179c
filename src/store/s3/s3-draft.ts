import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { PortolanError } from '../../model/errors/errors';
import type { S3Bucket } from './s3-bucket';
import { copyRanges } from './s3-copy';
import { S3File } from './s3-file';
import { draftsOf, isPiece, type S3Upload } from './s3-uploads';

/** What a bucket takes as a part that is not the last of its object. @format bytes */
const SMALLEST_PART = 5 * 1024 ** 2;
/** Digits of where a piece begins: its file may have 80 GB. */
const DIGITS = 15;

/** An object with bytes of a file that is not complete. */
interface S3Piece {
  readonly key: string;
  readonly etag: string;
  /** Of the object. @format bytes */
  readonly size: number;
  /** Where it begins in the file. @format bytes */
  readonly start: number;
  /** As many of its bytes belong to the file. @format bytes */
  readonly used: number;
}

/**
 * What has come of a file on its way into a bucket, in pieces that can be read. Each is an object beside the file's own
 * place, `KEY.(part)/<where it begins>-<a name of its own>`, and none is ever written over: of two writers that have a file
 * at a time, each knows its own. S3 lets nobody read the parts of an upload; so what a writer that is gone had sent is
 * made a piece by completing it with the parts that have come, which also ends that writer, should it still be there. An
 * upload is found by the empty piece at its place: some servers list the uploads of a whole key alone.
 */
export class S3Draft {
  private constructor(
    private readonly bucket: S3Bucket,
    private readonly key: string,
    private pieces: readonly S3Piece[],
  ) {}

  /** What earlier writers left of a file. Where the account may not see or end uploads, they are left to the bucket's own rules. */
  static async takeOver(bucket: S3Bucket, key: string): Promise<S3Draft> {
    const [begun, left] = await Promise.all([
      bucket.uploads.begun(key).catch(unlessDenied),
      piecesOf(bucket, key),
    ]);
    const draft = new S3Draft(bucket, key, left);
    const uploads = [...(begun ?? [])];
    for (const { key: place, size } of left)
      if (size === 0 && !uploads.some((upload) => upload.key === place))
        uploads.push(...((await bucket.uploads.begun(place).catch(unlessDenied)) ?? []));
    for (const upload of uploads) await draft.keep(upload).catch(unlessDenied);
    await draft.dropAllBut(inLine(draft.pieces));
    return draft;
  }

  /** @format bytes */
  get size(): number {
    const last = this.pieces.at(-1);
    return last ? last.start + last.used : 0;
  }

  /** The place of a piece that goes on where the others end. */
  next(): string {
    const start = String(this.size).padStart(DIGITS, '0');
    return `${draftsOf(this.key)}${start}-${randomBytes(6).toString('hex')}`;
  }

  /** Begins the upload of such a piece. */
  async begin(): Promise<S3Upload> {
    const { objects, uploads } = this.bucket;
    const place = this.next();
    await objects.put(place, new Uint8Array());
    try {
      return await uploads.begin(place);
    } catch (thrown) {
      // It may have begun all the same. As long as it cannot be ended, whoever takes the file over finds it by its place.
      await uploads
        .abortAll(place)
        .then(() => objects.delete(place))
        .catch(() => undefined);
      throw thrown;
    }
  }

  /** Ends such an upload, of which nothing stays. */
  async end(upload: S3Upload): Promise<void> {
    const { objects, uploads } = this.bucket;
    await uploads.abort(upload);
    await objects.delete(upload.key);
  }

  /** Takes on the piece that has come to be at the place which `next` gave. Throws STORE_BROKEN where another writer dropped it. */
  async add(key: string): Promise<void> {
    const piece = await pieceAt(this.bucket, key);
    if (!piece) throw this.takenOver();
    this.pieces = [...this.pieces, piece];
  }

  open(): Readable {
    const { bucket, pieces } = this;
    async function* all(): AsyncGenerator<Buffer> {
      for (const { key, size, etag, used } of pieces)
        yield* new S3File(bucket.objects, key, { size, etag }).open(0, used) as AsyncIterable<Buffer>;
    }
    return Readable.from(all(), { objectMode: false });
  }

  /**
   * Drops what lies behind the first bytes.
   * @returns the last of these, at most 5 MB, where no bucket would take them as they lie: they go before what comes next
   */
  async cutTo(bytes: number): Promise<Buffer> {
    const kept = this.pieces.filter(({ start }) => start < bytes);
    const last = kept.pop();
    if (!last) {
      await this.dropAllBut([]);
      return Buffer.alloc(0);
    }
    const cut = { ...last, used: Math.min(last.used, bytes - last.start) };
    if (cut.used >= SMALLEST_PART) {
      await this.dropAllBut([...kept, cut]);
      return Buffer.alloc(0);
    }
    const tail = await readWhole(new S3File(this.bucket.objects, cut.key, cut).open(0, cut.used));
    await this.dropAllBut(kept);
    return tail;
  }

  /** Makes the pieces the file, within the bucket. Throws STORE_BROKEN where another writer dropped them. */
  async commit(): Promise<void> {
    const { bucket, pieces } = this;
    const ranges = pieces.map(({ key: from, size, used }) => ({ from, size, start: 0, end: used }));
    if (!(await copyRanges(bucket, ranges, this.key))) throw this.takenOver();
    for (const { key } of pieces) await bucket.objects.delete(key);
  }

  /** Makes a piece of what has come of an upload, or ends it where that is of no use. */
  private async keep(upload: S3Upload): Promise<void> {
    const { uploads } = this.bucket;
    const parts = isPiece(upload.key) ? await uploads.arrived(upload).catch(unlessDenied) : [];
    if (!parts?.length) return await uploads.abort(upload);
    await uploads.complete(upload, parts).catch(async (thrown: unknown) => {
      if (PortolanError.from(thrown).code !== 'STORE_BROKEN') throw thrown;
      // Somebody else has completed or ended it, or it is of no use.
      await uploads.abort(upload);
    });
    const piece = await pieceAt(this.bucket, upload.key);
    if (piece) this.pieces = [...this.pieces, piece];
  }

  private takenOver(): PortolanError {
    return new PortolanError('STORE_BROKEN', `another process took over writing ${this.key}`);
  }

  private async dropAllBut(kept: readonly S3Piece[]): Promise<void> {
    const stays = new Set(kept.map(({ key }) => key));
    const dropped = this.pieces.filter(({ key }) => !stays.has(key));
    this.pieces = kept;
    for (const { key } of dropped) await this.bucket.objects.delete(key);
  }
}

async function piecesOf(bucket: S3Bucket, key: string): Promise<S3Piece[]> {
  const found: S3Piece[] = [];
  for await (const each of bucket.objects.list(draftsOf(key))) {
    const piece = isPiece(each) ? await pieceAt(bucket, each) : undefined;
    if (piece) found.push(piece);
  }
  return found;
}

async function pieceAt({ objects }: S3Bucket, key: string): Promise<S3Piece | undefined> {
  const found = await objects.head(key);
  const start = Number(key.slice(key.lastIndexOf('/') + 1).slice(0, DIGITS));
  return found && { key, ...found, start, used: found.size };
}

/**
 * The pieces that follow each other from the file's beginning on. One that begins within another was written by whoever
 * cut that one, unless too little of it would be left for others behind it; of those that begin at one place the longest
 * is taken; behind a gap nothing is of use.
 */
function inLine(pieces: readonly S3Piece[]): S3Piece[] {
  const line: S3Piece[] = [];
  for (const piece of [...pieces].sort((a, b) => a.start - b.start || b.size - a.size)) {
    const last = line.at(-1);
    const end = last ? last.start + last.used : 0;
    if (piece.start > end || piece.size === 0) continue;
    if (last && piece.start < last.start + SMALLEST_PART) continue;
    if (last) line[line.length - 1] = { ...last, used: piece.start - last.start };
    line.push(piece);
  }
  return line;
}

function unlessDenied(thrown: unknown): undefined {
  if (PortolanError.from(thrown).code !== 'STORE_DENIED') throw thrown;
}

async function readWhole(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
