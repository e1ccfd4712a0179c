import { readdir, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadConfig } from '../../../src/config/load-config';
import { openStore } from '../../../src/store/open-store';
import { PortolanError } from '../../../src/model/errors/errors';
import { type Store, writeFile as writeToStore } from '../../../src/store/store';
import { content, inPieces, storedBytes } from '../content';
import { localSite } from '../local/local-site';

const KB = 1024;

/** encrypted-rules.long.ts holds the rules of every store. */
describe('an encrypted store', () => {
  let site: ReturnType<typeof localSite>;
  let store: Store;
  const another = () => openStore(loadConfig(site.config));
  const fileOf = (key: string) => path.join(site.folder, key);
  const whole = (key: string, from = store) => storedBytes(from, key);
  const write = (key: string, bytes: Buffer) => writeToStore(store, key, inPieces(bytes));
  const flip = async (key: string, at: number) => {
    const bytes = await readFile(fileOf(key));
    bytes[at < 0 ? bytes.length + at : at]! ^= 1;
    await writeFile(fileOf(key), bytes);
  };
  /** The other key, or none: as somebody else configured it. */
  const reconfigure = async (key: string | undefined) => {
    if (key !== undefined) return await writeFile(path.join(path.dirname(site.config), 'encryption'), key);
    await writeFile(site.config, 'portals: {}\nstore: { path: ./store }\n');
  };

  beforeEach(() => {
    site = localSite({ encrypted: true });
    store = another();
  });

  it('leaves no plain text in the store [P23]', async () => {
    const secret = 'the name of a person';
    await store.writeJson('runs/a/record.json', { secret });
    await write('packages/a.epk', Buffer.from(secret.repeat(50_000)));
    for (const key of await readdir(site.folder, { recursive: true, withFileTypes: true })) {
      if (!key.isFile()) continue;
      expect((await readFile(path.join(key.parentPath, key.name))).includes(secret)).toBe(false);
    }
  });

  it('writes the same content differently each time', async () => {
    await write('packages/a.epk', content(1000));
    await write('packages/b.epk', content(1000));
    expect(await readFile(fileOf('packages/a.epk'))).not.toEqual(await readFile(fileOf('packages/b.epk')));
  });

  it.each([
    ['the header', 20],
    ['the first frame', 100],
    ['the second frame', 300 * KB],
    ['the tag of the last frame', 600 * KB + 48 + 3 * 16 - 1],
  ])('refuses a file with another bit in %s', async (_where, at) => {
    await write('packages/a.epk', content(600 * KB));
    await flip('packages/a.epk', at);
    await expect(whole('packages/a.epk')).rejects.toThrow(
      `[SNAPSHOT_ALTERED] packages/a.epk in ${site.folder} cannot be decrypted; it was modified or written with another key`,
    );
  });

  it('returns no byte of an altered frame', async () => {
    await write('packages/a.epk', content(100));
    await flip('packages/a.epk', -20);
    const read: Buffer[] = [];
    await expect(
      (async () => {
        for await (const chunk of (await store.openFile('packages/a.epk'))!.open(0, 10)) read.push(chunk);
      })(),
    ).rejects.toThrow('[SNAPSHOT_ALTERED]');
    expect(read).toEqual([]);
  });

  it.each([0, 47, 48, 63, 200 * KB, 256 * KB + 48 + 16, 512 * KB])(
    'refuses a file that was cut at byte %d',
    async (length) => {
      await write('packages/a.epk', content(600 * KB));
      await truncate(fileOf('packages/a.epk'), length);
      await expect((async () => whole('packages/a.epk'))()).rejects.toThrow('[SNAPSHOT_ALTERED]');
    },
  );

  it('refuses frames that changed places', async () => {
    await write('packages/a.epk', content(600 * KB));
    const bytes = await readFile(fileOf('packages/a.epk'));
    const sealed = 256 * KB + 16;
    const [first, second] = [bytes.subarray(48, 48 + sealed), bytes.subarray(48 + sealed, 48 + 2 * sealed)];
    await writeFile(
      fileOf('packages/a.epk'),
      Buffer.concat([bytes.subarray(0, 48), second, first, bytes.subarray(48 + 2 * sealed)]),
    );
    await expect(whole('packages/a.epk')).rejects.toThrow('[SNAPSHOT_ALTERED]');
  });

  it('refuses a note that was altered or moved [P22]', async () => {
    await store.writeJson('runs/a/record.json', { status: 'failed' });
    await store.writeJson('runs/b/record.json', { status: 'succeeded' });
    await rename(fileOf('runs/b/record.json'), fileOf('runs/a/record.json'));
    await expect(store.readJson('runs/a/record.json', z.unknown())).rejects.toThrow('[SNAPSHOT_ALTERED]');
  });

  it('refuses everything with another key, and its check says so', async () => {
    await store.check();
    await store.writeJson('runs/a/record.json', {});
    await write('packages/a.epk', content(1000));
    await reconfigure('f'.repeat(32));
    await expect(another().readJson('runs/a/record.json', z.unknown())).rejects.toThrow('[SNAPSHOT_ALTERED]');
    await expect(whole('packages/a.epk', another())).rejects.toThrow('[SNAPSHOT_ALTERED]');
    await expect(another().check()).rejects.toThrow(
      `[CONFIG_INVALID] store.encryption.key is not the key that encrypts the store at ${site.folder}`,
    );
  });

  it('restarts a file that was begun with another key', async () => {
    const partial = await store.openPartial('packages/a.epk');
    await partial.append(inPieces(content(600 * KB)));
    await reconfigure('f'.repeat(32));
    const next = await another().openPartial('packages/a.epk');
    expect(next.size).toBe(0);
    await next.append(inPieces(content(10)));
    await next.commit();
    expect(await whole('packages/a.epk', another())).toEqual(content(10));
  });

  it('is neither turned on nor off in a store that is in use', async () => {
    await store.check();
    await store.writeJson('runs/a/record.json', {});
    await reconfigure(undefined);
    const plain = another();
    const withoutKey = 'is encrypted, but store.encryption.key is not set';
    await expect(plain.readJson('runs/a/record.json', z.object({ runId: z.string() }))).rejects.toThrow(
      withoutKey,
    );
    await expect(plain.check()).rejects.toThrow(withoutKey);
    await store.remove('encryption.json');
    await plain.writeJson('runs/a/record.json', {});
    await expect(store.check()).rejects.toThrow(
      `[CONFIG_INVALID] the store at ${site.folder} is not encrypted; use another folder, bucket or prefix for an encrypted store`,
    );
  });

  it('refuses a key that can be guessed', async () => {
    await reconfigure('too short');
    const error = await another()
      .check()
      .catch((thrown: unknown) => PortolanError.from(thrown));
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      hint: 'Create one: openssl rand -hex 32',
    });
  });
});
