import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { encryptionKey } from './local-site';
import type { S3Server } from './s3-server';
import type { StoreAtTest } from './store-rules';

/** A portolan.yaml with a store in a bucket of its own. */
export async function s3Site(server: S3Server, { encrypted = false } = {}): Promise<StoreAtTest> {
  const bucket = await server.makeBucket();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-store-'));
  writeFileSync(path.join(folder, 'id'), server.accessKeyId);
  writeFileSync(path.join(folder, 'secret'), server.secretAccessKey);
  writeFileSync(path.join(folder, 'encryption'), encryptionKey);
  const config = path.join(folder, 'portolan.yaml');
  writeFileSync(
    config,
    `portals: {}
store:
  type: s3
  bucket: ${bucket}
  prefix: under/this
  endpoint: ${server.endpoint}
  credentials: { accessKeyId: { file: ./id }, secretAccessKey: { file: ./secret } }
  key: { file: ./secret }
${encrypted ? '  encryption: { key: { file: ./encryption } }' : ''}
`,
  );
  return {
    config,
    begun: () => server.begunUploads(bucket),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
