import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { aFolder } from '../../support/folder';
import { encryptionKey } from '../local/local-site';
import type { S3Account, S3Server } from './s3-server';

export interface S3SiteOptions {
  /** @default false */
  encrypted?: boolean;
  /** @default a new one */
  bucket?: string;
  /** @default one that may do everything */
  account?: S3Account;
}

export type S3Site = Awaited<ReturnType<typeof s3Site>>;

/** A portolan.yaml with a store in a bucket. */
export async function s3Site(server: S3Server, options: S3SiteOptions = {}) {
  const bucket = options.bucket ?? (await server.makeBucket());
  const account = options.account ?? server.root;
  const folder = aFolder();
  const secret = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return { file };
  };
  /** `store:` of portolan.yaml. */
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
  return { bucket, store, config, begun: () => server.begunUploads(bucket) };
}
