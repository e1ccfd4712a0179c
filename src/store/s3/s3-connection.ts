import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { PortolanError } from '../../model/errors/errors';
import type { S3StoreConfig } from '../store';

/** Silence after which a connection is closed. @format milliseconds */
const SILENCE_MS = 60_000;
const CONNECT_WITHIN_MS = 10_000;
/** Maximum time before credentials are read again, so that rotated ones take effect. @format milliseconds */
const CREDENTIALS_LAST_MS = 10 * 60_000;
/** Default region for servers without regions. */
const ANY_REGION = 'us-east-1';

/** How the library names an object. */
interface S3Address {
  readonly Bucket: string;
  readonly Key: string;
}

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

  /** Sends a request and converts errors to a PortolanError that names the right and the key. */
  async call<T>(
    right: string,
    key: string,
    send: (client: S3Client, object: S3Address) => Promise<T>,
  ): Promise<T> {
    try {
      return await send(this.client, this.object(key));
    } catch (thrown) {
      throw s3Fault(thrown, { where: this.where, right, key: key === '' ? undefined : key });
    }
  }

  /** Key in the bucket for a key of the store. */
  object(key: string): S3Address {
    return { Bucket: this.bucket, Key: `${this.prefix}${key}` };
  }

  /** Key of the store for a key in the bucket. */
  keyOf(full: string): string {
    return full.slice(this.prefix.length);
  }
}

/**
 * Reads the clock of a bucket's server from the header of any response. The request takes the store's own connection:
 * another one may have another proxy and other certificates.
 * @returns milliseconds since 1970; undefined if it does not tell
 */
export async function bucketClock(config: S3StoreConfig, withinMs: number): Promise<number | undefined> {
  const { client, bucket } = new S3Connection(config);
  let date: string | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { readonly headers: Readonly<Record<string, string>> }).headers['date'];
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), {
      abortSignal: AbortSignal.timeout(withinMs),
    });
  } catch (thrown) {
    if (date === undefined) throw thrown;
  } finally {
    client.destroy();
  }
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** A request to a bucket, for messages and its required right. */
interface S3Call {
  /** `s3://bucket at endpoint`. */
  readonly where: string;
  /** The right by its name in policies, such as `s3:PutObject`. */
  readonly right: string;
  readonly key?: string;
}

/** The fields of the library's errors used here. */
interface Thrown {
  readonly name?: string;
  readonly message?: string;
  /** Of network errors, such as `ECONNREFUSED`. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const DENIED: ReadonlySet<string> = new Set([
  'AccessDenied',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);

/**
 * Converts an error to a PortolanError. Message and cause of the original are dropped: they may hold access keys and
 * signed data.
 */
export function s3Fault(thrown: unknown, call: S3Call): PortolanError {
  if (thrown instanceof PortolanError) return thrown;
  const { name = 'an unknown error', message = '', code, $metadata } = thrown as Thrown;
  const { where, right, key } = call;
  const status = $metadata?.httpStatusCode;
  const said = status === undefined ? (code ?? name) : `${name}, status ${status}`;
  const what = key === undefined ? where : `${key} in ${where}`;
  if (name === 'NoSuchBucket') return new PortolanError('STORE_MISSING', `${where} does not exist`);
  if (name === 'CredentialsProviderError') {
    return new PortolanError('STORE_DENIED', `no credentials found for ${where}`, {
      hint: 'Set store.credentials in portolan.yaml, or configure AWS credentials on this machine.',
    });
  }
  if (message === 'Region is missing') {
    return new PortolanError('CONFIG_INVALID', 'store.region: is missing, and the AWS settings name none');
  }
  if (name === 'RequestTimeTooSkewed') {
    return new PortolanError('STORE_DENIED', `the clocks of ${where} and this machine differ (${said})`, {
      hint: "Set this machine's clock.",
    });
  }
  if (status === 401 || status === 403 || DENIED.has(name)) {
    return new PortolanError('STORE_DENIED', `${right} is denied for ${what} (${said})`);
  }
  if (status === 301 || status === 307) {
    return new PortolanError('STORE_BROKEN', `${where} is in another region (${said})`, {
      hint: 'Set store.region to the region of the bucket.',
    });
  }
  // The library compares checksums itself and reports a mismatch only in the message.
  if (message.startsWith('Checksum mismatch')) {
    return new PortolanError('STORE_BROKEN', `${what} was modified: its checksum does not match`);
  }
  if (status === undefined || status === 408 || status === 429 || status >= 500) {
    return new PortolanError('STORE_UNREACHABLE', `no response to ${right} from ${what} (${said})`);
  }
  if (name === 'NoSuchUpload') {
    return new PortolanError('STORE_BROKEN', `another process took over writing ${what}`);
  }
  return new PortolanError('STORE_BROKEN', `${right} failed for ${what} (${said})`);
}

/** Whether the response means: no such key, or upload. */
export function isAbsent(thrown: unknown): boolean {
  const { name = '', $metadata } = thrown as Thrown;
  return (
    ['NoSuchKey', 'NoSuchUpload'].includes(name) || (name === 'NotFound' && $metadata?.httpStatusCode === 404)
  );
}
