import { expect, it } from '@jest/globals';
import type { ActivityDeps } from '../../../src/activities/deps';
import { keepSnapshot } from '../../../src/activities/snapshot/backups';
import { AStore, sha256Of } from '../../domain/snapshot/a-store';

/** As much as the keeping of a snapshot needs of its run. */
type Kept = Parameters<typeof keepSnapshot>[1];

it.each([
  [1e300, /said 1e\+300 ms, in the future; its age counts from .* when it was saved$/, 'now'],
  [8.64e15, /said 8640000000000000 ms, in the future/, 'now'],
  [Date.UTC(2100, 0, 1), /said 2100-01-01T00:00:00.000Z, in the future/, '2100'],
  [1000, /said 1970-01-01T00:00:01.000Z, over a week before it was saved/, '1970'],
  [-1, undefined, 'now'],
  [undefined, undefined, 'now'],
] as const)(
  'keeps a package a portal dates %p, and warns if that date is not plausible',
  async (madeAt, warning, year) => {
    const { snapshots, store, writeFile } = bound(new AStore());
    const deps: Pick<ActivityDeps, 'store' | 'snapshots'> = { store, snapshots };
    const key = 'runs/backup-1/package.epk';
    await writeFile(key, 'package');
    const before = Date.now();
    const { clock } = await keepSnapshot(
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
        packages: [{ key, sizeBytes: 7, sha256: sha256Of('package'), madeAt }],
        tags: [],
        shrunk: true,
        requested: 0,
      } as unknown as Kept,
    );
    if (warning === undefined) expect(clock).toBeUndefined();
    else expect(clock).toMatch(warning);
    const { takenAt } = await snapshots.read('backup-1');
    if (year === 'now') expect(Date.parse(takenAt)).toBeGreaterThanOrEqual(before);
    else expect(takenAt.slice(0, 4)).toBe(year);
  },
);

const bound = (one: AStore) => ({
  snapshots: one.snapshots,
  store: one.store,
  writeFile: one.writeFile.bind(one),
});
