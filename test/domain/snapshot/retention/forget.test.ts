import { describe, expect, it } from '@jest/globals';
import { forget, forgetByPolicy, planByIds } from '../../../../src/domain/snapshot/retention/forget';
import { listSnapshots } from '../../../../src/domain/snapshot/list-snapshots';
import { partRunId } from '../../../../src/model/run/run-id';
import { safeguardId, snapshotKeys } from '../../../../src/domain/snapshot/snapshot-keys';
import type { Snapshots } from '../../../../src/domain/snapshot/snapshots';
import { tidy } from '../../../../src/domain/snapshot/retention/tidy';
import { keys } from '../../../../src/store/keys';
import { aRow, aSnapshot, AStore, sha256Of } from '../a-store';

const day = 86_400_000;
const none: ReadonlySet<string> = new Set();
const now = Date.parse('2026-11-21T12:00:00Z');

/** A backup for each of these nights of November. */
async function nights(one: AStore, ...days: number[]): Promise<void> {
  for (const each of days) {
    const date = String(each).padStart(2, '0');
    await one.take({ id: `night-${date}`, takenAt: `2026-11-${date}T03:00:00.000Z` });
  }
}

const idsOf = async ({ snapshots }: { snapshots: Snapshots }): Promise<string[]> =>
  (await listSnapshots(snapshots)).readable.map(({ manifest }) => manifest.id);

describe('forgetting by a policy', () => {
  it('leaves what the policy keeps, and nothing of the others', async () => {
    const one = new AStore();
    await nights(one, 17, 18, 19, 20);
    await one.take({ id: 'elsewhere', route: 'water', takenAt: '2020-01-01T00:00:00.000Z' });
    const result = await forgetByPolicy(one.snapshots, {
      route: 'transport',
      policy: { last: 2 },
      openRuns: none,
      now,
    });
    expect(result).toEqual({
      kept: 2,
      forgotten: 2,
      freedBytes: 2 * 'package of night-17'.length,
      decisions: [
        { id: 'night-20', keep: true, reasons: ['last good of transport', 'last 1 of 2'] },
        { id: 'night-19', keep: true, reasons: ['last 2 of 2'] },
        { id: 'night-18', keep: false, reasons: ['no rule matches'] },
        { id: 'night-17', keep: false, reasons: ['no rule matches'] },
      ],
      unreadable: [],
      notes: [],
    });
    const left = await one.keys();
    expect(left.filter((key) => key.startsWith('snapshots/')).map((key) => key.split('/')[1])).toEqual([
      ...['elsewhere', 'elsewhere', 'night-19', 'night-19', 'night-20', 'night-20'],
    ]);
    expect(left.filter((key) => key.startsWith('stored/'))).toHaveLength(3);
    expect(left).toHaveLength(9);
  });

  it('keeps a safeguard by the end of its run in the records', async () => {
    const one = new AStore();
    const ids = ['sync-ended-safeguard-1', 'sync-old-safeguard-1', 'sync-open-safeguard-1'];
    for (const id of ids) {
      await one.take({ id, kind: 'safeguard', bytes: '' }, [await one.copy(id, 'c', 'data')]);
    }
    const record = (runId: string, finishedAt?: number) =>
      one.store.writeJson(keys.record(runId), {
        runId,
        kind: 'sync',
        finishedAt: finishedAt && new Date(finishedAt).toISOString(),
      });
    await record('sync-ended', now - 2 * day);
    await record('sync-old', now - 40 * day);
    await record('sync-open');
    const request = { route: 'transport', now };
    expect((await forgetByPolicy(one.snapshots, { ...request, openRuns: undefined })).forgotten).toBe(1);
    expect((await idsOf(one)).sort()).toEqual([ids[0], ids[2]]);
    const open = new Set(['sync-open']);
    const later = { ...request, openRuns: open, now: now + 60 * day };
    expect((await forgetByPolicy(one.snapshots, later)).forgotten).toBe(1);
    expect(await idsOf(one)).toEqual(['sync-open-safeguard-1']);
  });

  it('keeps the safeguard of an ended group while its promotion is parked', async () => {
    const one = new AStore();
    const promotion = 'promotion-transport-20261001T030000Z-k7q2';
    const runId = partRunId(promotion, 3, 'restore');
    const id = safeguardId(runId, '1');
    await one.take({ id, runId, kind: 'safeguard', bytes: '' }, [await one.copy(id, 'c', 'data')]);
    const ended = new Date(now - 40 * day).toISOString();
    await one.store.writeJson(keys.record(runId), { runId, kind: 'restore', finishedAt: ended });
    await one.store.writeJson(keys.record(promotion), { runId: promotion, kind: 'promotion' });
    const parked = new Set([promotion]);
    const request = { route: 'transport', now };
    for (const openRuns of [parked, undefined]) {
      await expect(planByIds(one.snapshots, [id], { openRuns, now })).rejects.toMatchObject({
        code: 'SNAPSHOT_NEEDED',
        message: expect.stringContaining(`in use by ${promotion}`),
      });
      expect((await forgetByPolicy(one.snapshots, { ...request, openRuns })).forgotten).toBe(0);
    }
    expect((await forgetByPolicy(one.snapshots, { ...request, openRuns: none })).forgotten).toBe(1);
  });

  it('keeps the one that an open restore works with', async () => {
    const one = new AStore();
    await nights(one, 1, 20);
    await one.store.writeJson(keys.record('restore-1'), {
      runId: 'restore-1',
      kind: 'restore',
      snapshot: { id: 'night-01' },
    });
    const request = { route: 'transport', policy: { last: 1 }, now };
    const kept = await forgetByPolicy(one.snapshots, { ...request, openRuns: new Set(['restore-1']) });
    expect(kept.decisions[1]).toEqual({ id: 'night-01', keep: true, reasons: ['in use by restore-1'] });
    expect((await forgetByPolicy(one.snapshots, { ...request, openRuns: undefined })).forgotten).toBe(0);
    expect((await forgetByPolicy(one.snapshots, { ...request, openRuns: none })).forgotten).toBe(1);
  });
});

