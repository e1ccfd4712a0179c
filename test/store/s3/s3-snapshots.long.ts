import { loadConfig } from '../../../src/config/load-config';
import { openStore } from '../../../src/store/open-store';
import { AStore } from '../../domain/snapshot/a-store';
import { holdsWhenKilled } from '../../domain/snapshot/kills';
import { serverOfSuite } from './s3-server';
import { s3Site } from './s3-site';

const server = serverOfSuite();
for (const encrypted of [false, true]) {
  holdsWhenKilled(encrypted ? 'an encrypted bucket' : 'a bucket', async () => {
    const { config } = await s3Site(server(), { encrypted });
    return new AStore(undefined, () => openStore(loadConfig(config)));
  });
}
