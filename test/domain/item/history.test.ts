import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../../../src/config/config';
import { findHeldItem, heldItems, holdingsOf } from '../../../src/domain/item/held-items';
import { requireIntact } from '../../../src/domain/item/intact';
import { changeBetween, versionsOf } from '../../../src/domain/item/history';
import type { PortolanError } from '../../../src/model/errors/errors';
import { keys } from '../../../src/store/keys';
import { aContent, aRow, aSnapshot, AStore, claim } from '../snapshot/a-store';

const config = { path: 'portolan.yaml', portals: new Map() } as unknown as Config;
const NIGHTS = 30;
/** Nights in which the map gets another title. */
const edits = new Map([
  [8, 'Roads'],
  [15, 'Roads <script>alert(1)</script>\u001b[31m'],
  [22, 'Roads, final'],
]);
const night = (at: number) => `night-${String(at).padStart(2, '0')}`;
const dated = (at: number) => new Date(Date.UTC(2026, 8, 1 + at, 3)).toISOString();

let one: AStore;
/** Thirty nights: the map is edited in three of them, and a second item leaves the group after the tenth. */
beforeAll(async () => {
  one = new AStore();
  let title = 'Streets';
  let contents = await one.keepContents(night(0), {
    map: aContent('map', title),
    gone: aContent('gone', 'Old plan'),
  });
  let packages = 1;
  for (let at = 0; at < NIGHTS; at += 1) {
    const edit = edits.get(at);
    if (edit !== undefined) {
      title = edit;
      contents = [...contents, ...(await one.keepContents(night(at), { map: aContent('map', title) }))];
      packages += 1;
    }
    const rows = [
      aRow('map', { title, content: contents.length - 1 || undefined }),
      ...(at <= 10 ? [aRow('gone', { title: 'Old plan' })] : []),
    ];
    if (at > 0) await claim(one.snapshots, night(at), night(at - 1), contents);
    await one.take({ id: night(at), takenAt: dated(at), contents, bytes: `package ${packages}` }, rows);
  }
});

