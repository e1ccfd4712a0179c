import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { blockLog } from '../../../src/domain/event-log';
import { releaseId } from '../../../src/domain/release/releases';
import { type PromotionEntry, standingsOf, wentBack } from '../../../src/model/release/promotion';
import { releasesInUse } from '../../../src/domain/snapshot/retention/run-facts';
import { keys } from '../../../src/store/keys';
import { EncryptedStore } from '../../../src/store/encrypted/encrypted-store';
import { LocalStore } from '../../../src/store/local/local-store';
import { AStore } from '../snapshot/a-store';

const none: ReadonlyMap<string, string> = new Map();

/** A store with one release of one snapshot, which is pinned. */
async function pinned(one = new AStore()) {
  const snapshot = await one.take({ id: 'roads-1' });
  const release = await one.release({ roads: snapshot });
  const pin = { at: '2026-11-22T10:00:00.000Z', who: 'a@b', reason: 'in production' };
  const { releases } = one.snapshots;
  await releases.pin(release.id, pin);
  return { one, release, releases };
}

describe('the ID of a release', () => {
  const now = Date.parse('2026-11-22T09:12:00Z');

  it.each([
    ['release-transport-20261122T091158Z-k7q2', 'transport-20261122T091158Z-k7q2'],
    ['release-transport-request-abcdefn234', 'transport-20261122T091200Z-abcdefn234'],
  ])('has the time and the end of its run: %s', (runId, id) => {
    expect(releaseId('transport', runId, now)).toBe(id);
  });

  it('differs for two schedules of the same second', () => {
    const [weekly, nightly] = ['weekly', 'nightly'].map((name) =>
      releaseId('transport', `release-${name}-2026-11-22T05:00:00Z`, now),
    );
    expect(weekly).toMatch(/^transport-20261122T050000Z-[0-9a-f]{8}$/);
    expect(weekly).not.toBe(nightly);
  });

  it('is never that of two: the same run makes one, and another run none [P11]', async () => {
    const { release, releases } = await pinned();
    const { createdAt: _, sha256: __, ...given } = release;
    expect(await releases.commit({ ...given, groups: [] })).toEqual(release);
    await expect(releases.commit({ ...given, runId: 'release-transport-b' })).rejects.toThrow(
      `release-transport-a has already created release ${release.id}`,
    );
    expect((await releases.read(release.id)).manifest).toEqual(release);
  });
});

it('a release is not forgotten before the promotion that uses it has ended', async () => {
  const { one, release, releases } = await pinned();
  await releases.unpin(release.id);
  const runId = 'promotion-transport-20261122T100000Z-k7q2';
  const record = { runId, kind: 'promotion', release: { id: release.id } };
  await one.store.writeJson(keys.record(runId), record);
  for (const open of [new Set([runId]), undefined])
    await expect(releases.forget(release.id, await releasesInUse(one.store, open))).rejects.toMatchObject({
      code: 'RELEASE_IN_USE',
      hint: expect.stringContaining('portolan run show k7q2'),
    });
  await one.store.writeJson(keys.record(runId), { ...record, finishedAt: '2026-11-22T11:00:00.000Z' });
  await releases.forget(release.id, await releasesInUse(one.store, undefined));
  expect(await releases.ids()).toEqual([]);
});

const readKey = async () => Buffer.from('a key that is long enough to be a key');
it.each([
  ['a store', (folder: string) => new LocalStore(folder)],
  ['an encrypted store', (folder: string) => new EncryptedStore(new LocalStore(folder), readKey)],
])('an altered release in %s is listed as unreadable', async (_title, within) => {
  const { one, release } = await pinned(new AStore(undefined, within));
  one.flip(keys.releaseManifest(release.id), 130);
  expect(await one.snapshots.releases.list()).toMatchObject({
    readable: [],
    unreadable: [{ id: release.id, code: 'RELEASE_ALTERED' }],
  });
});

