import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { encryptionKey } from '../local/local-site';
import type { S3Account, S3Server } from './s3-server';
import type { StoreAtTest } from '../store-rules';

export interface S3SiteOptions {
  /** @default false */
  readonly encrypted?: boolean;
  /** @default a new one */
  readonly bucket?: string;
  /** @default one that may do everything */
  readonly account?: S3Account;
}

export interface S3Site extends StoreAtTest {
  readonly bucket: string;
  /** `store:` of portolan.yaml. */
  readonly store: object;
}

/** A portolan.yaml with a store in a bucket. */
export async function s3Site(server: S3Server, options: S3SiteOptions = {}) {
  const bucket = options.bucket ?? (await server.makeBucket());
  const account = options.account ?? server.root;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-store-'));
  const secret = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return { file };
  };
  const store = {
    type: 's3',
    bucket,
    prefix: 'under/this',
    endpoint: server.endpoint,
    credentials: {
      accessKeyId: secret('id', account.accessKeyId),
      secretAccessKey: secret('secret', account.secretAccessKey),
    },
    key: secret('key', 'fedcba9876543210fedcba9876543210'),
    ...(options.encrypted && { encryption: { key: secret('encryption', encryptionKey) } }),
  };
  const config = path.join(folder, 'portolan.yaml');
  writeFileSync(config, stringify({ portals: {}, store }));
  return {
    bucket,
    store,
    config,
    begun: () => server.begunUploads(bucket),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
