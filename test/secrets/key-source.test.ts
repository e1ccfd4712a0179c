import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readKey, Secret } from '../../src/secrets/secret';

const folder = mkdtempSync(path.join(tmpdir(), 'portolan-store-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a created key', () => {
  it('is one key for all who need it at once', async () => {
    const file = path.join(folder, 'store.key');
    const read = await Promise.all(
      Array.from({ length: 8 }, () => readKey(new Secret({ created: file }), 'key of the store')),
    );
    expect(new Set(read.map(String)).size).toBe(1);
  });

  it('is not replaced when its file is unreadable', async () => {
    await expect(
      readKey(new Secret({ created: folder }).locate('store.key', ''), 'key of the store'),
    ).rejects.toThrow(`[SECRET_UNREADABLE] store.key: file ${folder} cannot be read (EISDIR).`);
  });
});
