import type { S3StoreConfig } from '../store-config';
import { S3Connection } from './s3-connection';
import { S3Objects } from './s3-objects';
import { S3Uploads } from './s3-uploads';

/** Bucket operations of the store. */
export interface S3Bucket {
  readonly objects: S3Objects;
  readonly uploads: S3Uploads;
}

/** Loads the S3 library: import this file only if a bucket is used. */
export function openBucket(config: S3StoreConfig): S3Bucket {
  const connection = new S3Connection(config);
  return { objects: new S3Objects(connection), uploads: new S3Uploads(connection) };
}
