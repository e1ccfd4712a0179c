import { execFileSync } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ArchiveHead, readTarHeader, tarHeader } from '../../../src/domain/archive/archive-format';
import {
  type ArchiveEntry,
  exportRelease,
  exportSnapshot,
  textEntry,
  writeArchive,
} from '../../../src/domain/archive/export-archive';
import { importRelease, importSnapshot } from '../../../src/domain/archive/import-archive';
import { makeKeyPair, readSigningKey, readTrustedKey } from '../../../src/domain/archive/signing-keys';
import { contentOfRelease, contentOfSnapshot } from '../../../src/domain/release/releases';
import { listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { forget, planByIds } from '../../../src/domain/snapshot/retention/forget';
import type { ReleaseManifest } from '../../../src/model/release/release';
import { FORGOTTEN, keys, snapshotKeys } from '../../../src/store/keys';
import { aFolder } from '../../support/folder';
import { aRow, AStore } from '../snapshot/a-store';

const folder = aFolder();
const at = (name: string): string => path.join(folder, name);
const here = new AStore();
let elsewheres = 0;
/** A store that shares nothing with the others, its key neither. */
const elsewhere = (): AStore => new AStore(`the key of another store, ${(elsewheres += 1)}, long enough`);

const safeguard = 'sync-transport-20261119T030000Z-aaaa-safeguard-1';
const xy = ['x', 'y'].map((itemId) => aRow(itemId));
let release: ReleaseManifest;
let key: KeyObject;
let trusted: KeyObject;
let strange: KeyObject;

const settings = { portalConfigProperties: { tokenExpiration: 60 } };
const categories = { categorySchema: [{ title: 'Categories', categories: [{ title: 'Roads' }] }] };

const whole = {
  reason: 'winter closures',
  settings: { content: settings, count: 1 },
  categories: { content: categories, count: 1 },
};

/** A full snapshot, and one that builds on it. */
async function chainIn(one: AStore, [first, second] = ['full', 'next'] as [string, string]) {
  const full = await one.take({ id: first, bytes: 'f'.repeat(600) }, xy);
  return {
    full,
    next: await one.takeSince(second, full, { rows: xy, changed: ['y'], bytes: 'y anew' }),
  };
}

type Snapshotted = Pick<AStore, 'snapshots'>;
const kinds = {
  snapshot: {
    file: at('transport.snapshot'),
    ids: [safeguard],
    files: [
      ...['1/rows.json', '1/items/map/thumbnail'],
      ...['c1', 'c2'].flatMap((id) =>
        ['item.json', 'data', 'files/0'].map((name) => `1/items/${id}/${name}`),
      ),
      ...['1/package-1.epk', '1/contents-1.br'],
    ],
    exportTo: (one: AStore, to: string) => exportSnapshot(one.snapshots, safeguard, to, key),
    importInto: (one: Snapshotted, file: string, by = [trusted]) => importSnapshot(one.snapshots, file, by),
    /** Puts another one of the same ID into a store. */
    other: (one: AStore): Promise<unknown> => one.take({ id: safeguard }),
  },
  release: {
    file: at('transport.release'),
    ids: ['roads-2', 'apps-1'],
    files: [
      ...['1/rows.json', '1/package-1.epk', '1/package-2.epk', '2/rows.json', '2/items/map/thumbnail'],
      ...['2/items/c1/item.json', '2/items/c1/data', '2/items/c1/files/0'],
      ...['2/package-1.epk', '2/contents-1.br'],
    ],
    exportTo: (one: AStore, to: string) => exportRelease(one.snapshots, release.id, to, key),
    importInto: (one: Snapshotted, file: string, by = [trusted]) => importRelease(one.snapshots, file, by),
    other: async (one: AStore): Promise<unknown> =>
      one.release({ roads: await one.take({ id: 'own' }) }, { runId: 'release-b' }),
  },
};
type Kind = (typeof kinds)[keyof typeof kinds];
const { snapshot: aSnapshot, release: aRelease } = kinds;

beforeAll(async () => {
  const { publicFile } = await makeKeyPair(at('key'));
  key = await readSigningKey(at('key'));
  trusted = await readTrustedKey(publicFile);
  strange = await readTrustedKey((await makeKeyPair(at('strange'))).publicFile);
  const { next: roads } = await chainIn(here, ['roads-1', 'roads-2']);
  const apps = await here.take({ id: 'apps-1', bytes: 'p'.repeat(700) }, [
    await here.documented('apps-1', 'map'),
    await here.copy('apps-1', 'c1', 'a,b,c'),
  ]);
  await here.take({ id: safeguard, kind: 'safeguard', bytes: 'p'.repeat(1_500) }, [
    aRow('p'),
    await here.documented(safeguard, 'map'),
    await here.copy(safeguard, 'c1', 'a,b,c'),
    await here.copy(safeguard, 'c2', ''),
  ]);
  release = await here.release({ roads, apps }, whole);
  for (const kind of [aSnapshot, aRelease]) await kind.exportTo(here, kind.file);
});

const entriesOf = (file: string): string[] =>
  execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n');
const known = new Map<string, Buffer>();
/** Of a file that stays as it is. */
const bytesOf = (name: string, file = aRelease.file): Buffer => {
  const bytes = known.get(file + name) ?? execFileSync('tar', ['-xOf', file, name]);
  known.set(file + name, bytes);
  return bytes;
};
const textOf = (...given: Parameters<typeof bytesOf>): string => bytesOf(...given).toString();

/** Writes the file of the release with an entry changed and others added, signed with the trusted key. */
async function forged(
  as: string,
  [name, change]: [string, (text: string) => string] = ['', String],
  more: ArchiveEntry[] = [],
): Promise<string> {
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    for (const each of entriesOf(aRelease.file).filter(
      (entry) => !/^(archive|signature)\.json$/.test(entry),
    )) {
      const bytes = each === name ? Buffer.from(change(textOf(each))) : bytesOf(each);
      yield { name: each, sizeBytes: bytes.length, bytes: Readable.from([bytes]) };
    }
    yield* more;
  }
  const head = textOf('archive.json');
  await writeArchive(
    at(as),
    JSON.parse(name === 'archive.json' ? change(head) : head) as ArchiveHead,
    entries(),
    key,
  );
  return at(as);
}

