import { execFileSync } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { contentOfSnapshot } from '../../../src/domain/release/releases';
import {
  type ArchiveEntry,
  exportRelease,
  exportSnapshot,
  textEntry,
  writeArchive,
} from '../../../src/domain/archive/export-archive';
import { importRelease, importSnapshot } from '../../../src/domain/archive/import-archive';
import type { ArchiveHead } from '../../../src/domain/archive/archive-format';
import { makeKeyPair, readSigningKey, readTrustedKey } from '../../../src/domain/archive/signing-keys';
import { planByIds } from '../../../src/domain/snapshot/retention/forget';
import { listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import type { ReleaseManifest } from '../../../src/model/release/release';
import { bytesIn, type SnapshotManifest } from '../../../src/model/snapshot/snapshot';
import { FORGOTTEN, keys } from '../../../src/store/keys';
import { aFolder, aRow, AStore } from '../snapshot/a-store';

const folder = aFolder();
const at = (name: string): string => path.join(folder, name);
const file = at('transport.release');
const here = new AStore();
let elsewheres = 0;
/** A store that shares nothing with the others, its key neither. */
const elsewhere = (): AStore => new AStore(`the key of another store, ${(elsewheres += 1)}, long enough`);

let release: ReleaseManifest;
let key: KeyObject;
let trusted: KeyObject;
let strange: KeyObject;

const settings = { portalConfigProperties: { tokenExpiration: 60 } };
const categories = { categorySchema: [{ title: 'Categories', categories: [{ title: 'Roads' }] }] };

const groupOf = (name: string, manifest: SnapshotManifest) => ({
  name,
  groupId: `g-${name}`,
  snapshotId: manifest.id,
  sha256: contentOfSnapshot(manifest),
  items: manifest.rows.saved,
  sizeBytes: bytesIn(manifest),
});

/** Makes a release of snapshots that the store has. */
const released = (store: AStore, groups: Readonly<Record<string, SnapshotManifest>>, runId = 'release-a') =>
  store.snapshots.releases.commit(
    {
      id: 'transport-20261122T091200Z-a',
      runId,
      pipeline: 'transport',
      who: 'a@b',
      reason: 'winter closures',
      source: { stage: 'dev', portal: 'dev', url: 'https://dev.example.com/portal', version: '11.2' },
      groups: Object.entries(groups).map(([name, manifest]) => groupOf(name, manifest)),
      settings: { content: settings, count: 1 },
      categories: { content: categories, count: 1 },
    },
    Date.parse('2026-11-22T09:12:00Z'),
  );

beforeAll(async () => {
  const { publicFile } = await makeKeyPair(at('key'));
  key = await readSigningKey(at('key'));
  trusted = await readTrustedKey(publicFile);
  strange = await readTrustedKey((await makeKeyPair(at('strange'))).publicFile);
  const rows = ['x', 'y'].map((itemId) => aRow(itemId));
  const full = await here.take({ id: 'roads-1', bytes: 'f'.repeat(600) }, rows);
  const roads = await here.takeSince('roads-2', full, { rows, changed: ['y'], bytes: 'y anew' });
  const apps = await here.take({ id: 'apps-1', bytes: 'p'.repeat(700) }, [
    await here.documented('apps-1', 'map'),
    await here.copy('apps-1', 'c1', 'a,b,c'),
  ]);
  release = await released(here, { roads, apps });
  await exportRelease(here.snapshots, release.id, file, key);
});

const textOf = (name: string): string => execFileSync('tar', ['-xOf', file, name], { encoding: 'utf8' });

/** Writes the file with some of its entries changed, signed with the trusted key. */
async function forged(
  as: string,
  change: (name: string, text: string) => string,
  more: readonly ArchiveEntry[] = [],
): Promise<string> {
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    for (const name of execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n'))
      if (!/^(archive|signature)\.json$/.test(name)) yield textEntry(name, change(name, textOf(name)));
    yield* more;
  }
  const head = JSON.parse(change('archive.json', textOf('archive.json'))) as ArchiveHead;
  await writeArchive(at(as), head, entries(), key);
  return at(as);
}

describe('a release in a file', () => {
  it('goes through three sites that share nothing, and is the same in each: the same sha256, whole, and held [P11]', async () => {
    const [second, third] = [elsewhere(), elsewhere()];
    const onwards = at('onwards.release');
    const arrived = await importRelease(second.snapshots, file, [strange, trusted]);
    await makeKeyPair(at('second'));
    await exportRelease(second.snapshots, release.id, onwards, await readSigningKey(at('second')));
    await importRelease(third.snapshots, onwards, [await readTrustedKey(at('second.pub'))]);

    expect(arrived).toMatchObject({ wasThere: false, keySha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    for (const { snapshots } of [second, third]) {
      const { manifest } = await snapshots.releases.read(release.id);
      expect(manifest).toEqual({
        ...release,
        imported: { at: expect.any(String), keySha256: expect.any(String) },
      });
      for (const { snapshotId, sha256 } of manifest.groups) {
        expect(contentOfSnapshot(await snapshots.read(snapshotId))).toBe(sha256);
        expect((await verifySnapshot(snapshots, snapshotId)).problems).toEqual([]);
        await expect(planByIds(snapshots, [snapshotId], {})).rejects.toThrow(release.id);
      }
    }
    expect(await third.keys()).toEqual(await second.keys());
  });

  it('brings what became of it in the stages of the other site where that is asked for, and nothing of a stage that is known here [P11]', async () => {
    const entry = (stage: string, runId: string, status: 'verified' | 'failed', hour: number) => ({
      pipeline: 'transport',
      stage,
      runId,
      kind: 'promoted' as const,
      status,
      groups: [],
      release: release.id,
      sha256: release.sha256,
      who: 'a@b',
      at: `2026-11-23T${hour}:00:00.000Z`,
    });
    const stages = ['dev', 'staging', 'production'].map((name) => ({ name }));
    const standingOf = async ({ snapshots }: AStore, stage: string) =>
      (await snapshots.releases.promotions.standings({ name: 'transport', stages })).get(stage);
    const [second, third] = [elsewhere(), elsewhere()];
    const verified = at('verified.release');
    await importRelease(second.snapshots, file, [trusted]);
    const { promotions } = second.snapshots.releases;
    await promotions.add(entry('staging', 'promotion-1', 'verified', 10));
    await promotions.add(entry('production', 'promotion-2', 'failed', 11));
    await exportRelease(second.snapshots, release.id, verified, key);

    await third.snapshots.releases.promotions.add(entry('production', 'promotion-3', 'failed', 12));
    expect((await importRelease(third.snapshots, verified, [trusted])).stages).toEqual([]);
    expect(await standingOf(third, 'staging')).toEqual([]);
    const withHistory = await importRelease(third.snapshots, verified, [trusted], { history: true });
    expect(withHistory).toMatchObject({ wasThere: true, stages: ['staging'] });
    const before = await third.keys();
    await importRelease(third.snapshots, verified, [trusted], { history: true });
    expect(await third.keys()).toEqual(before);
    expect(await standingOf(third, 'dev')).toMatchObject([{ release: release.id }]);
    expect(await standingOf(third, 'staging')).toMatchObject([
      { sha256: release.sha256, verifiedAt: Date.parse('2026-11-23T10:00:00Z') },
    ]);
    expect(await standingOf(third, 'production')).toMatchObject([{ entry: { runId: 'promotion-3' } }]);
    // It stands at the other site, and keeps nothing here.
    expect([...(await third.snapshots.releases.promotions.inUse()).values()]).toEqual([
      'transport/production',
    ]);
  });

  it('is a tar archive like any other: what it is, and a folder for each group', () => {
    expect(execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n')).toEqual([
      ...['archive.json', '1/rows.json', '1/package-1.epk', '1/package-2.epk'],
      ...['2/rows.json', '2/items/map/thumbnail'],
      ...['2/items/c1/item.json', '2/items/c1/data', '2/items/c1/files/0'],
      ...['2/package-1.epk', '2/contents-1.br', 'signature.json'],
    ]);
  });

  it('that is imported twice is there once, and a snapshot that was there stays as it is', async () => {
    const there = elsewhere();
    const one = at('apps.snapshot');
    await exportSnapshot(here.snapshots, 'apps-1', one, key);
    const { manifest: apps } = await importSnapshot(there.snapshots, one, [trusted]);
    const first = await importRelease(there.snapshots, file, [trusted]);
    expect(await there.snapshots.read('apps-1')).toEqual(apps);
    const before = await there.keys();
    expect(await importRelease(there.snapshots, file, [trusted])).toEqual({ ...first, wasThere: true });
    expect(await there.keys()).toEqual(before);
    expect((await importRelease(here.snapshots, file, [trusted])).wasThere).toBe(true);
  });

  it('is refused with one byte flipped, wherever it is, and leaves nothing behind', async () => {
    const there = elsewhere();
    const bytes = readFileSync(file);
    const flipped = at('flipped');
    for (let index = 0; index < bytes.length; index += index > bytes.length - 2_048 ? 23 : 97) {
      const other = Buffer.from(bytes);
      other.writeUInt8(other.readUInt8(index) ^ (index % 2 === 0 ? 1 : 0x20), index);
      writeFileSync(flipped, other);
      await expect(importRelease(there.snapshots, flipped, [trusted])).rejects.toMatchObject({
        code: expect.stringMatching(/^FILE_(ALTERED|UNTRUSTED)$/),
      });
    }
    expect(await there.keys()).toEqual([]);
  });

  it('is refused in a sentence where it is unsigned, cut, of another key, or no release', async () => {
    const there = elsewhere();
    const unsigned = at('unsigned');
    writeFileSync(unsigned, readFileSync(file));
    truncateSync(unsigned, readFileSync(file).length - 2_048);
    const snapshot = at('roads.snapshot');
    await exportSnapshot(here.snapshots, 'roads-2', snapshot, key);
    const cases: readonly [string, KeyObject, string][] = [
      [
        unsigned,
        trusted,
        `[FILE_ALTERED] ${unsigned} does not end like a file that Portolan exports: it is something else, was cut off or was modified`,
      ],
      [file, strange, `[FILE_UNTRUSTED] ${file} says it was signed with key `],
      [snapshot, trusted, `[USAGE] ${snapshot} contains a snapshot, not a release`],
    ];
    for (const [other, by, says] of cases)
      await expect(importRelease(there.snapshots, other, [by])).rejects.toThrow(says);
    expect(await there.keys()).toEqual([]);
    await expect(importSnapshot(there.snapshots, file, [trusted])).rejects.toThrow(
      `[USAGE] ${file} contains a release, not a snapshot`,
    );
  });

  it('that a trusted key has signed and that does not hold what it names is refused, and leaves nothing behind [P22]', async () => {
    const there = elsewhere();
    const spoilt: Readonly<Record<string, (name: string, text: string) => string>> = {
      'another sha256': (name, text) =>
        name === 'archive.json' ? text.replace(release.sha256, 'f'.repeat(64)) : text,
      'an id that leads elsewhere': (name, text) =>
        name === 'archive.json' ? text.replace(`"id":"${release.id}"`, '"id":"../../x"') : text,
      'a history of another pipeline': (name, text) =>
        name === 'archive.json'
          ? text.replace(
              '"history":[]',
              `"history":[${JSON.stringify({
                pipeline: '../x',
                stage: 'staging',
                runId: 'r',
                kind: 'promoted',
                status: 'verified',
                release: release.id,
                sha256: release.sha256,
                who: 'a@b',
                groups: [],
                at: '2026-11-23T10:00:00.000Z',
              })}]`,
            )
          : text,
      'other settings': (name, text) =>
        name === 'archive.json' ? text.replace('"tokenExpiration":60', '"tokenExpiration":90') : text,
      'another snapshot in its last group': (name, text) =>
        name === 'archive.json' ? text.replace('"id":"apps-1"', '"id":"apps-9"') : text,
      'other rows in its last group': (name, text) =>
        name === '2/rows.json' ? text.replace('Map map', 'Map q') : text,
    };
    for (const [what, change] of Object.entries(spoilt))
      await expect(importRelease(there.snapshots, await forged(what, change), [trusted])).rejects.toThrow(
        'FILE_ALTERED',
      );
    expect(await there.keys()).toEqual([]);
  });

  it.each(['x', '2/more', 'signature.json'])(
    'that has an entry %s that its head does not name is refused, even where the release is already',
    async (name) => {
      const more = await forged(`with ${name.replace('/', ' ')}`, (_, text) => text, [textEntry(name, '{}')]);
      const there = elsewhere();
      await expect(importRelease(there.snapshots, more, [trusted])).rejects.toThrow(
        `[FILE_ALTERED] ${more} is not a valid Portolan file: ${name}`,
      );
      expect(await there.keys()).toEqual([]);
      await importRelease(there.snapshots, file, [trusted]);
      await expect(importRelease(there.snapshots, more, [trusted])).rejects.toThrow('FILE_ALTERED');
    },
  );

  it('is no snapshot, and neither are two, none, or one twice', async () => {
    const there = elsewhere();
    const { snapshots } = JSON.parse(textOf('archive.json')) as ArchiveHead;
    const heads = { two: snapshots, none: [], twice: [snapshots[0]!, snapshots[0]!] };
    for (const [as, given] of Object.entries(heads)) {
      const made = await forged(as, (name, text) =>
        name === 'archive.json' ? JSON.stringify({ snapshots: given }) : text,
      );
      await expect(importSnapshot(there.snapshots, made, [trusted])).rejects.toThrow('FILE_ALTERED');
    }
    expect(await there.keys()).toEqual([]);
  });

  it('says what is wrong with it even if what was written of it cannot be removed', async () => {
    const there = elsewhere();
    const made = await forged('other data', (name, text) =>
      name === '2/items/c1/data' ? text.replace('a', 'b') : text,
    );
    const { writeJson } = there.store;
    Object.assign(there.store, {
      writeJson: async (...args: Parameters<typeof writeJson>) => {
        if (args[0].endsWith(FORGOTTEN)) throw new Error('the store is full');
        await writeJson.apply(there.store, args);
      },
    });
    await expect(importRelease(there.snapshots, made, [trusted])).rejects.toThrow('FILE_ALTERED');
  });

  it('is refused where the store holds another one of that id', async () => {
    const there = elsewhere();
    await released(there, { roads: await there.take({ id: 'own' }) }, 'release-b');
    const before = await there.keys();
    await expect(importRelease(there.snapshots, file, [trusted])).rejects.toThrow(
      `the store already has a different release ${release.id} than`,
    );
    expect(await there.keys()).toEqual(before);
  });

  it('whose import is killed before any step is not listed, and can be imported', async () => {
    for (let step = 0; ; step += 1) {
      const there = elsewhere();
      const killed = await importRelease(there.dyingAt(step), file, [trusted]).then(
        () => false,
        (thrown: Error) => thrown.message.includes('killed'),
      );
      if (!killed) break;
      const { readable, unreadable } = await there.snapshots.releases.list();
      expect([readable, unreadable]).toEqual([[], []]);
      const again = await importRelease(there.snapshots, file, [trusted]);
      expect(again.manifest.sha256).toBe(release.sha256);
      for (const { snapshotId } of release.groups)
        expect((await verifySnapshot(there.snapshots, snapshotId)).problems).toEqual([]);
      expect((await listSnapshots(there.snapshots)).readable).toHaveLength(2);
      expect(step).toBeLessThan(200);
    }
  });

  it('is not written where something of it is not what it was', async () => {
    const one = new AStore();
    const made = await released(one, { roads: await one.take({ id: 'a' }) });
    const to = at('not written');
    const packaged = (await one.snapshots.read('a')).package?.key ?? '';
    for (const broken of [keys.snapshotManifest('a'), keys.releaseManifest(made.id), packaged]) {
      one.flip(broken, 9);
      await expect(exportRelease(one.snapshots, made.id, to, key)).rejects.toThrow(
        /^\[(SNAPSHOT_ALTERED|RELEASE_ALTERED|STORE_BROKEN)\]/,
      );
      one.flip(broken, 9);
    }
    expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
  });
});
