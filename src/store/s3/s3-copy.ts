import { mapLimited } from '../../model/map-limited';
import type { S3Bucket } from './s3-bucket';

/**
 * Size above which a copy goes in parts: one request copies at most 5 GB, and a long one looks like a dead
 * connection.
 */
const WHOLE_BYTES_MAX = 1024 ** 3;
/** @format bytes */
const PART_BYTES = 512 * 1024 ** 2;
const PARTS_AT_A_TIME = 4;

/** Bytes of an object from `start` up to, not including, `end`. */
export interface CopiedRange {
  /** Key of the object. */
  readonly from: string;
  /** Of the whole object. @format bytes */
  readonly size: number;
  readonly start: number;
  readonly end: number;
}

/** Copies an object within the bucket, without downloading it. @returns whether there was something to copy */
export async function s3Copy(bucket: S3Bucket, from: string, to: string): Promise<boolean> {
  const size = (await bucket.objects.head(from))?.size;
  if (size === undefined) return false;
  return await copyRanges(bucket, [{ from, size, start: 0, end: size }], to);
}

/**
 * Joins ranges of objects into one object; all but the last need at least 5 MB.
 * @returns whether there was something to copy
 */
export async function copyRanges(
  bucket: S3Bucket,
  ranges: readonly CopiedRange[],
  to: string,
): Promise<boolean> {
  const [first, ...more] = ranges;
  const isWhole = first && more.length === 0 && first.start === 0 && first.end === first.size;
  if (isWhole && first.size <= WHOLE_BYTES_MAX) return await bucket.objects.copy(first.from, to);
  const { uploads } = bucket;
  const upload = await uploads.begin(to, 'object');
  try {
    const parts = ranges.flatMap(inParts).map((range, index) => ({ range, number: index + 1 }));
    const copied = await mapLimited(parts, PARTS_AT_A_TIME, ({ number, range }) =>
      uploads.copy(upload, number, range.from, range),
    );
    await uploads.complete(upload, copied);
    return true;
  } catch (thrown) {
    await uploads.abort(upload).catch(() => {});
    throw thrown;
  }
}

/** In parts of equal length, so that none is too small. */
function inParts(range: CopiedRange): CopiedRange[] {
  const { start, end } = range;
  const count = Math.ceil((end - start) / PART_BYTES);
  const length = Math.ceil((end - start) / count);
  return Array.from({ length: count }, (_, index) => ({
    ...range,
    start: start + index * length,
    end: Math.min(end, start + (index + 1) * length),
  }));
}