/** Requires that a store takes nothing of a file. */
async function refused(kind: Kind, file: string, why: string | RegExp = 'FILE_ALTERED', by?: KeyObject) {
  const there = elsewhere();
  await expect(kind.importInto(there, file, by && [by])).rejects.toThrow(why);
  expect(await there.keys()).toEqual([]);
}

describe.each(Object.entries(kinds))('the file of a %s', (name, kind) => {
  it('is a tar archive that only its user can read', () => {
    expect(entriesOf(kind.file)).toEqual(['archive.json', ...kind.files, 'signature.json']);
    for (const file of [kind.file, at('key')]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is imported once, also if it comes twice, and also where it comes from', async () => {
    const there = elsewhere();
    const first = await kind.importInto(there, kind.file, [strange, trusted]);
    expect(first).toMatchObject({
      wasThere: false,
      manifest: { imported: { at: expect.any(String), keySha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    await there.requireIntact(...kind.ids);
    const before = await there.keys();
    expect(await kind.importInto(there, kind.file)).toEqual({ ...first, wasThere: true });
    expect(await there.keys()).toEqual(before);
    expect((await kind.importInto(here, kind.file)).wasThere).toBe(true);
  });

  it('is refused with one byte flipped anywhere, and leaves nothing behind [P22]', async () => {
    const there = elsewhere();
    const bytes = readFileSync(kind.file);
    let tried = 0;
    for (let index = 0; index < bytes.length; index += index > bytes.length - 2_048 ? 17 : 89) {
      const other = Buffer.from(bytes);
      other.writeUInt8(other.readUInt8(index) ^ (tried % 2 === 0 ? 1 : 0x20), index);
      writeFileSync(at('flipped'), other);
      await expect(kind.importInto(there, at('flipped'))).rejects.toMatchObject({
        code: expect.stringMatching(/^FILE_(ALTERED|UNTRUSTED)$/),
      });
      tried += 1;
    }
    expect(tried).toBeGreaterThan(150);
    expect(await there.keys()).toEqual([]);
  });

  it('is refused if it was cut or extended, or is of another key or kind', async () => {
    const cut = at('cut');
    const { size } = statSync(kind.file);
    for (const length of [0, 100, 2_048, size - 2_048, size - 1, size + 512]) {
      copyFileSync(kind.file, cut);
      truncateSync(cut, length);
      await refused(kind, cut, `[FILE_ALTERED] ${cut} `);
    }
    const foreign =
      /^\[FILE_UNTRUSTED\] .* says it was signed with key [0-9a-f]{16}, which is not a trusted key: [0-9a-f]{16}$/;
    await refused(kind, kind.file, foreign, strange);
    const other = name === 'release' ? 'snapshot' : 'release';
    const { file } = kinds[other];
    await refused(kind, file, `[USAGE] ${file} contains a ${other}, not a ${name}`);
  });

  it('is refused if the store has another one with that ID', async () => {
    const there = elsewhere();
    await kind.other(there);
    const before = await there.keys();
    await expect(kind.importInto(there, kind.file)).rejects.toThrow(
      `the store already has a different ${name} ${name === 'release' ? release.id : safeguard} than`,
    );
    expect(await there.keys()).toEqual(before);
  });

  it('shows nothing half when its import is killed, and can be imported again', async () => {
    for (let step = 0; ; step += 1) {
      const there = elsewhere();
      const isKilled = await kind.importInto({ snapshots: there.dyingAt(step) }, kind.file).then(
        () => false,
        (thrown: Error) => thrown.message.includes('killed'),
      );
      if (!isKilled) {
        expect(step).toBeGreaterThan(5);
        break;
      }
      expect(await there.snapshots.releases.list()).toEqual({ readable: [], unreadable: [] });
      const { readable } = await listSnapshots(there.snapshots);
      await there.requireIntact(...readable.map(({ manifest }) => manifest.id));
      await kind.importInto(there, kind.file);
      await there.requireIntact(...kind.ids);
      expect((await listSnapshots(there.snapshots)).readable).toHaveLength(kind.ids.length);
      expect(step).toBeLessThan(200);
    }
  });

  it('is not written if the store altered, nor over a file', async () => {
    const one = new AStore();
    const taken = await one.take({ id: safeguard }, [aRow('p'), await one.copy(safeguard, 'c', 'data')]);
    await one.release({ roads: taken });
    for (const broken of [
      taken.package?.key ?? '',
      keys.snapshotManifest(safeguard),
      snapshotKeys.copiedRecord(safeguard, 'c'),
      snapshotKeys.copiedData(safeguard, 'c'),
      ...(name === 'release' ? [keys.releaseManifest(release.id)] : []),
    ]) {
      const place = 8 % statSync(one.fileOf(broken)).size;
      one.flip(broken, place);
      await expect(kind.exportTo(one, at('unwritten'))).rejects.toThrow(
        /^\[(SNAPSHOT_ALTERED|RELEASE_ALTERED|STORE_BROKEN)\]/,
      );
      one.flip(broken, place);
    }
    expect([existsSync(at('unwritten')), existsSync(at('unwritten.part'))]).toEqual([false, false]);
    await expect(kind.exportTo(one, kind.file)).rejects.toThrow('already exists');
  });
});

describe('an imported snapshot', () => {
  it('is the original with its rows, copies, JSON and thumbnails', async () => {
    const there = elsewhere();
    const { manifest } = await aSnapshot.importInto(there, aSnapshot.file);
    const original = await here.snapshots.read(safeguard);
    const { createdAt, imported } = manifest;
    expect(manifest).toEqual({ ...original, createdAt, imported });
    expect(await there.snapshots.rowsOf(manifest)).toEqual(await here.snapshots.rowsOf(original));
    expect(await there.keys()).toEqual(await here.keys(keys.snapshot(safeguard)));
    expect(readFileSync(there.fileOf(snapshotKeys.copiedData(safeguard, 'c1')), 'utf8')).toBe('a,b,c');
    expect(textOf('1/package-1.epk', aSnapshot.file)).toBe('p'.repeat(1_500));
  });

  it('shares intact packages, and can be imported again once forgotten [P09]', async () => {
    const one = new AStore();
    const { full } = await chainIn(one);
    const [first, second] = [at('shared-full'), at('shared-next')];
    await exportSnapshot(one.snapshots, 'full', first, key);
    await exportSnapshot(one.snapshots, 'next', second, key);
    const there = elsewhere();
    await aSnapshot.importInto(there, first);
    expect((await aSnapshot.importInto(there, second)).manifest.more).toEqual([full.package]);
    await there.forget(['full']);
    const packages = ['full', 'next'].map((each) => keys.snapshotPackage(each, 0));
    expect(await there.packages()).toEqual(packages);
    // Also if someone who saw it forgotten forgets others only now.
    const listing = await listSnapshots(there.snapshots);
    await aSnapshot.importInto(there, first);
    await forget(there.snapshots, { going: [], listing }, { openRuns: new Set() });
    await there.requireIntact('full');
    await there.forget(['full']);
    for (const steps of [0, 1, 2, 3, 4]) {
      await expect(importSnapshot(there.dyingAt(steps), first, [trusted])).rejects.toThrow('killed');
      await there.forget([]);
      await there.requireIntact('next');
    }
    await aSnapshot.importInto(there, first);
    await there.forget([]);
    await there.requireIntact('full', 'next');
    expect(await there.packages()).toEqual(packages);
    const others = elsewhere();
    await aSnapshot.importInto(others, first);
    others.flip(packages[0]!);
    const alone = await aSnapshot.importInto(others, second);
    expect(alone.manifest.more?.[0]?.key).toBe(keys.snapshotPackage('next', 1));
    await others.requireIntact('next');
  });

  it('is refused from a pipe, folder or device, without waiting', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    for (const other of [at('pipe'), folder, '/dev/null'])
      await expect(aSnapshot.importInto(elsewhere(), other)).rejects.toMatchObject({
        code: 'USAGE',
        plainMessage: `${other} is not a file but a folder, pipe or device; an import reads it twice`,
        hint: 'Name the exported file.',
      });
    await refused(aSnapshot, at('absent'), '(ENOENT)');
  });

  it('is refused if its file changes after the signature was verified', async () => {
    const there = elsewhere();
    const changing = at('changing');
    copyFileSync(aSnapshot.file, changing);
    there.beforeWriting(() => {
      const text = readFileSync(changing).toString('latin1');
      writeFileSync(changing, Buffer.from(text.replaceAll('ppp', 'pqp'), 'latin1'));
    });
    await expect(aSnapshot.importInto(there, changing)).rejects.toThrow('FILE_ALTERED');
    expect(await there.keys()).toEqual([]);
  });

  it('is refused with an item ID that no portal gives', async () => {
    const one = new AStore();
    await one.take({ id: 'odd' }, [await one.documented('odd', 'a.b')]);
    await exportSnapshot(one.snapshots, 'odd', at('odd'), key);
    await refused(aSnapshot, at('odd'));
  });

  it('replaces an altered one only once that was forgotten', async () => {
    const there = elsewhere();
    await aSnapshot.importInto(there, aSnapshot.file);
    there.flip(keys.snapshotManifest(safeguard), 60);
    await expect(aSnapshot.importInto(there, aSnapshot.file)).rejects.toThrow('SNAPSHOT_ALTERED');
    await there.store.remove(keys.snapshotManifest(safeguard));
    await aSnapshot.importInto(there, aSnapshot.file);
    expect((await listSnapshots(there.snapshots)).readable).toHaveLength(1);
  });
});

describe('an imported release', () => {
  it('is the same after two sites, and leaves a snapshot that was there [P11]', async () => {
    const [second, third] = [elsewhere(), elsewhere()];
    await exportSnapshot(here.snapshots, 'apps-1', at('apps'), key);
    const { manifest: apps } = await importSnapshot(second.snapshots, at('apps'), [trusted]);
    await aRelease.importInto(second, aRelease.file);
    expect(await second.snapshots.read('apps-1')).toEqual(apps);
    await makeKeyPair(at('second'));
    await exportRelease(second.snapshots, release.id, at('onwards'), await readSigningKey(at('second')));
    await aRelease.importInto(third, at('onwards'), [await readTrustedKey(at('second.pub'))]);
    for (const { snapshots } of [second, third]) {
      const { manifest } = await snapshots.releases.read(release.id);
      expect(manifest).toEqual({ ...release, imported: manifest.imported });
      for (const { snapshotId, sha256 } of manifest.groups) {
        expect(contentOfSnapshot(await snapshots.read(snapshotId))).toBe(sha256);
        await expect(planByIds(snapshots, [snapshotId], {})).rejects.toThrow(release.id);
      }
    }
    expect(await third.keys()).toEqual(await second.keys());
  });

  const entry = (stage: string, runId: string, status: 'verified' | 'failed', hour = 10) => ({
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

  it('brings its history on request, for stages without one [P11]', async () => {
    const stages = ['dev', 'staging', 'production'].map((name) => ({ name }));
    const [second, third] = [elsewhere(), elsewhere()];
    await aRelease.importInto(second, aRelease.file);
    await second.snapshots.releases.promotions.add(entry('staging', 'promotion-1', 'verified'));
    await second.snapshots.releases.promotions.add(entry('production', 'promotion-2', 'failed', 11));
    await aRelease.exportTo(second, at('verified'));

    const { promotions } = third.snapshots.releases;
    await promotions.add(entry('production', 'promotion-3', 'failed', 12));
    const arrives = (history?: boolean) =>
      importRelease(third.snapshots, at('verified'), [trusted], { history });
    expect((await arrives()).stages).toEqual([]);
    const standings = () => promotions.standings({ name: 'transport', stages });
    expect((await standings()).get('staging')).toEqual([]);
    expect(await arrives(true)).toMatchObject({ wasThere: true, stages: ['staging'] });
    const before = await third.keys();
    await arrives(true);
    expect(await third.keys()).toEqual(before);
    expect([...(await standings())]).toMatchObject([
      ['dev', [{ release: release.id }]],
      ['staging', [{ sha256: release.sha256, verifiedAt: Date.parse('2026-11-23T10:00:00Z') }]],
      ['production', [{ entry: { runId: 'promotion-3' } }]],
    ]);
    // It stands at the other site, and keeps nothing here.
    expect([...(await promotions.inUse()).values()]).toEqual(['transport/production']);
  });

  it('comes from a file that a trusted key signed anew', async () => {
    expect((await aRelease.importInto(elsewhere(), await forged('signed anew'))).wasThere).toBe(false);
  });

  const otherHistory = () => [{ ...entry('staging', 'r', 'verified'), pipeline: 'water' }];
  /** The release, whose snapshots are said to have another content. */
  const ofOthers = (): ReleaseManifest => {
    const groups = release.groups.map((group) => ({ ...group, sha256: 'f'.repeat(64) }));
    return { ...release, groups, sha256: contentOfRelease({ ...release, groups }) };
  };
  it.each<[title: string, edit: (text: string) => string, name?: string]>([
    ['another sha256', (head) => head.replace(release.sha256, 'f'.repeat(64))],
    ['an ID that leads elsewhere', (head) => head.replace(`"id":"${release.id}"`, '"id":"../../x"')],
    [
      'a history of another pipeline',
      (head) => head.replace('"history":[]', `"history":${JSON.stringify(otherHistory())}`),
    ],
    ['other settings', (head) => head.replace('"tokenExpiration":60', '"tokenExpiration":90')],
    ['other snapshots', (head) => JSON.stringify({ ...JSON.parse(head), release: ofOthers() })],
    ['another snapshot in its last group', (head) => head.replace('"id":"apps-1"', '"id":"apps-9"')],
    ['other rows in its last group', (rows) => rows.replace('Map map', 'Map q'), '2/rows.json'],
  ])(
    'is refused with %s, although a trusted key signed it [P22]',
    async (what, edit, name = 'archive.json') => {
      expect(edit(textOf(name))).not.toBe(textOf(name));
      await refused(aRelease, await forged(what, [name, edit]));
    },
  );

  it.each(['x', '2/more', 'signature.json'])(
    'is refused with an unnamed entry %s, even again',
    async (name) => {
      const more = await forged(`with ${name.replace('/', ' ')}`, undefined, [textEntry(name, '{}')]);
      await refused(aRelease, more, `[FILE_ALTERED] ${more} is not a valid Portolan file: ${name}`);
      const there = elsewhere();
      await aRelease.importInto(there, aRelease.file);
      await expect(aRelease.importInto(there, more)).rejects.toThrow('FILE_ALTERED');
    },
  );

  it('is no snapshot, and neither are two, none, or one twice', async () => {
    const { snapshots } = JSON.parse(textOf('archive.json')) as ArchiveHead;
    const heads = { two: snapshots, none: [], twice: [snapshots[0]!, snapshots[0]!] };
    for (const [as, given] of Object.entries(heads))
      await refused(
        aSnapshot,
        await forged(as, ['archive.json', () => JSON.stringify({ snapshots: given })]),
      );
  });

  it('is refused for its fault even if nothing of it can be removed', async () => {
    const there = elsewhere();
    const made = await forged('other data', ['2/items/c1/data', (text) => text.replace('a', 'b')]);
    there.beforeWriting((name) => {
      if (name.endsWith(FORGOTTEN)) throw new Error('the store is full');
    });
    await expect(aRelease.importInto(there, made)).rejects.toThrow('FILE_ALTERED');
  });
});

describe('a key', () => {
  it('is an Ed25519 key in PEM format, and is not overwritten', async () => {
    writeFileSync(at('bad'), 'no key');
    for (const file of ['bad', 'key.pub'])
      await expect(readSigningKey(at(file))).rejects.toThrow(
        `${at(file)} contains no Ed25519 private key in PEM format`,
      );
    await expect(readTrustedKey(at('absent'))).rejects.toThrow('cannot be read (ENOENT)');
    await expect(makeKeyPair(at('key'))).rejects.toThrow('already exists');
  });

  it('can come from openssl', async () => {
    const made = at('openssl');
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', made]);
    execFileSync('openssl', ['pkey', '-in', made, '-pubout', '-out', `${made}.pub`]);
    await exportSnapshot(here.snapshots, safeguard, at('by openssl'), await readSigningKey(made));
    const by = [await readTrustedKey(`${made}.pub`)];
    expect((await aSnapshot.importInto(elsewhere(), at('by openssl'), by)).wasThere).toBe(false);
  });
});

it.each([0, 1, 511, 8 ** 11 - 1, 8 ** 11, 5 * 1024 ** 4])('a tar header tells a size of %d bytes', (size) => {
  expect(readTarHeader(tarHeader('a/b', size))).toEqual({ name: 'a/b', sizeBytes: size });
});
