import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyObject } from 'node:crypto';
import { exportSnapshot } from '../../../src/domain/archive/export-archive';
import { importSnapshot } from '../../../src/domain/archive/import-archive';
import { listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { snapshotKeys, keys } from '../../../src/store/keys';
import { makeKeyPair, readSigningKey, readTrustedKey } from '../../../src/domain/archive/signing-keys';
import { readTarHeader, tarHeader } from '../../../src/domain/archive/archive-format';
import { forget } from '../../../src/domain/snapshot/retention/forget';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import { aFolder, aRow, AStore, forgetIds } from '../snapshot/a-store';

const id = 'sync-transport-20261119T030000Z-aaaa-safeguard-1';
const folder = aFolder();
const file = path.join(folder, 'transport.snapshot');
const here = new AStore();
let key: KeyObject;
let trusted: KeyObject;
let strange: KeyObject;

beforeAll(async () => {
  const { publicFile } = await makeKeyPair(path.join(folder, 'key'));
  key = await readSigningKey(path.join(folder, 'key'));
  trusted = await readTrustedKey(publicFile);
  strange = await readTrustedKey((await makeKeyPair(path.join(folder, 'strange'))).publicFile);
  await here.take({ id, kind: 'safeguard', bytes: 'p'.repeat(1_500) }, [
    aRow('p'),
    await here.documented(id, 'map'),
    await here.copy(id, 'c1', 'a,b,c'),
    await here.copy(id, 'c2', ''),
  ]);
  await exportSnapshot(here.snapshots, id, file, key);
});

const elsewhere = (): AStore => new AStore('the key of another store, long enough');

describe('a snapshot in a file', () => {
  it('is imported into a store with another key: packages, copies, items’ JSON and thumbnails', async () => {
    const there = elsewhere();
    const { manifest, wasThere } = await importSnapshot(there.snapshots, file, [strange, trusted]);
    const original = await here.snapshots.read(id);
    expect(wasThere).toBe(false);
    expect(manifest).toEqual({
      ...original,
      createdAt: manifest.createdAt,
      imported: { at: expect.any(String), keySha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(await there.snapshots.rowsOf(manifest)).toEqual(await here.snapshots.rowsOf(original));
    expect(await verifySnapshot(there.snapshots, id)).toMatchObject({ files: 11, problems: [] });
    expect(await there.keys()).toEqual(await here.keys());
    expect(readFileSync(there.fileOf(snapshotKeys.copiedData(id, 'c1')), 'utf8')).toBe('a,b,c');
  });

  it('holds all packages of one that builds on another, byte by byte', async () => {
    const one = new AStore();
    const rows = ['x', 'y'].map((itemId) => aRow(itemId));
    const full = await one.take({ id: 'full', bytes: 'f'.repeat(600) }, rows);
    const next = await one.takeSince('next', full, { rows, changed: ['y'], bytes: 'y anew' });
    const chain = path.join(folder, 'chain.snapshot');
    await exportSnapshot(one.snapshots, 'next', chain, key);
    expect(execFileSync('tar', ['-tf', chain], { encoding: 'utf8' }).trim().split('\n')).toEqual([
      ...['archive.json', '1/rows.json', '1/package-1.epk', '1/package-2.epk', 'signature.json'],
    ]);
    const there = elsewhere();
    const { manifest } = await importSnapshot(there.snapshots, chain, [trusted]);
    expect(manifest).toEqual({
      ...next,
      more: [{ ...next.more![0], key: keys.snapshotPackage('next', 1) }],
      createdAt: manifest.createdAt,
      imported: { at: expect.any(String), keySha256: expect.any(String) },
    });
    expect(await there.snapshots.rowsOf(manifest)).toEqual(await one.snapshots.rowsOf(next));
    expect(await verifySnapshot(there.snapshots, 'next')).toMatchObject({ bytes: 606, problems: [] });
    expect((await importSnapshot(one.snapshots, chain, [trusted])).wasThere).toBe(true);
  });

  it('shares packages with those that came before, and can come again once it was forgotten [P09]', async () => {
    const one = new AStore();
    const rows = ['x', 'y'].map((itemId) => aRow(itemId));
    const full = await one.take({ id: 'full', bytes: 'f'.repeat(600) }, rows);
    await one.takeSince('next', full, { rows, changed: ['y'], bytes: 'y anew' });
    const [first, second] = ['full', 'next'].map((name) => path.join(folder, `shared-${name}.snapshot`));
    await exportSnapshot(one.snapshots, 'full', first!, key);
    await exportSnapshot(one.snapshots, 'next', second!, key);
    const there = elsewhere();
    await importSnapshot(there.snapshots, first!, [trusted]);
    const { manifest } = await importSnapshot(there.snapshots, second!, [trusted]);
    expect(manifest.more).toEqual([full.package]);
    await forgetIds(there.snapshots, ['full'], { openRuns: new Set() });
    const packages = ['full', 'next'].map((each) => keys.snapshotPackage(each, 0));
    expect(await there.packages()).toEqual(packages);
    // Also if someone who saw it forgotten forgets others only now.
    const listing = await listSnapshots(there.snapshots);
    await importSnapshot(there.snapshots, first!, [trusted]);
    await forget(there.snapshots, { going: [], listing }, { openRuns: new Set() });
    expect(await verifySnapshot(there.snapshots, 'full')).toMatchObject({ problems: [] });
    await forgetIds(there.snapshots, ['full'], { openRuns: new Set() });
    for (const steps of [0, 1, 2, 3, 4]) {
      await expect(importSnapshot(there.dyingAt(steps), first!, [trusted])).rejects.toThrow('killed');
      await forgetIds(there.snapshots, [], { openRuns: new Set() });
      expect(await verifySnapshot(there.snapshots, 'next')).toMatchObject({ problems: [] });
    }
    await importSnapshot(there.snapshots, first!, [trusted]);
    await forgetIds(there.snapshots, [], { openRuns: new Set() });
    for (const each of ['full', 'next'])
      expect(await verifySnapshot(there.snapshots, each)).toMatchObject({ problems: [] });
    expect(await there.packages()).toEqual(packages);
    // Damaged packages are not shared.
    const others = elsewhere();
    await importSnapshot(others.snapshots, first!, [trusted]);
    others.flip(packages[0]!);
    const alone = await importSnapshot(others.snapshots, second!, [trusted]);
    expect(alone.manifest.more?.[0]?.key).toBe(keys.snapshotPackage('next', 1));
    expect(await verifySnapshot(others.snapshots, 'next')).toMatchObject({ problems: [] });
  });

  it('that is a pipe, a folder or a device is refused in a sentence, and nobody is waited for', async () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const other of [pipe, folder, '/dev/null'])
      await expect(importSnapshot(elsewhere().snapshots, other, [trusted])).rejects.toMatchObject({
        code: 'USAGE',
        plainMessage: `${other} is not a file but a folder, pipe or device; an import reads it twice`,
        hint: 'Name the exported file.',
      });
    await expect(importSnapshot(elsewhere().snapshots, `${file}x`, [trusted])).rejects.toThrow('(ENOENT)');
  });

  it('that is imported twice is there once', async () => {
    const there = elsewhere();
    const first = await importSnapshot(there.snapshots, file, [trusted]);
    const before = await there.keys();
    const again = await importSnapshot(there.snapshots, file, [trusted]);
    expect(again).toEqual({ ...first, wasThere: true });
    expect(await there.keys()).toEqual(before);
    expect((await importSnapshot(here.snapshots, file, [trusted])).wasThere).toBe(true);
  });

  it('is a tar archive like any other, not readable for others on the machine', () => {
    expect(execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n')).toEqual([
      'archive.json',
      '1/rows.json',
      '1/items/map/thumbnail',
      '1/items/c1/item.json',
      '1/items/c1/data',
      '1/items/c1/files/0',
      '1/items/c2/item.json',
      '1/items/c2/data',
      '1/items/c2/files/0',
      '1/package-1.epk',
      '1/contents-1.br',
      'signature.json',
    ]);
    expect(execFileSync('tar', ['-xOf', file, '1/package-1.epk'], { encoding: 'utf8' })).toBe(
      'p'.repeat(1_500),
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(folder, 'key')).mode & 0o777).toBe(0o600);
  });

  it('is refused with one byte flipped, wherever it is, and leaves nothing behind [P22]', async () => {
    const there = elsewhere();
    const bytes = readFileSync(file);
    const flipped = path.join(folder, 'flipped');
    let tried = 0;
    for (let at = 0; at < bytes.length; at += at > bytes.length - 2_048 ? 9 : 41) {
      const other = Buffer.from(bytes);
      other.writeUInt8(other.readUInt8(at) ^ (tried % 2 === 0 ? 1 : 0x20), at);
      writeFileSync(flipped, other);
      await expect(importSnapshot(there.snapshots, flipped, [trusted])).rejects.toMatchObject({
        code: expect.stringMatching(/^FILE_(ALTERED|UNTRUSTED)$/),
      });
      tried += 1;
    }
    expect(tried).toBeGreaterThan(300);
    expect(await there.keys()).toEqual([]);
  });

  it('is refused if it changes after its signature was verified, and leaves nothing behind', async () => {
    const there = elsewhere();
    const changing = path.join(folder, 'changing');
    copyFileSync(file, changing);
    const { writeJson } = there.store;
    Object.assign(there.store, {
      writeJson: async (...args: Parameters<typeof writeJson>) => {
        const bytes = readFileSync(changing);
        writeFileSync(changing, Buffer.from(bytes.toString('latin1').replaceAll('ppp', 'pqp'), 'latin1'));
        await writeJson.apply(there.store, args);
      },
    });
    await expect(importSnapshot(there.snapshots, changing, [trusted])).rejects.toThrow('FILE_ALTERED');
    expect(await there.keys()).toEqual([]);
  });

  it('is refused where it was cut or has bytes more', async () => {
    const there = elsewhere();
    const other = path.join(folder, 'other');
    for (const size of [0, 100, 2_048, statSync(file).size - 1, statSync(file).size + 512]) {
      copyFileSync(file, other);
      truncateSync(other, size);
      await expect(importSnapshot(there.snapshots, other, [trusted])).rejects.toThrow('FILE_ALTERED');
    }
    expect(await there.keys()).toEqual([]);
  });

  it('is refused where another key has signed it', async () => {
    await expect(importSnapshot(elsewhere().snapshots, file, [strange])).rejects.toThrow(
      /^\[FILE_UNTRUSTED\] .* says it was signed with key [0-9a-f]{16}, which is not a trusted key: [0-9a-f]{16}$/,
    );
  });

  it('is refused where the store holds another one of that id', async () => {
    const there = elsewhere();
    await there.take({ id });
    await expect(importSnapshot(there.snapshots, file, [trusted])).rejects.toThrow(
      `the store already has a different snapshot ${id} than`,
    );
  });

  it('is refused if the files of an item have an id that no portal gives', async () => {
    const one = new AStore();
    await one.take({ id: 'odd' }, [await one.documented('odd', 'a.b')]);
    const odd = path.join(folder, 'odd.snapshot');
    await exportSnapshot(one.snapshots, 'odd', odd, key);
    const there = elsewhere();
    await expect(importSnapshot(there.snapshots, odd, [trusted])).rejects.toThrow('FILE_ALTERED');
    expect(await there.keys()).toEqual([]);
  });

  it('replaces one that was altered, once that was forgotten', async () => {
    const there = elsewhere();
    await importSnapshot(there.snapshots, file, [trusted]);
    there.flip(keys.snapshotManifest(id), 60);
    await expect(importSnapshot(there.snapshots, file, [trusted])).rejects.toThrow('SNAPSHOT_ALTERED');
    await there.store.remove(keys.snapshotManifest(id));
    await importSnapshot(there.snapshots, file, [trusted]);
    expect((await listSnapshots(there.snapshots)).readable).toHaveLength(1);
  });

  it('whose import is killed before any step is not listed before its manifest is there, and can be imported', async () => {
    for (let step = 0; ; step += 1) {
      const there = elsewhere();
      const killed = await importSnapshot(there.dyingAt(step), file, [trusted]).then(
        () => false,
        (thrown: Error) => thrown.message.includes('killed'),
      );
      if (!killed) break;
      const isCommitted = existsSync(there.fileOf(keys.snapshotManifest(id)));
      expect((await listSnapshots(there.snapshots)).readable).toHaveLength(isCommitted ? 1 : 0);
      const again = await importSnapshot(there.snapshots, file, [trusted]);
      expect(again.wasThere).toBe(isCommitted);
      expect((await verifySnapshot(there.snapshots, id)).problems).toEqual([]);
      expect(step).toBeLessThan(50);
    }
  });

  it('is not written where something of the snapshot is not what it was', async () => {
    const one = new AStore();
    const { package: named } = await one.take({ id: 'a' }, [aRow('p'), await one.copy('a', 'c', 'data')]);
    const to = path.join(folder, 'not written');
    for (const broken of [
      named?.key ?? '',
      snapshotKeys.copiedRecord('a', 'c'),
      snapshotKeys.copiedData('a', 'c'),
    ]) {
      one.flip(broken, 8 % statSync(one.fileOf(broken)).size);
      await expect(exportSnapshot(one.snapshots, 'a', to, key)).rejects.toThrow(
        /^\[(SNAPSHOT_ALTERED|STORE_BROKEN)\]/,
      );
      one.flip(broken, 8 % statSync(one.fileOf(broken)).size);
    }
    expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
    await exportSnapshot(one.snapshots, 'a', to, key);
    await expect(exportSnapshot(one.snapshots, 'a', to, key)).rejects.toThrow('already exists');
  });
});

