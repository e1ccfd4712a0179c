import { PortolanError } from '../../model/errors/errors';

/** A request to a bucket, for messages and its required right. */
export interface S3Call {
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
