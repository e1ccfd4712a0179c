import { expect, it } from '@jest/globals';
import type { ActivityDeps } from '../../../src/activities/deps';
import { keepSnapshot } from '../../../src/activities/snapshot/backups';
import { keys } from '../../../src/store/keys';
import { AStore, sha256Of } from '../../domain/snapshot/a-store';

/** As much as the keeping of a snapshot needs of its run. */
type Kept = Parameters<typeof keepSnapshot>[1];

it.each([Date.parse('2026-11-20T03:00:00Z'), undefined])(
  'a snapshot is dated by its export request, else by its creation: %p',
  async (exportedAt) => {
    const one = new AStore();
    const { store, snapshots } = one;
    const key = keys.snapshotPackage('backup-1', 0);
    await one.writeFile(key, 'package');
    const before = Date.now();
    const deps: Pick<ActivityDeps, 'store' | 'snapshots'> = { store, snapshots };
    await keepSnapshot(
      deps as ActivityDeps,
      {
        runId: 'backup-1',
        route: { name: 'transport', source: { portal: 'staging', groupId: 'g1' }, options: {} },
        source: {
          name: 'staging',
          url: 'https://staging.example.com',
          aliases: [],
          addresses: [],
          portalId: 'p',
          version: '11.4',
        },
        packages: [{ key, sizeBytes: 7, sha256: sha256Of('package'), sizeChecked: true }],
        exportedAt,
        tags: [],
        shrunk: true,
        requested: 0,
      } as unknown as Kept,
    );
    const takenAt = Date.parse((await snapshots.read('backup-1')).takenAt);
    if (exportedAt === undefined) expect(takenAt).toBeGreaterThanOrEqual(before);
    else expect(takenAt).toBe(exportedAt);
  },
);
