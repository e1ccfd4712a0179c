import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { PortolanError } from '../../model/errors/errors';
import { isAbsent, S3Connection, s3Fault } from './s3-connection';

/** As many keys as one request can delete. */
const KEYS_PER_DELETE = 1000;

/** The smallest part that a bucket takes. @format bytes */
export const PART_BYTES = 5 * 1024 ** 2;
/** Largest object that can be uploaded: a bucket takes 10,000 parts. @format bytes */
const OBJECT_BYTES_MAX = 10_000 * PART_BYTES;

export interface S3Object {
  /** @format bytes */
  readonly size: number;
  /** Names this version of the content. */
  readonly etag: string;
}

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Objects of a bucket, one request per method; the library retries single requests. Loads the S3 library: import this file
 * only if a bucket is used.
 */
export class S3Objects extends S3Connection {
  async put(key: string, body: Uint8Array): Promise<void> {
    await this.call('s3:PutObject', key, (client, object) =>
      client.send(new PutObjectCommand({ ...object, Body: body })),
    );
  }

  /** A small object; undefined if there is none. */
  async text(key: string): Promise<string | undefined> {
    return await this.call('s3:GetObject', key, async (client, object) => {
      const answer = await client.send(new GetObjectCommand(object)).catch(absent);
      return await answer?.Body?.transformToString();
    });
  }

  /** Undefined if there is none. Throws STORE_MISSING if there is no bucket either. */
  async head(key: string): Promise<S3Object | undefined> {
    const found = await this.call('s3:GetObject', key, (client, object) =>
      client.send(new HeadObjectCommand(object)).catch(absent),
    );
    if (found) return { size: found.ContentLength ?? 0, etag: found.ETag ?? '' };
    // A HEAD response has no body, so a missing key looks like a missing bucket.
    await this.call('s3:ListBucket', '', (client, { Bucket }) =>
      client.send(new HeadBucketCommand({ Bucket })).catch((thrown: unknown) => {
        throw isAbsent(thrown) ? Object.assign(new Error(), { name: 'NoSuchBucket' }) : thrown;
      }),
    );
    return undefined;
  }

  /** Bytes of the object, if it still has that tag. Stream errors still need conversion. */
  async open(key: string, { start, end }: ByteRange, etag: string): Promise<Readable> {
    return await this.call('s3:GetObject', key, async (client, object) => {
      const range = { Range: `bytes=${start}-${end - 1}`, IfMatch: etag };
      const { Body } = await client.send(new GetObjectCommand({ ...object, ...range }));
      return Body as Readable;
    });
  }

  /** Converts a stream error. */
  fault(thrown: unknown, key: string): Error {
    return s3Fault(thrown, { where: this.where, right: 's3:GetObject', key });
  }

  /** Keys with a prefix, in order. */
  async *list(prefix: string): AsyncGenerator<string> {
    for await (const { Contents = [] } of this.pages(prefix))
      for (const { Key } of Contents) if (Key !== undefined) yield this.keyOf(Key);
  }

