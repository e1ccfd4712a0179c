import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { LocalStore } from '../../../src/store/local/local-store';
import { EncryptedStore } from '../../../src/store/encrypted/encrypted-store';
import type { Store } from '../../../src/store/store';
import { content, inPieces, same, storedBytes } from '../content';
import { encryptionKey } from './local-site';

const MB = 1024 ** 2;
const disk = mkdtempSync(path.join(os.tmpdir(), 'portolan-full-disk-'));

/** Undefined where a disk of 8 MB could be had. */
const refused = (() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'this account may not mount a small disk';
  }
})();

afterAll(async () => {
  if (refused === undefined) execFileSync('umount', [disk]);
  await rm(disk, { recursive: true, force: true });
});

const stores: [string, (root: string) => Store][] = [
  ['a store', (root) => new LocalStore(root)],
  [
    'an encrypted store',
    (root) => new EncryptedStore(new LocalStore(root), async () => Buffer.from(encryptionKey)),
  ],
];

(refused === undefined ? describe : describe.skip)(`a full disk${refused ? `: ${refused}` : ''}`, () => {
  const root = path.join(disk, 'store');
  const ballast = path.join(disk, 'ballast');
  beforeEach(() => {
    mkdirSync(root);
    writeFileSync(ballast, Buffer.alloc(3 * MB));
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
    await rm(ballast, { force: true });
  });

  it.each(stores)(
    'is reported by %s, which hides half files and continues once there is space',
    async (_name, open) => {
      const store = open(root);
      const bytes = content(7 * MB);
      const partial = await store.openPartial('packages/a.epk');
      await expect(partial.append(inPieces(bytes))).rejects.toThrow(
        `[NO_SPACE] no space left in the store at ${root}`,
      );
      for await (const key of store.list('')) throw new Error(`${key} is listed`);
      await rm(ballast);
      const later = await open(root).openPartial('packages/a.epk');
      if (later.lasting) expect(later.size).toBeGreaterThan(3 * MB);
      else expect(later.size).toBe(0);
      await later.append(inPieces(bytes.subarray(later.size)));
      await later.commit();
      expect(same((await storedBytes(store, 'packages/a.epk'))!, bytes)).toBe(true);
    },
  );

  it.each(stores)('leaves the notes of %s unchanged', async (_name, open) => {
    const store = open(root);
    await store.writeJson('runs/a/record.json', { text: 'before' });
    await writeFile(path.join(disk, 'filler'), Buffer.alloc(16 * MB)).catch(() => undefined);
    try {
      await expect(store.writeJson('runs/a/record.json', { text: 'x'.repeat(MB) })).rejects.toThrow(
        '[NO_SPACE]',
      );
      expect(await store.readJson('runs/a/record.json', z.unknown())).toEqual({ text: 'before' });
      await expect(store.check()).rejects.toThrow('[NO_SPACE]');
    } finally {
      await rm(path.join(disk, 'filler'));
    }
  });
});

it('a folder that cannot be the store is reported with its path', async () => {
  const file = path.join(os.tmpdir(), `portolan-file-${process.pid}`);
  await writeFile(file, '');
  try {
    await expect(new LocalStore(path.join(file, 'store')).check()).rejects.toThrow(
      `[STORE_MISSING] cannot create folder ${path.join(file, 'store')} (ENOTDIR)`,
    );
  } finally {
    await rm(file);
  }
});
