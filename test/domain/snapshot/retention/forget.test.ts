import { describe, expect, it, jest } from '@jest/globals';
import { dropUnfinished, forgetByPolicy, planByIds } from '../../../../src/domain/snapshot/retention/forget';
import { PortolanError } from '../../../../src/model/errors/errors';
import type { Store } from '../../../../src/store/store';
import { listSnapshots } from '../../../../src/domain/snapshot/list-snapshots';
import { partRunId } from '../../../../src/model/run/run-id';
import { safeguardId, keys } from '../../../../src/store/keys';
import type { Snapshots } from '../../../../src/domain/snapshot/snapshots';
import { verifySnapshot } from '../../../../src/domain/snapshot/verify-snapshot';
import { aRow, aSnapshot, AStore, claim } from '../a-store';

const day = 86_400_000;
const none: ReadonlySet<string> = new Set();
const now = Date.parse('2026-11-21T12:00:00Z');

/** A backup for each of these nights of November. */
async function nights(one: AStore, ...days: number[]) {
  for (const each of days) {
    const date = String(each).padStart(2, '0');
    await one.take({ id: `night-${date}`, takenAt: `2026-11-${date}T03:00:00.000Z` });
  }
}

const byPolicy = ({ snapshots }: AStore, request: Partial<Parameters<typeof forgetByPolicy>[1]>) =>
  forgetByPolicy(snapshots, { route: 'transport', now, ...request });

const idsOf = async ({ snapshots }: { snapshots: Snapshots }) =>
  (await listSnapshots(snapshots)).readable.map(({ manifest }) => manifest.id);

describe('forgetting by a policy', () => {
  it('forgets only what the policy does not keep', async () => {
    const one = new AStore();
    await nights(one, 17, 18, 19, 20);
    await one.take({ id: 'elsewhere', route: 'water', takenAt: '2020-01-01T00:00:00.000Z' });
    const result = await byPolicy(one, { policy: { last: 2 }, openRuns: none });
    expect(result).toMatchObject({
      forgotten: ['night-18', 'night-17'],
      packages: 2,
      freedBytes: 2 * 'package of night-17'.length,
      unreadable: [],
      notes: [],
    });
    expect(
      result.decisions.map(({ snapshot, keep, reasons }) => [snapshot.manifest.id, keep, reasons]),
    ).toEqual([
      ['night-20', true, ['last good of transport', 'last 1 of 2']],
      ['night-19', true, ['last 2 of 2']],
      ['night-18', false, ['no rule matches']],
      ['night-17', false, ['no rule matches']],
    ]);
    const left = await one.keys(keys.snapshots);
    const ids = ['elsewhere', 'night-19', 'night-20'];
    expect(left.map((key) => key.split('/')[1])).toEqual(ids.flatMap((id) => [id, id, id]));
    expect(await one.packages()).toHaveLength(3);
  });

  it('lists each folder once, and reads each manifest once', async () => {
    const one = new AStore();
    await nights(one, 17, 18, 19, 20);
    const names = jest.spyOn(one.store, 'names');
    const read = jest.spyOn(one.store, 'readJson');
    await byPolicy(one, { policy: { last: 2 }, openRuns: none });
    const ids = ['17', '18', '19', '20'].map((night) => `night-${night}`);
    const folders = names.mock.calls
      .map(([prefix]) => prefix)
      .filter((each) => each.startsWith('snapshots/'));
    expect(folders.sort()).toEqual([keys.snapshots, keys.snapshots, ...ids.map(keys.snapshot)]);
    const manifests = read.mock.calls.map(([key]) => key).filter((key) => key.endsWith('/manifest.json'));
    expect(manifests.sort()).toEqual(ids.map(keys.snapshotManifest));
  });

  it('keeps a safeguard until some time after the recorded end of its run', async () => {
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
    expect((await byPolicy(one, {})).forgotten).toHaveLength(1);
    expect((await idsOf(one)).sort()).toEqual([ids[0], ids[2]]);
    const later = { openRuns: new Set(['sync-open']), now: now + 60 * day };
    expect((await byPolicy(one, later)).forgotten).toHaveLength(1);
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
    for (const openRuns of [new Set([promotion]), undefined]) {
      await expect(planByIds(one.snapshots, [id], { openRuns, now })).rejects.toMatchObject({
        code: 'SNAPSHOT_NEEDED',
        message: expect.stringContaining(`in use by ${promotion}`),
      });
      expect((await byPolicy(one, { openRuns })).forgotten).toEqual([]);
    }
    expect((await byPolicy(one, { openRuns: none })).forgotten).toHaveLength(1);
  });

  it('keeps the snapshot of an open restore', async () => {
    const one = new AStore();
    await nights(one, 1, 20);
    await one.store.writeJson(keys.record('restore-1'), {
      runId: 'restore-1',
      kind: 'restore',
      snapshot: { id: 'night-01' },
    });
    const policy = { last: 1 };
    const openRuns = new Set(['restore-1']);
    const kept = await byPolicy(one, { policy, openRuns });
    expect(kept.decisions[1]).toMatchObject({ keep: true, reasons: ['in use by restore-1'] });
    expect((await byPolicy(one, { policy })).forgotten).toEqual([]);
    const { readJson } = one.store;
    const reading = jest.spyOn(one.store, 'readJson').mockImplementation(async function (
      this: Store,
      ...args
    ) {
      if (args[0] === keys.record('restore-1')) throw new PortolanError('STORE_UNREACHABLE', 'no response');
      return readJson.apply(this, args);
    });
    await expect(byPolicy(one, { policy, openRuns })).rejects.toThrow('no response');
    reading.mockRestore();
    expect((await byPolicy(one, { policy, openRuns: none })).forgotten).toHaveLength(1);
  });
});