  /** Entries directly under a prefix: keys, and common prefixes up to the next `/`. */
  async names(prefix: string): Promise<string[]> {
    const { Key: whole } = this.object(prefix);
    const names: string[] = [];
    for await (const { Contents = [], CommonPrefixes = [] } of this.pages(prefix, '/')) {
      const found = [...Contents.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix)];
      for (const each of found)
        if (each !== undefined) names.push(each.slice(whole.length).replace(/\/$/, ''));
    }
    return names;
  }

  private async *pages(prefix: string, Delimiter?: string): AsyncGenerator<ListObjectsV2CommandOutput> {
    let ContinuationToken: string | undefined;
    do {
      const page = await this.call('s3:ListBucket', prefix, (client, { Bucket, Key: Prefix }) =>
        client.send(new ListObjectsV2Command({ Bucket, Prefix, Delimiter, ContinuationToken })),
      );
      yield page;
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
  }

  async delete(key: string): Promise<void> {
    await this.call('s3:DeleteObject', key, (client, object) =>
      client.send(new DeleteObjectCommand(object)).catch(absent),
    );
  }

  async deleteAll(prefix: string): Promise<void> {
    const batch: string[] = [];
    for await (const key of this.list(prefix)) {
      batch.push(key);
      if (batch.length === KEYS_PER_DELETE) await this.deleteBatch(batch.splice(0));
    }
    if (batch.length > 0) await this.deleteBatch(batch);
  }

  /** Throws NO_SPACE if an object of this size cannot be uploaded. @param bytes as far as known */
  requireFits(key: string, bytes: number): void {
    if (bytes <= OBJECT_BYTES_MAX) return;
    throw new PortolanError(
      'NO_SPACE',
      `${key} is larger than the ${OBJECT_BYTES_MAX} bytes that can be uploaded to ${this.where}`,
      {
        hint: 'Lower limits.packageBytes and limits.itemBytes to at most 48GB, or use a store of type local.',
      },
    );
  }

  /** @returns the ID of the upload */
  async beginUpload(key: string): Promise<string> {
    return await this.call('s3:PutObject', key, async (client, object) => {
      // As the library does for its other requests, which some servers cannot check.
      const isChecked = (await client.config.requestChecksumCalculation()) === 'WHEN_SUPPORTED';
      const { UploadId = '' } = await client.send(
        new CreateMultipartUploadCommand({
          ...object,
          ChecksumAlgorithm: isChecked ? 'CRC32' : undefined,
        }),
      );
      return UploadId;
    });
  }

  /** Sends a part, numbered from 1. Its bytes must not change meanwhile. */
  async sendPart(
    key: string,
    UploadId: string,
    PartNumber: number,
    Body: Uint8Array,
  ): Promise<CompletedPart> {
    return await this.call('s3:PutObject', key, async (client, object) => {
      const { ETag, ChecksumCRC32 } = await client.send(
        new UploadPartCommand({ ...object, UploadId, PartNumber, Body }),
      );
      return { PartNumber, ETag, ChecksumCRC32 };
    });
  }

  /** Makes the parts of an upload an object. */
  async completeUpload(key: string, UploadId: string, Parts: CompletedPart[]): Promise<void> {
    await this.call('s3:PutObject', key, (client, object) =>
      client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } })),
    );
    // An earlier writer's upload stays if a part of it was on its way when it was aborted.
    await this.abortUploads(key).catch(() => undefined);
  }

  /**
   * Aborts the uploads that ended writers left under a key, or under a prefix that ends in `/`. If the account must not
   * list or abort uploads, they are left to the bucket's own rules.
   */
  async abortUploads(keyOrPrefix: string): Promise<void> {
    try {
      for await (const { key, id } of this.unfinished(keyOrPrefix)) await this.abort(key, id);
    } catch (thrown) {
      if (PortolanError.from(thrown).code !== 'STORE_DENIED') throw thrown;
    }
  }

  private async *unfinished(keyOrPrefix: string): AsyncGenerator<{ key: string; id: string }> {
    let next: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
    while (next !== undefined) {
      const after: object = next;
      const page = await this.call(
        's3:ListBucketMultipartUploads',
        keyOrPrefix,
        (client, { Bucket, Key: Prefix }) =>
          client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...after })),
      );
      for (const { Key = '', UploadId = '' } of page.Uploads ?? []) {
        const key = this.keyOf(Key);
        if (keyOrPrefix.endsWith('/') || key === keyOrPrefix) yield { key, id: UploadId };
      }
      next = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
    }
  }

  async abort(key: string, UploadId: string): Promise<void> {
    await this.call('s3:AbortMultipartUpload', key, (client, object) =>
      client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(absent),
    );
  }

  private async deleteBatch(keys: readonly string[]): Promise<void> {
    const Objects = keys.map((key) => ({ Key: this.object(key).Key }));
    await this.call('s3:DeleteObject', keys[0] ?? '', async (client, { Bucket }) => {
      const answer = await client.send(
        new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
      );
      const refused = answer.Errors?.find(({ Code }) => Code !== 'NoSuchKey');
      if (refused)
        throw Object.assign(new Error(), { name: refused.Code, $metadata: { httpStatusCode: 400 } });
    });
  }
}

const absent = (thrown: unknown): undefined => {
  if (!isAbsent(thrown)) throw thrown;
};
