import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { S3Server, s3ServerMissing } from './s3-server';
import { s3Site } from './s3-site';
import { storeRules } from '../store-rules';

const missing = s3ServerMissing();

if (missing !== undefined) {
  describe('a store in a bucket', () => {
    it.skip(missing, () => {});
  });
} else {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(() => server?.stop());

  storeRules('a store in a bucket', () => s3Site(server));
  storeRules('an encrypted store in a bucket', () => s3Site(server, { encrypted: true }));
}