describe('a package', () => {
  it('stays as long as a snapshot names it [P09]', async () => {
    const one = new AStore();
    await one.take({ id: 'a', bytes: 'same', takenAt: '2026-11-01T00:00:00.000Z' });
    await one.take({ id: 'b', bytes: 'same', takenAt: '2026-11-02T00:00:00.000Z' });
    expect(await forget(one.snapshots, ['a'], { openRuns: none })).toMatchObject({ packages: 0 });
    expect(await one.keys('stored/')).toHaveLength(1);
    expect(await forget(one.snapshots, ['b'], { openRuns: none })).toMatchObject({
      packages: 1,
      freedBytes: 4,
    });
    expect(await one.keys()).toEqual([]);
  });

  it('stays where a manifest cannot be read: it may be the one that is named there', async () => {
    const one = new AStore();
    await nights(one, 1, 2);
    one.flip(keys.snapshotManifest('night-01'), 60);
    const { notes } = await forget(one.snapshots, ['night-02'], { openRuns: none });
    expect(notes).toEqual([
      '2 stored packages that belong to no readable snapshot were kept, because these are unreadable: night-01',
    ]);
    expect(await one.keys('stored/')).toHaveLength(2);
  });

  it('that is about to be removed is not counted on by a snapshot that is just being made', async () => {
    const one = new AStore();
    const old = await one.take({ id: 'old', bytes: 'same' });
    const sha256 = sha256Of('same');
    await one.store.writeJson(`${snapshotKeys.goingPackage(sha256)}x.json`, {
      at: new Date(now).toISOString(),
    });
    const made = await one.take({ id: 'new', bytes: 'same' });
    expect(made.package?.key).toBe(snapshotKeys.ownPackage(sha256, 'new'));
    expect(made.package?.key).not.toBe(old.package?.key);
    // A repeat finds what the first attempt took there.
    expect((await one.take({ id: 'new', bytes: '' })).package).toEqual(made.package);
    await forget(one.snapshots, ['old'], { openRuns: none, now });
    expect(await one.keys('stored/')).toEqual([made.package?.key]);
  });

  it('is not removed while a snapshot that names it is being committed', async () => {
    const one = new AStore();
    await one.take({ id: 'old', bytes: 'same' });
    const { package: named } = await one.snapshots.read('old');
    await one.store.writeJson(snapshotKeys.claim('new'), { sha256: named?.sha256 });
    await forget(one.snapshots, ['old'], { openRuns: none, now });
    expect(await one.keys('stored/')).toEqual([named?.key]);
  });
});

