import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { PortolanError } from '../../../src/model/errors/errors';
import { AuthenticStore } from '../../../src/store/authentic/authentic-store';
import { isUnsigned, keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';

const storeKey = Buffer.from('the key of the store, long enough');
const content = { itemIds: ['a', 'b'] };
const read = z.object({ itemIds: z.array(z.string()) });
const [run, other] = ['sync-transport-20261121T030000Z-aaaa', 'sync-transport-20261121T030000Z-bbbb'];
const route = { name: 'transport', source: { groupId: 's' }, target: { groupId: 't' } };

/** Every note that a run believes when it writes, removes, or holds something for approved or safe. */
const believed: Record<string, string> = {
  'the record': keys.record(run),
  'what a change is to put there': keys.desired(run),
  'what a change found': keys.before(run),
  'what was requested': `${keys.requested(run)}000000001.json`,
  'an intent': keys.intent(run, 'import'),
  'what a run created': keys.created(run),
  'the folders of a drill': keys.importFolders(run),
  'a removal that was begun': keys.removal(run, 'a'),
  'what was put back': keys.putBack(run),
  'the lists of a job': keys.jobLists(run, 'import', 0),
  'the ids of the source': keys.sourceIds(run),
  'what earlier imports changed': keys.movedBefore(run),
  'the counts of the source': keys.sourceCounts(run),
  'a list of items': keys.itemList(run),
  'a page of a preview': `${keys.preview(run, 'safeguard')}000000001.json`,
  'a plan': keys.plan(run, 1),
  'the results': keys.ledger(run),
  'the verification': keys.verification(run),
  'a part of the verification': `${keys.verified(run)}000000000.json`,
  'the rows of a backup': keys.rowsNow(run),
  'how the last run left its target': keys.lastRun(route),
  'what runs came to for each item': keys.outcomes(route),
  'a freeze': keys.freeze('https://portal/sharing/rest'),
  'a banner': keys.banner('production'),
  'a manifest': keys.snapshotManifest(run),
  'rows of a snapshot': keys.snapshotRows(run),
  'a pin': keys.snapshotPin(run),
  'a release': keys.releaseManifest('r'),
  'the history of a stage': keys.promotion({ pipeline: 'p', stage: 's', runId: run, kind: 'promoted' }),
  'a key that nobody has thought of yet': 'later/any.json',
};

let folder: string;
let inner: LocalStore;
let store: AuthenticStore;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-notes-'));
  inner = new LocalStore(folder);
  store = new AuthenticStore(inner, async () => storeKey);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const refusal = (key: string, from = store): Promise<unknown> =>
  from.readJson(key, read).catch((thrown: unknown) => PortolanError.from(thrown).code);

describe.each(Object.entries(believed))('a note that decides something, such as %s', (_what, key) => {
  beforeAll(() => store.writeJson(key, content));

  it('is what was written', async () => {
    expect(await store.readJson(key, read)).toEqual(content);
  });

  it('is refused with one id more, without a mark, or with that of another key [P22]', async () => {
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
  it('of one run is refused where that of another is looked for', async () => {
    await store.writeJson(keys.created(run), content);
    await inner.writeJson(keys.created(other), await inner.readJson(keys.created(run), z.unknown()));
    await expect(store.readJson(keys.created(other), read)).rejects.toThrow(
      `[NOTE_ALTERED] ${keys.created(other)} in ${folder} is not signed with the key of this store`,
    );
  });

  it('is missing where there is none, and says why it can be neither read nor written without the key', async () => {
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

  it('counts as unread, not as altered, when the file system fails', async () => {
    const key = keys.desired('sync-transport-20261121T030000Z-cccc');
    await mkdir(path.join(folder, key), { recursive: true });
    await expect(store.readJson(key, read)).rejects.toMatchObject({ code: 'STORE_BROKEN' });
  });

  it('that only decides who is notified, or can be made again, is not signed', async () => {
    const { age, trouble, packageNote, storeId, lastDelivery, runOfDay, scheduleEvent } = keys;
    const plain = [age(route), trouble(route), packageNote(run), storeId, lastDelivery('r')];
    plain.push(runOfDay('2026-11-21', run), scheduleEvent('q', 1, 'i'));
    expect(plain.filter((key) => !isUnsigned(key))).toEqual([]);
    await store.writeJson(age(route), content);
    expect(await inner.readJson(age(route), z.unknown())).toEqual(content);
    expect(await store.readJson(age(route), read)).toEqual(content);
  });
});
