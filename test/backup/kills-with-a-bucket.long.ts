import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import { openSnapshots, type Snapshots } from '../../src/domain/snapshot/snapshots';
import { keys } from '../../src/store/keys';
import type { Moment } from '../chaos/moments';
import type { Site } from '../chaos/site';
import { type Trap, Wire } from '../chaos/wire';
import { S3Server } from '../store/s3/s3-server';
import { type S3Site, s3Site } from '../store/s3/s3-site';
import { aBackup, aRestore } from './scenarios';
import { hold, killedAt, largeImageBytes, openSite } from './trials';

jest.setTimeout(60 * 60_000);

describe('kill -9 of the worker while it is at its bucket', () => {
  let server: S3Server;
  let bucket: S3Site;
  let wire: Wire;
  let site: Site;
  let snapshots: Snapshots;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    bucket = await s3Site(server);
    // Such as `PUT package-1.epk` for /bucket/under/this/snapshots/ID/package-1.epk
    wire = await Wire.to(server.endpoint, ({ method, url = '' }) => {
      const name = url.split('?')[0]?.split('/').at(-1) ?? '';
      return `${method} ${name}`;
    });
    const store = { ...bucket.store, endpoint: wire.url.replace(/\/$/, '') };
    ({ site } = await openSite({ imageBytes: largeImageBytes, config: { store } }));
    // Whoever looks on meets no trap.
    snapshots = openSnapshots(loadConfig(bucket.config));
  });
  afterEach(async () => {
    await site.close();
    await wire.close();
    await bucket.close();
  });

  const at = (when: string, trap: Trap): Moment => ({
    when,
    at: {
      store: () => {
        let isSprung = false;
        wire.arm(trap, () => (isSprung = true));
        return () => isSprung;
      },
    },
  });
  /** Packages on their way, and uploads that nobody will end. */
  const leftInBucket = async (): Promise<string[]> => {
    const left = [...((await bucket.begun?.()) ?? [])];
    for await (const key of snapshots.store.list(keys.packages)) left.push(key);
    return left;
  };

  it('costs no backup, and leaves no half package there', async () => {
    const moments = [
      at('a part of the package is half over', { operation: 'PUT package-1.epk', point: 'half' }),
      at('a part of the package is there, and the answer lost', {
        operation: 'PUT package-1.epk',
        point: 'done',
      }),
      at('the package is whole, and the answer lost', {
        operation: 'POST package-1.epk',
        point: 'done',
        nth: 2,
      }),
      at('the rows are written', { operation: 'PUT rows.json', point: 'done' }),
      at('the manifest is written', { operation: 'PUT manifest.json', point: 'asked' }),
      at('the manifest is there, and the answer lost', { operation: 'PUT manifest.json', point: 'done' }),
    ];
    hold(await killedAt(site, moments, aBackup(snapshots)));
    expect(await leftInBucket()).toEqual([]);
  });

  it('costs no restore', async () => {
    const { runId } = await site.follow('backup', 'create', 'free');
    await site.follow('restore', runId, '--to', 'production', '--into', emptyGroupId, '--yes');
    const there = await site.target.contents();
    const moments = [
      at('it reads the package to see that it is whole', { operation: 'GET package-1.epk', point: 'half' }),
      at('it reads the package to send it', { operation: 'GET package-1.epk', point: 'half', nth: 2 }),
      at('it writes the safeguard', { operation: 'PUT package-1.epk', point: 'half' }),
    ];
    hold(await killedAt(site, moments, aRestore(snapshots, runId, there)));
    expect(await leftInBucket()).toEqual([]);
  });
});
