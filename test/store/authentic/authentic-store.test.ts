import { aFolder } from '../../support/folder';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { PortolanError } from '../../../src/model/errors/errors';
import { AuthenticStore } from '../../../src/store/authentic/authentic-store';
import { keys, snapshotKeys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';

const folder = aFolder();

const storeKey = Buffer.from('the key of the store, long enough');
const content = { itemIds: ['a', 'b'] };
const read = z.object({ itemIds: z.array(z.string()) });
const [run, other] = ['sync-transport-20261121T030000Z-aaaa', 'sync-transport-20261121T030000Z-bbbb'];
const route = { name: 'transport', source: { groupId: 's' }, target: { groupId: 't' } };

/** Stands for every argument of a key: an ID, a number, a route or the outcome of a stage. */
const argument = { ...route, runId: run, pipeline: 'p', stage: 's', kind: 'promoted', toString: () => run };

/** A JSON file under each key of the store, and one in each of its folders. */
const notes = [...Object.values(keys), ...Object.values(snapshotKeys)]
  .map((key: unknown) =>
    typeof key === 'function' ? (key as (...given: unknown[]) => unknown)(argument, argument, argument) : key,
  )
  .flatMap((key) => (typeof key === 'string' ? [key.endsWith('/') ? `${key}any.json` : key] : []))
  // The encryption key seals its own marker.
  .filter((key) => key.endsWith('.json') && key !== keys.storeId && key !== keys.encryption);

let inner: LocalStore;
let store: AuthenticStore;
beforeAll(async () => {
  inner = new LocalStore(folder);
  store = new AuthenticStore(inner, async () => storeKey);
});

const refusal = (key: string, from = store) =>
  from.readJson(key, read).catch((thrown: unknown) => PortolanError.from(thrown).code);

describe.each([...new Set(notes), 'later/any.json'])('%s', (key) => {
  beforeAll(() => store.writeJson(key, content));

  it('is what was written', async () => {
    expect(await store.readJson(key, read)).toEqual(content);
  });

  it('is refused with another ID, no signature or that of another key [P22]', async () => {
    const written = await inner.readJson(key, z.looseObject({ content: read }));
    await inner.writeJson(key, { ...written, content: { itemIds: ['a', 'b', 'foreign'] } });
    expect(await refusal(key)).toBe('NOTE_ALTERED');
    await inner.writeJson(key, content);
    expect(await refusal(key)).toBe('NOTE_ALTERED');
    await new AuthenticStore(inner, async () => Buffer.from('another key, long enough too')).writeJson(
      key,
      content,
    );
    expect(await refusal(key)).toBe('NOTE_ALTERED');
  });
});

describe('a note', () => {
  it('is refused in the place of another run', async () => {
    await store.writeJson(keys.created(run), content);
    await inner.writeJson(keys.created(other), await inner.readJson(keys.created(run), z.unknown()));
    await expect(store.readJson(keys.created(other), read)).rejects.toThrow(
      `[NOTE_ALTERED] ${keys.created(other)} in ${folder} is not signed with the key of this store`,
    );
  });

  it('cannot be read or written without the key', async () => {
    const without = new AuthenticStore(inner, () =>
      Promise.reject(
        new PortolanError('SECRET_UNREADABLE', 'store.key: environment variable KEY is not set.'),
      ),
    );
    expect(await without.readJson(keys.plan(run, 9), read)).toBeUndefined();
    await store.writeJson(keys.plan(run, 3), content);
    expect(await refusal(keys.plan(run, 3), without)).toBe('SECRET_UNREADABLE');
    await expect(without.writeJson(keys.plan(run, 4), content)).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
    });
    await expect(without.check()).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' });
  });

  it('is broken, not altered, if the file system fails', async () => {
    const key = keys.desired('sync-transport-20261121T030000Z-cccc');
    await mkdir(path.join(folder, key), { recursive: true });
    await expect(store.readJson(key, read)).rejects.toMatchObject({ code: 'STORE_BROKEN' });
  });

  it('of the store ID can be read with another key', async () => {
    await new AuthenticStore(inner, async () => Buffer.from('another key, long enough too')).writeJson(
      keys.storeId,
      content,
    );
    expect(await store.readJson(keys.storeId, read)).toEqual(content);
  });
});
