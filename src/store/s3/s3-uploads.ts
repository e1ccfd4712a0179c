import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
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

/** Where what has come of a file that is not complete lies. @returns a prefix */
export const draftsOf = (key: string): string => `${key}${DRAFTS}`;

/** No name of portolan.yaml may have parentheses: a pipeline or stage that is called `x.part` lies in no such folder. */
const DRAFTS = '.(part)/';

/** Whether a key is of a piece of a file that is not complete. */
export const isPiece = (key: string): boolean => key.includes(DRAFTS);

/** Whether a name directly under a prefix is that of a folder with such pieces. */
export const holdsPieces = (name: string): boolean => `${name}/`.endsWith(DRAFTS);

/** Uploads in parts: nothing of one lies under its key before it is completed. */
export class S3Uploads {
  constructor(private readonly s3: S3Connection) {}

  /** @param from `object`: its parts are copied; some servers tell the whole object's checksum as that of a part */
  async begin(key: string, from: 'here' | 'object' = 'here'): Promise<S3Upload> {
    const { s3 } = this;
    const ChecksumAlgorithm = from === 'here' ? 'CRC32' : undefined;
    const upload = new CreateMultipartUploadCommand({ ...s3.object(key), ChecksumAlgorithm });
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

  /** Parts that have come of an upload, from the first on as far as none is missing. */
  async arrived(upload: S3Upload): Promise<S3Part[]> {
    const { s3 } = this;
    const found = new Map<number, S3Part>();
    let PartNumberMarker: string | undefined;
    do {
      const page = await s3.call('s3:ListMultipartUploadParts', upload.key, () =>
        s3.client
          .send(new ListPartsCommand({ ...this.named(upload), PartNumberMarker }))
          .catch((thrown: unknown) => {
            if (!isAbsent(thrown)) throw thrown;
          }),
      );
      for (const { PartNumber: number = 0, ETag: etag, ChecksumCRC32: checksum } of page?.Parts ?? [])
        found.set(number, { number, etag, checksum });
      PartNumberMarker = page?.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (PartNumberMarker !== undefined);
    const parts: S3Part[] = [];
    for (let part = found.get(1); part; part = found.get(part.number + 1)) parts.push(part);
    return parts;
  }

  /**
   * Ends what writers that are gone have begun of a file, or under a prefix that ends in `/`. Where the account may
   * not see or end uploads, they are left to the bucket's own rules.
   */
  async abortAll(keyOrPrefix: string): Promise<void> {
    try {
      for (const upload of await this.begun(keyOrPrefix)) await this.abort(upload);
    } catch (thrown) {
      if (PortolanError.from(thrown).code !== 'STORE_DENIED') throw thrown;
    }
  }

  /** What writers have begun of a file, or under a prefix that ends in `/`, and neither completed nor ended. */
  async begun(keyOrPrefix: string): Promise<S3Upload[]> {
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
        const key = s3.keyOf(Key);
        if (keyOrPrefix.endsWith('/') || key === keyOrPrefix || key.startsWith(draftsOf(keyOrPrefix)))
          found.push({ key, id: UploadId });
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