describe('a key', () => {
  it('has to be an Ed25519 key in PEM form, and is not written over', async () => {
    const bad = path.join(folder, 'bad');
    writeFileSync(bad, 'no key');
    await expect(readSigningKey(bad)).rejects.toThrow(`${bad} contains no Ed25519 private key in PEM format`);
    await expect(readTrustedKey(path.join(folder, 'none'))).rejects.toThrow('cannot be read (ENOENT)');
    await expect(readSigningKey(path.join(folder, 'key.pub'))).rejects.toThrow(
      'contains no Ed25519 private key',
    );
    await expect(makeKeyPair(path.join(folder, 'key'))).rejects.toThrow('already exists');
  });

  it('can be one that openssl made', async () => {
    const made = path.join(folder, 'openssl');
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', made]);
    execFileSync('openssl', ['pkey', '-in', made, '-pubout', '-out', `${made}.pub`]);
    const to = path.join(folder, 'by openssl');
    await exportSnapshot(here.snapshots, id, to, await readSigningKey(made));
    const there = elsewhere();
    await importSnapshot(there.snapshots, to, [await readTrustedKey(`${made}.pub`)]);
    expect((await listSnapshots(there.snapshots)).readable).toHaveLength(1);
  });
});

describe('the header of an entry', () => {
  it.each([0, 1, 511, 8 ** 11 - 1, 8 ** 11, 5 * 1024 ** 4])('tells a size of %d bytes', (size) => {
    expect(readTarHeader(tarHeader('a/b', size))).toEqual({ name: 'a/b', sizeBytes: size });
  });
});
