import { mapLimited } from '../../model/map-limited';
import type { S3Objects } from './s3-objects';
import type { S3Uploads } from './s3-uploads';

/** Above that a copy goes in parts: one request copies 5 GB at most, and a long one looks like a dead connection. */
const WHOLE_BYTES_MAX = 1024 ** 3;
/** @format bytes */
const PART_BYTES = 512 * 1024 ** 2;
const PARTS_AT_A_TIME = 4;

export interface S3Copying {
  readonly objects: S3Objects;
  readonly uploads: S3Uploads;
}

/** Copies within the bucket, without a byte coming here. @returns whether there was something to copy */
export async function s3Copy({ objects, uploads }: S3Copying, from: string, to: string): Promise<boolean> {
  const size = (await objects.head(from))?.size;
  if (size === undefined) return false;
  if (size <= WHOLE_BYTES_MAX) return await objects.copy(from, to);
  const upload = await uploads.begin(to, 'object');
  const indices = Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, index) => index);
  try {
    const parts = await mapLimited(indices, PARTS_AT_A_TIME, async (index) => {
      const start = index * PART_BYTES;
      const range = { start, end: Math.min(size, start + PART_BYTES) };
      return await uploads.copy(upload, index + 1, from, range);
    });
    await uploads.complete(upload, parts);
    return true;
  } catch (thrown) {
    await uploads.abort(upload).catch(() => {});
    throw thrown;
  }
}
