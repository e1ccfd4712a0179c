import { describe, expect, it, jest } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { findSnapshot } from '../../../src/domain/resolve-id';
import { lastGood, listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { openCopy } from '../../../src/domain/snapshot/copied-files';
import { snapshotKeys, keys } from '../../../src/store/keys';
import { claimedBy } from '../../../src/domain/snapshot/packages';
import { addedBytes, bytesIn, packageOf, packagesIn } from '../../../src/model/snapshot/snapshot';
import { aPackage, aRow, aSnapshot, AStore, claim, sha256Of } from './a-store';

const first = 'backup-transport-20261119T030000Z-aaaa';
const second = 'backup-transport-20261120T030000Z-bbbb';
const pin = { at: '2026-11-21T00:00:00.000Z', who: 'a.brandt@desk', reason: 'before the upgrade' };
const proof = (runId: string, at = '2026-11-21T04:00:00.000Z') =>
  ({ level: 'previewed', at, portal: 'scratch', runId, items: 1 }) as const;

describe('the snapshots of a store', () => {
  it('are listed by their time, with pins, proofs and confirmations', async () => {
    const { snapshots, take } = bound(new AStore());
    await take({ id: second, takenAt: '2026-11-20T03:00:00.000Z' });
    await take({ id: first, takenAt: '2026-11-19T03:00:00.000Z' });
    await snapshots.pin(first, pin);
    await snapshots.prove(first, proof('drill-2', '2026-11-22T04:00:00.000Z'));
    await snapshots.prove(first, proof('drill-1'));
    await snapshots.prove(first, proof('drill-1'));
    await snapshots.confirm(second, { at: '2026-11-21T03:00:00.000Z', runId: 'backup-2' });
    await snapshots.confirm(second, { at: '2026-11-20T04:00:00.000Z', runId: 'backup-1' });
    const { readable, unreadable } = await listSnapshots(snapshots);
    expect(unreadable).toEqual([]);
    expect(readable.map(({ manifest, ...rest }) => ({ id: manifest.id, ...rest }))).toEqual([
      {
        id: second,
        pin: undefined,
        proofs: [],
        confirmed: { at: '2026-11-21T03:00:00.000Z', runId: 'backup-2' },
        problems: [],
      },
      {
        id: first,
        pin,
        proofs: [proof('drill-1'), proof('drill-2', '2026-11-22T04:00:00.000Z')],
        confirmed: undefined,
        problems: [],
      },
    ]);
    expect(await snapshots.unpin(first)).toBe(true);
    expect(await snapshots.unpin(first)).toBe(false);
  });

  it('are read once per process if they are of another route', async () => {
    const { snapshots, store, take } = bound(new AStore());
    await take({ id: first, takenAt: '2026-11-19T03:00:00.000Z' });
    await take({ id: 'of-parks', route: 'parks' });
    expect((await lastGood(snapshots, 'transport'))?.manifest.id).toBe(first);
    await take({ id: second, takenAt: '2026-11-20T03:00:00.000Z' });
    const read = jest.spyOn(store, 'readJson');
    expect((await lastGood(snapshots, 'transport'))?.manifest.id).toBe(second);
    expect(read.mock.calls.map(([key]) => key)).toEqual([first, second].map(keys.snapshotManifest));
    expect((await lastGood(snapshots, 'parks'))?.manifest.id).toBe('of-parks');
  });

  it('are listed as unreadable with the reason', async () => {
    const { snapshots, flip, fileOf, take } = bound(new AStore());
    for (const id of ['a-altered', 'c-broken', 'd-good', 'e-moved']) await take({ id });
    flip(keys.snapshotManifest('a-altered'), 60);
    writeFileSync(fileOf(keys.snapshotManifest('c-broken')), '{');
    writeFileSync(
      fileOf(keys.snapshotManifest('e-moved')),
      readFileSync(fileOf(keys.snapshotManifest('d-good'))),
    );
    const { readable, unreadable } = await listSnapshots(snapshots);
    expect(readable.map(({ manifest }) => manifest.id)).toEqual(['d-good']);
    expect(unreadable.map(({ id, code }) => [id, code])).toEqual([
      ['a-altered', 'SNAPSHOT_ALTERED'],
      ['c-broken', 'SNAPSHOT_ALTERED'],
      ['e-moved', 'SNAPSHOT_ALTERED'],
    ]);
    expect(unreadable[0]?.why).toContain('is not signed with the key of this store');
  });

  it('stay pinned if the pin was altered, and say so', async () => {
    const { snapshots, flip, take } = bound(new AStore());
    await take({ id: first });
    await snapshots.pin(first, pin);
    await snapshots.prove(first, proof('drill-1'));
    flip(keys.snapshotPin(first), 40);
    flip(snapshotKeys.proof(first, 'drill-1'), 40);
    const [listed] = (await listSnapshots(snapshots)).readable;
    expect(listed?.pin?.reason).toBe('the pin is unreadable');
    expect(listed?.proofs).toEqual([]);
    expect(listed?.problems).toHaveLength(2);
  });

  it('hold rows in any order of fields, and reject altered ones', async () => {
    const one = new AStore();
    const given = [{ saved: 'package', title: 'T', type: 'CSV', itemId: 'i' } as const];
    const manifest = await one.take({ id: first }, given);
    expect(manifest.rows).toMatchObject({ count: 1, saved: 1 });
    expect(await one.snapshots.rowsOf(manifest)).toEqual(given);
    one.flip(manifest.rows.key, 20);
    await expect(one.snapshots.rowsOf(manifest)).rejects.toThrow('[SNAPSHOT_ALTERED]');
    await one.store.writeJson(manifest.rows.key, []);
    await expect(one.snapshots.rowsOf(manifest)).rejects.toThrow('are not those its manifest names');
    await one.store.remove(manifest.rows.key);
    await expect(one.snapshots.rowsOf(manifest)).rejects.toThrow('are missing');
  });

  it('hold copies that open only unaltered', async () => {
    const one = new AStore();
    const row = await one.copy(first, 'c', 'data');
    const open = () => openCopy(one.snapshots, first, row, z.object({ id: z.string() }));
    expect(await open()).toMatchObject({ record: { id: 'c' }, data: { size: 4 } });
    for (const file of [snapshotKeys.copiedRecord(first, 'c'), snapshotKeys.copiedData(first, 'c')]) {
      one.flip(file, 3);
      await expect(open()).rejects.toThrow(/^\[(SNAPSHOT_ALTERED|STORE_BROKEN)\] snapshots\/.*\/items\/c\//);
      one.flip(file, 3);
    }
    await one.store.remove(snapshotKeys.copiedData(first, 'c'));
    await expect(open()).rejects.toThrow('is missing');
  });
});

describe('a snapshot with a parent', () => {
  const abc = [aRow('a'), aRow('b'), aRow('c')];
  it('names the packages that hold its items', async () => {
    const one = new AStore();
    const full = await one.take({ id: first, bytes: 'all' }, abc);
    const next = await one.takeSince(second, full, { rows: abc, changed: ['b'], bytes: 'b anew' });
    expect(packagesIn(next)).toEqual([aPackage(keys.snapshotPackage(second, 0), 'b anew'), full.package]);
    const rows = await one.snapshots.rowsOf(next);
    expect(rows.map((row) => [row.itemId, packageOf(next, row)?.sizeBytes])).toEqual([
      ['a', 3],
      ['b', 6],
      ['c', 3],
    ]);
    expect([bytesIn(next), addedBytes(next), bytesIn(full), addedBytes(full)]).toEqual([9, 6, 3, 3]);
    expect(await one.packages()).toHaveLength(2);
    // The claim stays with the manifest.
    expect(await claimedBy(one.store, second)).toEqual(new Set([full.package?.key]));
    // One that holds no item of an earlier package does not name it.
    const third = await one.takeSince('c', next, { rows: abc, changed: ['a', 'c'], bytes: 'a and c' });
    expect(packagesIn(third).map(({ sha256 }) => sha256)).toEqual([sha256Of('a and c'), sha256Of('b anew')]);
  });

  it('is refused if its parent was forgotten or a package is unclaimed', async () => {
    const one = new AStore();
    const { package: old } = await one.take({ id: first, bytes: 'all' });
    await one.take({ id: second });
    await one.forget([first]);
    expect(await claim(one.snapshots, 'c', first, [old!])).toEqual([]);
    const { package: here } = await one.snapshots.read(second);
    const commit = (id: string, named = here) =>
      one.snapshots.commit({ ...aSnapshot, id, runId: id, package: named }, [aRow('a')]);
    await expect(commit('other')).rejects.toThrow('no snapshot has claimed it');
    await expect(commit('c', old)).rejects.toThrow(`[PACKAGE_MISSING] ${old!.key}, needed for snapshot c,`);
    const own = aPackage(keys.snapshotPackage('c', 0), 'one');
    await expect(commit('c', own)).rejects.toThrow('[PACKAGE_MISSING]');
    await one.writeFile(own.key, 'one');
    expect((await commit('c', own)).package).toEqual(own);
    // What it does not name is no longer claimed.
    expect(await claimedBy(one.store, 'c')).toEqual(new Set());
  });
});

describe('the text that selects a snapshot', () => {
  it('is its id, an end of it, latest, or latest of a route', async () => {
    const { snapshots, take } = bound(new AStore());
    await take({ id: first, takenAt: '2026-11-19T03:00:00.000Z' });
    await take({ id: second, takenAt: '2026-11-20T03:00:00.000Z', complete: false });
    await take({ id: 'backup-water-1-cccc', takenAt: '2026-11-18T03:00:00.000Z', route: 'water' });
    await take({ id: 'sync-x-1-aaaa-safeguard-1', takenAt: '2026-11-21T03:00:00.000Z', kind: 'safeguard' });
    expect(await findSnapshot(snapshots, first)).toBe(first);
    expect(await findSnapshot(snapshots, 'bbbb')).toBe(second);
    expect(await findSnapshot(snapshots, 'latest')).toBe(first);
    expect(await findSnapshot(snapshots, 'latest:water')).toBe('backup-water-1-cccc');
    expect((await lastGood(snapshots, 'transport'))?.manifest.id).toBe(first);
    expect(await lastGood(snapshots, 'none')).toBeUndefined();
  });

  it('is refused if it matches none or several, and lists them', async () => {
    const { snapshots, store, take } = bound(new AStore());
    await expect(findSnapshot(snapshots, 'x')).rejects.toThrow(
      `[SNAPSHOT_NOT_FOUND] no snapshot "x" in the store at ${store.where}; the store has none`,
    );
    await take({ id: 'one-aaaa' });
    await take({ id: 'two-aaaa', complete: false });
    await expect(findSnapshot(snapshots, 'x')).rejects.toThrow('the store has:\n  two-aaaa\n  one-aaaa');
    await expect(findSnapshot(snapshots, 'aaaa')).rejects.toThrow(
      '[USAGE] "aaaa" matches 2 snapshots:\n  one-aaaa\n  two-aaaa',
    );
    await expect(findSnapshot(snapshots, 'latest:water')).rejects.toThrow('no good backup of route "water"');
    await expect(findSnapshot(snapshots, '')).rejects.toThrow('SNAPSHOT_NOT_FOUND');
  });
});

/** Its methods by themselves. */
function bound(one: AStore) {
  return {
    store: one.store,
    snapshots: one.snapshots,
    fileOf: one.fileOf,
    flip: one.flip.bind(one),
    take: one.take.bind(one),
  };
}
