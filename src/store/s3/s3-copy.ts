import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { mapLimited } from '../../model/map-limited';
import type { S3Objects } from './s3-objects';

/**
 * Size above which a copy goes in parts: one request copies at most 5 GB, and a long one looks like a dead
 * connection.
 */
const WHOLE_BYTES_MAX = 1024 ** 3;
/** @format bytes */
const PART_BYTES = 512 * 1024 ** 2;
const PARTS_AT_A_TIME = 4;

/** Copies an object within the bucket, without downloading it. @returns whether there was something to copy */
export async function s3Copy(objects: S3Objects, from: string, to: string): Promise<boolean> {
  const size = (await objects.head(from))?.size;
  if (size === undefined) return false;
  const { client, bucket, prefix, ...s3 } = objects.s3;
  const CopySource = `${bucket}/${prefix}${from}`.split('/').map(encodeURIComponent).join('/');
  const place = { Bucket: bucket, Key: `${prefix}${to}` };
  await objects.s3.call('s3:PutObject', to, async () => {
    if (size <= WHOLE_BYTES_MAX) {
      await client.send(new CopyObjectCommand({ ...place, ...s3.sse, CopySource }));
      return;
    }
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...place, ...s3.sse }));
    const upload = { ...place, UploadId };
    const copy = async (start: number): Promise<{ PartNumber: number; ETag?: string }> => {
      const PartNumber = start / PART_BYTES + 1;
      const CopySourceRange = `bytes=${start}-${Math.min(start + PART_BYTES, size) - 1}`;
      const part = new UploadPartCopyCommand({ ...upload, PartNumber, CopySource, CopySourceRange });
      return { PartNumber, ETag: (await client.send(part)).CopyPartResult?.ETag };
    };
    try {
      const starts = Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, index) => index * PART_BYTES);
      const Parts = await mapLimited(starts, PARTS_AT_A_TIME, copy);
      await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    } catch (thrown) {
      await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
      throw thrown;
    }
  });
  return true;
}