describe('the pin of a release', () => {
  it('keeps it, even when altered, until it is unpinned [P09]', async () => {
    const { one, release, releases } = await pinned();
    await expect(releases.forget(release.id, none)).rejects.toThrow('is pinned by a@b: in production');
    one.flip(keys.releasePin(release.id), 12);
    expect(await releases.list()).toEqual({
      readable: [{ manifest: release, pin: expect.objectContaining({ reason: 'the pin is unreadable' }) }],
      unreadable: [],
    });
    await expect(releases.forget(release.id, none)).rejects.toMatchObject({ code: 'RELEASE_PINNED' });
    expect(await releases.unpin(release.id)).toBe(true);
    await releases.forget(release.id, none);
    expect(await releases.ids()).toEqual([]);
  });

  it('is not asked for by who only wants to know which snapshots are held', async () => {
    const { one, release } = await pinned();
    const read = jest.spyOn(one.store, 'readJson');
    expect(await one.snapshots.releases.held()).toEqual(new Map([['roads-1', release.id]]));
    expect(read.mock.calls.map(([key]) => key)).toEqual([keys.releaseManifest(release.id)]);
  });
});

it('a block keeps content from every stage, even when altered, until it is lifted', async () => {
  const { one, release, releases } = await pinned();
  await releases.requireUnblocked(release);
  const block = await releases.block(release.id, 'ana@desk', 'wrong sums');
  expect((await releases.list()).readable).toMatchObject([{ block }]);
  await expect(releases.requireUnblocked(release)).rejects.toMatchObject({
    code: 'RELEASE_BLOCKED',
    message: expect.stringContaining(`${release.id} is blocked by ana@desk: wrong sums`),
    hint: expect.stringContaining(`portolan release unblock ${release.id}`),
  });
  await expect(releases.requireUnblocked({ ...release, id: 'later' })).rejects.toThrow(
    `(as ${release.id}, which has the same content)`,
  );
  await releases.unpin(release.id);
  await releases.forget(release.id, none);
  await releases.write(release);
  one.flip(keys.block(release.sha256), 12);
  await expect(releases.requireUnblocked(release)).rejects.toThrow('the block is unreadable');
  expect((await releases.read(release.id)).block).toMatchObject({ who: '?' });
  expect(await releases.unblock(release.id, 'bo@desk', 'fixed')).toBe(true);
  expect(await releases.unblock(release.id, 'bo@desk', undefined)).toBe(false);
  await releases.requireUnblocked(release);
  expect((await blockLog(one.store).read()).events).toMatchObject([
    { what: 'unblock', release: release.id, who: 'bo@desk', reason: 'fixed' },
    { what: 'block', release: release.id, who: 'ana@desk', reason: 'wrong sums' },
  ]);
});

describe('the history of a stage', () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 10, 22, 10) + ms).toISOString();
  const entry = (run: string, more: Partial<PromotionEntry> = {}): PromotionEntry => ({
    pipeline: 'transport',
    stage: 'staging',
    runId: `promotion-transport-${run}`,
    kind: 'promoted',
    release: `transport-${run}`,
    sha256: 'f'.repeat(64),
    status: 'verified',
    who: 'a@b',
    at: at(0),
    groups: [],
    ...more,
  });
  const undoing = (run: string, undone: string, more: Partial<PromotionEntry> = {}) =>
    entry(run, {
      kind: 'rolled-back',
      release: `transport-${undone}`,
      undoes: `promotion-transport-${undone}`,
      ...more,
    });

  it.each([
    ['in the same moment', [entry('z'), undoing('y', 'z')]],
    ['by a worker whose clock is behind', [entry('z', { at: at(20) }), undoing('y', 'z')]],
  ])('has a rollback behind what it undoes: %s', async (_title, entries) => {
    const { promotions } = new AStore().snapshots.releases;
    const before = entry('x', { at: at(-60_000) });
    for (const each of [before, ...entries, ...entries]) await promotions.add({ ...each, who: 'a@b' });
    expect(await promotions.entries('transport', 'staging')).toEqual([before, ...entries]);
    expect([...(await promotions.inUse()).keys()]).toEqual([before.release]);
  });

  it('gives the same standings and rollbacks, in whatever order its entries are read', () => {
    const entries = [
      ...[entry('a'), entry('b', { at: at(1_000) }), undoing('c', 'b', { at: at(2_000) })],
      ...[entry('b', { at: at(2_200), runId: 'promotion-transport-d', status: 'failed' })],
      ...[entry('e', { at: at(3_000) }), undoing('f', 'e', { at: at(2_500), status: 'failed' })],
    ];
    const expected = [standingsOf(entries), wentBack(entries)];
    expect(expected[0]).toMatchObject([{ release: 'transport-a' }, {}, { release: 'transport-e' }]);
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (read) => {
        expect([standingsOf(read), wentBack(read)]).toEqual(expected);
      }),
    );
  });
});
