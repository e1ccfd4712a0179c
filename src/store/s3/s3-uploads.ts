import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { PortolanError } from '../../model/errors/errors';
import type { S3Connection } from './s3-connection';
import { isAbsent } from './s3-faults';
import type { ByteRange } from './s3-objects';

export interface S3Upload {
  readonly key: string;
  readonly id: string;
}

export interface S3Part {
  /** From 1. */
  readonly number: number;
  readonly etag?: string;
  readonly checksum?: string;
}

/** Uploads in parts: nothing of one lies under its key before it is completed. */
export class S3Uploads {
  constructor(private readonly s3: S3Connection) {}

  /** @param from `object`: its parts are copied; some servers tell the whole object's checksum as that of a part */
  async begin(key: string, from: 'here' | 'object' = 'here'): Promise<S3Upload> {
    const { s3 } = this;
    const ChecksumAlgorithm = from === 'here' ? 'CRC32' : undefined;
    const upload = new CreateMultipartUploadCommand({ ...s3.object(key), ...s3.sse, ChecksumAlgorithm });
    const begun = await s3.call('s3:PutObject', key, () => s3.client.send(upload));
    return { key, id: begun.UploadId ?? '' };
  }

  async send(upload: S3Upload, number: number, body: Uint8Array): Promise<S3Part> {
    const { s3 } = this;
    const part = {
      ...this.named(upload),
      PartNumber: number,
      Body: body,
      ChecksumAlgorithm: 'CRC32' as const,
    };
    const sent = await s3.call('s3:PutObject', upload.key, () => s3.client.send(new UploadPartCommand(part)));
    return { number, etag: sent.ETag, checksum: sent.ChecksumCRC32 };
  }

  /** Takes a part from an object that is there, into an upload that was begun for that. */
  async copy(upload: S3Upload, number: number, from: string, { start, end }: ByteRange): Promise<S3Part> {
    const { s3 } = this;
    const part = {
      ...this.named(upload),
      PartNumber: number,
      CopySource: s3.source(from),
      CopySourceRange: `bytes=${start}-${end - 1}`,
    };
    const { CopyPartResult: copied } = await s3.call('s3:PutObject', upload.key, () =>
      s3.client.send(new UploadPartCopyCommand(part)),
    );
    return { number, etag: copied?.ETag };
  }

  async complete(upload: S3Upload, parts: readonly S3Part[]): Promise<void> {
    const { s3 } = this;
    const Parts = [...parts]
      .sort((one, other) => one.number - other.number)
      .map(({ number, etag, checksum }): CompletedPart => ({
        PartNumber: number,
        ETag: etag,
        ChecksumCRC32: checksum,
      }));
    await s3.call('s3:PutObject', upload.key, () =>
      s3.client.send(
        new CompleteMultipartUploadCommand({ ...this.named(upload), MultipartUpload: { Parts } }),
      ),
    );
  }

  async abort(upload: S3Upload): Promise<void> {
    const { s3 } = this;
    await s3.call('s3:AbortMultipartUpload', upload.key, () =>
      s3.client.send(new AbortMultipartUploadCommand(this.named(upload))).catch((thrown: unknown) => {
        if (!isAbsent(thrown)) throw thrown;
      }),
    );
  }

  /**
   * Ends what writers that are gone have begun under a key, or under a prefix that ends in `/`. Where the account may
   * not see or end uploads, they are left to the bucket's own rules.
   */
  async abortAll(keyOrPrefix: string): Promise<void> {
    try {
      for (const upload of await this.begun(keyOrPrefix)) await this.abort(upload);
    } catch (thrown) {
      if (PortolanError.from(thrown).code !== 'STORE_DENIED') throw thrown;
    }
  }

  private async begun(keyOrPrefix: string): Promise<S3Upload[]> {
    const { s3 } = this;
    const { Bucket, Key: Prefix } = s3.object(keyOrPrefix);
    const found: S3Upload[] = [];
    let next: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
    while (next !== undefined) {
      const after: object = next;
      const page = await s3.call('s3:ListBucketMultipartUploads', keyOrPrefix, () =>
        s3.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...after })),
      );
      for (const { Key = '', UploadId = '' } of page.Uploads ?? []) {
        if (keyOrPrefix.endsWith('/') || Key === Prefix) found.push({ key: s3.keyOf(Key), id: UploadId });
      }
      next = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
    }
    return found;
  }

  private named({ key, id }: S3Upload): { Bucket: string; Key: string; UploadId: string } {
    return { ...this.s3.object(key), UploadId: id };
  }
}