describe('a package', () => {
  const abc = [aRow('a'), aRow('b'), aRow('c')];

  it('stays as long as a snapshot names it, and nothing else of a forgotten one [P09]', async () => {
    const one = new AStore();
    const a = await one.take({ id: 'a', bytes: 'all' }, [...abc, await one.copy('a', 'd', 'data')]);
    const b = await one.takeSince('b', a, { rows: abc, changed: ['b'] });
    await one.takeSince('c', b, { rows: abc, changed: ['b'] });
    const named = a.package!.key;
    one.flip(named);
    await verifySnapshot(one.snapshots, 'a');
    expect(await one.forget(['a'])).toMatchObject({ packages: 0 });
    // That it is damaged stays known.
    const rest = ['forgotten.json', 'package-1.epk', 'package-1.epk.damage.json'];
    expect(await one.keys('snapshots/a/')).toEqual(rest.map((name) => `snapshots/a/${name}`));
    expect(await idsOf(one)).toEqual(['c', 'b']);
    expect(await one.forget(['b'])).toMatchObject({ packages: 1 });
    expect(await one.packages()).toEqual([named, keys.snapshotPackage('c', 0)]);
    expect(await one.forget(['c'])).toMatchObject({ packages: 2, freedBytes: 15 });
    expect(await one.keys()).toEqual([]);
  });

  it('stays if a manifest is unreadable: it may be named there', async () => {
    const one = new AStore();
    await nights(one, 1, 2);
    one.flip(keys.snapshotManifest('night-01'), 60);
    const { notes } = await one.forget(['night-02']);
    expect(notes).toEqual(['kept 1 package of no readable snapshot, because these are unreadable: night-01']);
    expect(await one.packages()).toHaveLength(2);
    // Once that one goes too, nothing is left.
    await one.forget(['night-01']);
    expect(await one.keys(keys.snapshots)).toEqual([]);
  });

  it('stays if a snapshot that is being made has claimed it, or may have', async () => {
    const one = new AStore();
    const { package: old } = await one.take({ id: 'old' });
    await claim(one.snapshots, 'new', 'old', [old!]);
    one.flip('snapshots/new/claim.json', 0);
    expect((await one.forget(['old'], { openRuns: new Set(['new']), now })).packages).toBe(0);
    one.flip('snapshots/new/claim.json', 0);
    await one.forget([], { openRuns: new Set(['new']), now });
    expect(await one.packages()).toEqual([old?.key]);
    await one.snapshots.commit({ ...aSnapshot, id: 'new', runId: 'new', package: old }, [aRow('a')]);
    await one.requireIntact('new');
    await one.forget([], { openRuns: none, now });
    expect(await one.packages()).toEqual([old?.key]);
  });
});

describe('an unfinished snapshot', () => {
  it('is deleted a day after it was first seen, once its run has ended', async () => {
    const one = new AStore();
    await one.store.writeJson(keys.snapshotRows('backup-1'), []);
    await one.store.writeJson(keys.snapshotRows('sync-2-safeguard-1'), []);
    const at = async (time: number, openRuns: ReadonlySet<string> | undefined) =>
      (await one.forget([], { openRuns, now: time })).leftovers;
    expect(await at(now, undefined)).toEqual([]);
    expect(await at(now + 5 * day, new Set(['sync-2']))).toEqual([]);
    expect(await at(now + 5.5 * day, new Set(['sync-2']))).toEqual([]);
    expect(await at(now + 6 * day, new Set(['sync-2']))).toEqual(['backup-1']);
    expect(await one.keys()).toEqual([keys.snapshotRows('sync-2-safeguard-1')]);
  });

  it('leaves what others need of a forgotten one with its ID', async () => {
    const one = new AStore();
    const rows = [aRow('a'), aRow('b')];
    const a = await one.take({ id: 'a', bytes: 'all' }, rows);
    await one.takeSince('b', a, { rows, changed: ['b'] });
    await one.forget(['a']);
    await one.writeFile(keys.snapshotPackage('a', 7), 'imported again');
    await one.store.writeJson(keys.snapshotRows('a'), []);
    await dropUnfinished(one.snapshots, 'a');
    expect(await one.packages()).toEqual([a.package!.key, keys.snapshotPackage('b', 0)]);
    await one.requireIntact('b');
  });
});

describe('forgetting snapshots by ID', () => {
  it('is refused if one must stay, naming all, and forgets nothing', async () => {
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

  it('accepts an altered one', async () => {
    const one = new AStore();
    await nights(one, 18, 19, 20);
    one.flip(keys.snapshotManifest('night-18'), 60);
    const plan = (id: string) => planByIds(one.snapshots, [id], { openRuns: none, now });
    expect((await plan('night-18')).unreadable).toMatchObject([{ id: 'night-18' }]);
  });
});
