import type { S3StoreConfig } from '../store-config';
import { S3Connection } from './s3-connection';
import { S3Objects } from './s3-objects';
import { S3Uploads } from './s3-uploads';

/** What the store does with a bucket. */
export interface S3Bucket {
  readonly objects: S3Objects;
  readonly uploads: S3Uploads;
}

/** Loads the library of S3: import this file only where there is a bucket. */
export function openBucket(config: S3StoreConfig): S3Bucket {
  const connection = new S3Connection(config);
  return { objects: new S3Objects(connection), uploads: new S3Uploads(connection) };
}