describe('a forget that is killed', () => {
  it.each(Array.from({ length: 16 }, (_, step) => step))(
    'before step %d leaves no half snapshot, and the next one takes the rest away',
    async (step) => {
      const one = new AStore();
      const rows = [aRow('a'), await one.copy('old', 'c', 'data')];
      await one.take({ id: 'old', takenAt: '2026-11-01T00:00:00.000Z' }, rows);
      await nights(one, 20);
      const dying = one.dyingAt(step);
      await forget(dying, ['old'], { openRuns: none, now }).catch(() => undefined);
      const { readable, unreadable } = await listSnapshots(one.snapshots);
      expect(unreadable).toEqual([]);
      for (const { manifest } of readable) {
        expect(await one.snapshots.rowsOf(manifest)).toHaveLength(manifest.rows.count);
        expect(await one.store.openFile(manifest.package?.key ?? '')).toBeDefined();
      }
      const request = { route: 'transport', policy: { last: 1 }, openRuns: none, now: now + 2 * day };
      await forgetByPolicy(one.snapshots, request);
      expect((await one.keys()).map((each) => each.split('/').slice(0, 2).join('/'))).toEqual([
        'snapshots/night-20',
        'snapshots/night-20',
        expect.stringMatching(/^stored\//),
      ]);
    },
  );
});

describe('a snapshot that is killed while it is being made', () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'before step %d is never listed, and made by the next attempt',
    async (step) => {
      const one = new AStore();
      await one.writeFile(keys.snapshotPackage('new', 0), 'bytes');
      const made = {
        ...aSnapshot,
        id: 'new',
        runId: 'new',
        package: { key: keys.snapshotPackage('new', 0), sizeBytes: 5, sha256: sha256Of('bytes') },
      };
      const died = await one
        .dyingAt(step)
        .commit(made, [aRow('a')])
        .then(
          () => false,
          () => true,
        );
      expect(await idsOf(one)).toEqual(died && step < 4 ? [] : ['new']);
      // Nobody who tidies meanwhile takes anything away, as long as the run is open.
      await tidy(one.snapshots, { openRuns: new Set(['new']), now: now + 2 * day });
      await tidy(one.snapshots, { openRuns: new Set(['new']), now: now + 4 * day });
      const manifest = await one.snapshots.commit(made, [aRow('a')]);
      expect((await one.store.openFile(manifest.package?.key ?? ''))?.size).toBe(5);
    },
  );

  it('is tidied away a day after it was first seen so, once its run is over', async () => {
    const one = new AStore();
    await one.store.writeJson(keys.snapshotRows('backup-1'), []);
    await one.store.writeJson(keys.snapshotRows('sync-2-safeguard-1'), []);
    const at = async (time: number, openRuns: ReadonlySet<string> | undefined) =>
      (await tidy(one.snapshots, { openRuns, now: time })).leftovers;
    expect(await at(now, undefined)).toEqual([]);
    expect(await at(now + 5 * day, new Set(['sync-2']))).toEqual([]);
    expect(await at(now + 5.5 * day, new Set(['sync-2']))).toEqual([]);
    expect(await at(now + 6 * day, new Set(['sync-2']))).toEqual(['backup-1']);
    expect(await one.keys()).toEqual([keys.snapshotRows('sync-2-safeguard-1')]);
  });
});

describe('forgetting snapshots that were named', () => {
  it('is refused for those that have to stay, all of them told, and nothing goes', async () => {
    const one = new AStore();
    await nights(one, 18, 19, 20);
    await one.snapshots.pin('night-18', { at: '2026-11-21T00:00:00.000Z', who: 'a@b', reason: 'upgrade' });
    const plan = (...ids: string[]) => planByIds(one.snapshots, ids, { openRuns: none, now });
    await expect(plan('night-18')).rejects.toThrow(
      '[SNAPSHOT_PINNED] nothing was forgotten; night-18: pinned: upgrade',
    );
    await expect(plan('night-18', 'night-19', 'night-20')).rejects.toThrow(
      '[SNAPSHOT_NEEDED] nothing was forgotten; night-20: last good of transport\nnight-18: pinned: upgrade',
    );
    await expect(plan('x')).rejects.toThrow('SNAPSHOT_NOT_FOUND');
    expect((await plan('night-19')).decisions).toMatchObject([{ keep: false, reasons: ['named'] }]);
  });

  it('takes one away that was altered', async () => {
    const one = new AStore();
    await nights(one, 18, 19, 20);
    one.flip(keys.snapshotManifest('night-18'), 60);
    const plan = (id: string) => planByIds(one.snapshots, [id], { openRuns: none, now });
    expect((await plan('night-18')).unreadable).toMatchObject([{ id: 'night-18' }]);
  });
});