describe('the history of one item', () => {
  it('has a version for the first night and each edit', async () => {
    const { item } = await findHeldItem(config, one.snapshots, 'map');
    const { versions } = await versionsOf(one.snapshots, item);
    expect(versions).toHaveLength(4);
    expect(versions.map(({ holdings }) => holdings.at(-1)?.manifest.id)).toEqual([
      ...[night(22), night(15), night(8), night(0)],
    ]);
    expect(versions.flatMap(({ holdings }) => holdings.map(({ manifest }) => manifest.id))).toEqual(
      Array.from({ length: NIGHTS }, (_, at) => night(NIGHTS - 1 - at)),
    );
    expect(versions.map(({ change }) => change?.kind)).toEqual(['changed', 'changed', 'changed', undefined]);
    expect(versions[2]?.change?.fields).toMatchObject([{ before: 'Streets', after: 'Roads' }]);
    expect(item.gone).toBeUndefined();
  });

  it('is found by any of its titles, and shows when the item was deleted', async () => {
    expect((await findHeldItem(config, one.snapshots, 'streets')).item.itemId).toBe('map');
    expect((await findHeldItem(config, one.snapshots, 'Old plan')).item.gone?.id).toBe(night(11));
    const { items, notes } = await heldItems(config, one.snapshots, () => true);
    expect(items.map(({ itemId }) => itemId)).toEqual(['gone', 'map']);
    expect(notes).toEqual([]);
  });

  it('reads no more to list all items of many groups than to list none', async () => {
    const many = new AStore();
    for (let group = 0; group < 15; group += 1) {
      const source = { ...aSnapshot.source, groupId: `group-${group}` };
      const rows = Array.from({ length: 10 }, (_, at) => aRow(`item-${group}-${at}`));
      await many.take({ id: `of-${group}`, takenAt: dated(0), source }, rows);
    }
    const read = jest.spyOn(many.store, 'readJson');
    const readsFor = async (isMeant: boolean) => {
      read.mockClear();
      expect((await heldItems(config, many.snapshots, () => isMeant)).items).toHaveLength(isMeant ? 150 : 0);
      return read.mock.calls.length;
    };
    expect(await readsFor(true)).toBe(await readsFor(false));
  });

  it('is unknown if content could not be read, within one version', async () => {
    const two = new AStore();
    const unread = { ...aContent('map', 'Streets'), unread: 'its data: the file is too long' };
    const contents = await two.keepContents('a', { map: unread });
    await two.take({ id: 'a', takenAt: dated(0), contents }, [aRow('map')]);
    await claim(two.snapshots, 'b', 'a', contents);
    await two.take({ id: 'b', takenAt: dated(1), contents }, [aRow('map')]);
    const { item } = await findHeldItem(config, two.snapshots, 'map');
    expect((await versionsOf(two.snapshots, item)).versions).toHaveLength(1);
    const [after, before] = (await holdingsOf(two.snapshots, item)).holdings;
    expect(await changeBetween(two.snapshots, before!, after!)).toMatchObject({
      kind: 'unknown',
      why: 'its data: the file is too long',
    });
  });

  it('lists the items that share a title, as text', async () => {
    const two = new AStore();
    await two.take(
      { id: 'twins' },
      ['a', 'b'].map((id) => aRow(id, { title: 'Twin\u001b[31m' })),
    );
    const refused = findHeldItem(config, two.snapshots, 'twin\u001b[31m');
    await expect(refused).rejects.toThrow(/matches 2 items/);
    await expect(refused).rejects.not.toThrow('\u001b');
    await expect(findHeldItem(config, two.snapshots, 'nothing')).rejects.toThrow('ITEM_NOT_FOUND');
  });

  it('is that of the named portal if two have the ID', async () => {
    const two = new AStore();
    const other = { ...aSnapshot.source, portal: 'second', url: 'https://second.example.com/portal' };
    await two.take({ id: 'here' }, [aRow('a')]);
    await two.take({ id: 'there', source: other }, [aRow('a', { title: 'Elsewhere' })]);
    await expect(findHeldItem(config, two.snapshots, 'a')).rejects.toThrow(/matches 2 items/);
    const portals = new Map([['second', { name: 'second', url: other.url, aliases: [] }]]);
    const both = { ...config, portals } as unknown as Config;
    const { item: found } = await findHeldItem(both, two.snapshots, 'a', 'second');
    expect((await holdingsOf(two.snapshots, found)).holdings.map(({ manifest }) => manifest.id)).toEqual([
      'there',
    ]);
  });

  it('names unreadable snapshots, and an intact version before a damaged one', async () => {
    const { item } = await findHeldItem(config, one.snapshots, 'map');
    const { holdings } = await holdingsOf(one.snapshots, item);
    const at = (id: string) => holdings.find(({ manifest }) => manifest.id === id)!;
    one.flip(keys.snapshotPackage(night(16), 0));
    const required = (id: string) => requireIntact(one.snapshots, at(id), async () => holdings);
    await required(night(17));
    const refused = await required(night(16)).catch((thrown: Error) => thrown);
    expect(String(refused)).toContain('SNAPSHOT_ALTERED');
    expect((refused as PortolanError).hint).toContain(`portolan item restore map --at ${night(15)}`);
    const { versions } = await versionsOf(one.snapshots, item);
    expect(
      versions[1]?.holdings.flatMap(({ manifest, damaged }) => (damaged === undefined ? [] : manifest.id)),
    ).toEqual([night(16)]);
    one.flip(keys.snapshotManifest(night(3)));
    const { notes } = await versionsOf(one.snapshots, item);
    expect(notes).toEqual([`1 snapshot could not be read: ${night(3)}`]);
    one.flip(keys.snapshotManifest(night(3)));
  });
});
