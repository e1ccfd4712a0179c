import { S3Client } from '@aws-sdk/client-s3';
import type { S3StoreConfig } from '../store-config';
import { s3Fault } from './s3-faults';

/** Silence after which a connection is closed. @format milliseconds */
const SILENCE_MS = 60_000;
const CONNECT_WITHIN_MS = 10_000;
/** Maximum time before credentials are read again, so that rotated ones take effect. @format milliseconds */
const CREDENTIALS_LAST_MS = 10 * 60_000;
/** Default region for servers without regions. */
const ANY_REGION = 'us-east-1';

/** The connection to a bucket, and how this store addresses what lies in it. Keys are those of the store, without prefix. */
export class S3Connection {
  readonly client: S3Client;
  readonly bucket: string;
  /** Prefix of every key. */
  readonly prefix: string;
  /** Bucket and endpoint, for messages. */
  readonly where: string;

  constructor(config: S3StoreConfig) {
    // The library warns about this Node version on stderr, which is no concern of users.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    const { endpoint, region, credentials } = config;
    this.bucket = config.bucket;
    this.prefix = config.prefix;
    this.where = `the bucket ${config.bucket}${endpoint === undefined ? '' : ` at ${endpoint}`}`;
    this.client = new S3Client({
      endpoint,
      region: region ?? (endpoint === undefined ? undefined : (process.env['AWS_REGION'] ?? ANY_REGION)),
      forcePathStyle: endpoint !== undefined,
      followRegionRedirects: endpoint === undefined,
      requestHandler: { connectionTimeout: CONNECT_WITHIN_MS, socketTimeout: SILENCE_MS },
      ...(credentials && {
        credentials: async () => ({
          accessKeyId: await credentials.accessKeyId.read(),
          secretAccessKey: await credentials.secretAccessKey.read(),
          expiration: new Date(Date.now() + CREDENTIALS_LAST_MS),
        }),
      }),
    });
  }

  /** Runs a request and converts errors to a PortolanError that names the right and the key. */
  async call<T>(right: string, key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw s3Fault(thrown, { where: this.where, right, key: key === '' ? undefined : key });
    }
  }

  /** Key in the bucket for a key of the store. */
  object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket, Key: `${this.prefix}${key}` };
  }

  /** Key of the store for a key in the bucket. */
  keyOf(full: string): string {
    return full.slice(this.prefix.length);
  }
}
