import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readKeyFrom } from '../../src/secrets/key-source';

const folder = mkdtempSync(path.join(tmpdir(), 'portolan-store-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a key that nobody configured', () => {
  it('is one key, however many need it at the same moment', async () => {
    const file = path.join(folder, 'store.key');
    const read = await Promise.all(
      Array.from({ length: 8 }, () => readKeyFrom({ file }, 'key of the store')),
    );
    expect(new Set(read.map(String)).size).toBe(1);
  });

  it('that is there and cannot be read is named by its file, and no other is made', async () => {
    await expect(readKeyFrom({ file: folder }, 'key of the store')).rejects.toThrow(
      `[SECRET_UNREADABLE] The key of the store in file ${folder} cannot be read (EISDIR).`,
    );
  });
});
