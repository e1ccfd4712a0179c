import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { S3Server, s3ServerMissing } from './s3-server';
import { storeRules } from './store-rules';

const missing = s3ServerMissing();

if (missing !== undefined) {
  describe('a store in a bucket', () => {
    it.skip(missing, () => {});
  });
} else {
  let server: S3Server;
  let folder: string;
  beforeAll(async () => {
    server = await S3Server.start();
    folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-store-'));
    writeFileSync(path.join(folder, 'id'), server.accessKeyId);
    writeFileSync(path.join(folder, 'secret'), server.secretAccessKey);
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  storeRules('a store in a bucket', async () => {
    const bucket = await server.makeBucket();
    const config = path.join(folder, `${bucket}.yaml`);
    const credentials = '{ accessKeyId: { file: ./id }, secretAccessKey: { file: ./secret } }';
    writeFileSync(
      config,
      `portals: {}
store: { type: s3, bucket: ${bucket}, prefix: under/this, endpoint: "${server.endpoint}", key: { file: ./secret }, credentials: ${credentials} }
`,
    );
    return { config, begun: () => server.begunUploads(bucket), close: () => Promise.resolve() };
  });
}
