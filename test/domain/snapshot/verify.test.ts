import { describe, expect, it } from '@jest/globals';
import { rmSync, statSync } from 'node:fs';
import { isKnownDamaged } from '../../../src/domain/snapshot/packages';
import { snapshotKeys, keys } from '../../../src/store/keys';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import { aRow, AStore } from './a-store';

const id = 'sync-transport-20261119T030000Z-aaaa-safeguard-1';

async function aSafeguard() {
  const one = new AStore();
  await one.take({ id, kind: 'safeguard', bytes: 'the package' }, [
    aRow('p'),
    await one.copy(id, 'c1', 'a,b,c'),
    await one.copy(id, 'c2', ''),
  ]);
  await one.snapshots.pin(id, { at: '2026-11-21T00:00:00.000Z', who: 'a@b' });
  await one.snapshots.prove(id, {
    level: 'imported',
    at: '2026-11-21T00:00:00.000Z',
    portal: 'scratch',
    runId: 'drill-1',
    items: 3,
  });
  return one;
}

describe('verifying a snapshot', () => {
  it('finds nothing in an intact one, and counts what was read', async () => {
    const { snapshots } = await aSafeguard();
    const bytes = 'the package'.length + 'a,b,c'.length + 2 * 'resource of c1'.length;
    expect(await verifySnapshot(snapshots, id)).toEqual({ id, files: 11, bytes, problems: [] });
  });

  it('finds a flipped byte anywhere, and names the file [P22]', async () => {
    const one = await aSafeguard();
    const files = await one.keys(keys.snapshots);
    expect(files).toHaveLength(11);
    for (const file of files) {
      const size = statSync(one.fileOf(file)).size;
      const step = Math.max(1, Math.floor(size / 12));
      for (let at = 0; at < size; at += step) {
        one.flip(file, at);
        const { problems } = await verifySnapshot(one.snapshots, id);
        expect(problems.map((problem) => problem.file)).toEqual([
          file === snapshotKeys.proof(id, 'drill-1') ? snapshotKeys.proofs(id) : file,
        ]);
        one.flip(file, at);
      }
    }
    await one.requireIntact(id);
  });

  it('lists all problems at once', async () => {
    const one = await aSafeguard();
    one.flip(snapshotKeys.copiedRecord(id, 'c1'), 8);
    rmSync(one.fileOf(snapshotKeys.copiedData(id, 'c2')));
    rmSync(one.fileOf(keys.snapshotRows(id)));
    one.flip(keys.snapshotPackage(id, 0));
    const { problems } = await verifySnapshot(one.snapshots, id);
    // Without its rows nobody knows the copies.
    expect(problems.map(({ file }) => file)).toEqual([keys.snapshotPackage(id, 0), keys.snapshotRows(id)]);
    await one.store.writeJson(keys.snapshotRows(id), []);
    expect((await verifySnapshot(one.snapshots, id)).problems).toHaveLength(2);
  });

  it('reads a package that several snapshots share once', async () => {
    const one = new AStore();
    const base = await one.take({ id: 'a', bytes: 'same' });
    await one.takeSince('b', base, { rows: [aRow('a')], changed: [] });
    one.flip(base.package?.key ?? '');
    const shared = new Map();
    const [a, b] = [
      await verifySnapshot(one.snapshots, 'a', shared),
      await verifySnapshot(one.snapshots, 'b', shared),
    ];
    expect([a.bytes, b.bytes]).toEqual([4, 0]);
    expect(a.problems).toEqual(b.problems);
    expect(a.problems[0]?.problem).toMatch(/^has sha256 [0-9a-f]{12}\.\.\., not 0967115f2813\.\.\. as saved/);
  });

  it('names all items lost with a damaged package until it is intact again', async () => {
    const one = new AStore();
    const rows = ['x', 'y', 'z'].map((itemId) => aRow(itemId));
    const full = await one.take({ id: 'a', bytes: 'all' }, rows);
    const b = await one.takeSince('b', full, { rows, changed: ['y'] });
    await one.takeSince('c', b, { rows: rows.slice(1), changed: [] });
    const key = full.package!.key;
    one.flip(key);
    const lost = (...ids: string[]) => ids.map((itemId) => ({ itemId, title: `Map ${itemId}` }));
    expect((await verifySnapshot(one.snapshots, 'b')).problems).toMatchObject([
      {
        file: key,
        costs: [
          { id: 'c', items: lost('z') },
          { id: 'b', items: lost('x', 'z') },
          { id: 'a', items: lost('x', 'y', 'z') },
        ],
      },
    ]);
    expect(await isKnownDamaged(one.store, key)).toBe(true);
    one.flip(key);
    await one.requireIntact('b');
    expect(await isKnownDamaged(one.store, key)).toBe(false);
    expect((await one.keys()).filter((each) => each.includes('damage'))).toEqual([]);
  });

  it('refuses an unknown ID', async () => {
    const { snapshots } = new AStore();
    await expect(verifySnapshot(snapshots, 'x')).rejects.toThrow('SNAPSHOT_NOT_FOUND');
  });
});
