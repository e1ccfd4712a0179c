import { afterAll, beforeAll } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config';
import { openStore } from '../../../src/store/open-store';
import { AStore } from '../../domain/snapshot/a-store';
import { holdsWhenKilled } from '../../domain/snapshot/kills';
import { S3Server } from './s3-server';
import { type S3Site, s3Site } from './s3-site';

let server: S3Server;
const sites: S3Site[] = [];
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(async () => {
  for (const site of sites) await site.close();
  await server?.stop();
});

for (const encrypted of [false, true]) {
  holdsWhenKilled(encrypted ? 'an encrypted bucket' : 'a bucket', async () => {
    const site = await s3Site(server, { encrypted });
    sites.push(site);
    return new AStore(undefined, () => openStore(loadConfig(site.config)));
  });
}
