import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { resolveDrill } from '../../../src/config/resolve-route';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import { signIn } from '../../simulator/harness';
import { BackupRehearsal } from '../../support/backup-rehearsal';
import type { RehearsalOptions } from '../../support/rehearsal';

let at: BackupRehearsal;
const open = async (options?: RehearsalOptions, drillGroup?: string): Promise<BackupRehearsal> =>
  (at = await BackupRehearsal.open(options, drillGroup));
afterEach(() => at.close());

const hashOf = async (path: string): Promise<string | undefined> => {
  const file = await readFile(path).catch(() => undefined);
  return file && createHash('sha256').update(file).digest('hex');
};

/** What a portal holds as its users see it: every item, and the bytes of its data or the rows of its layers. */
const portrait = async (portal: 'source' | 'target'): Promise<Record<string, unknown>> => {
  const { world } = at.rehearsal[portal];
  const seen = [...world.items.values()].map(async (item) => {
    const { id, type, title, owner, access, groups, ownerFolder, snippet, description, tags, size } = item;
    const sha256 = await hashOf(world.files.dataPath(id));
    const beside = {
      protected: item.protected,
      thumbnail: item.thumbnail && [item.thumbnail, await hashOf(world.files.thumbnailPath(id))],
      resources: await Promise.all(
        world
          .resourcesOf(id)
          .map(async ({ resource }) => [resource, await hashOf(world.files.resourcePath(id, resource))]),
      ),
    };
    const layers = [...world.services.values()].find((service) => service.itemId === id)?.layers;
    const rows = layers?.map(({ id: layerId, count }) => [layerId, count]);
    return [
      id,
      {
        ...{
          type,
          title,
          owner,
          access,
          groups,
          ownerFolder,
          snippet,
          description,
          tags,
          size,
          sha256,
          rows,
        },
        ...beside,
      },
    ];
  });
  return Object.fromEntries(await Promise.all(seen)) as Record<string, unknown>;
};

describe('a backup', () => {
  it('is a snapshot in the store, of which the next one is only a word while nothing changes', async () => {
    await open();
    const { record } = await at.backup({ tags: ['weekly'] });
    expect(record).toMatchObject({ status: 'succeeded', target: 'untouched', snapshot: { items: 11 } });
    const manifest = await at.snapshots.read(record.snapshot?.id ?? '');
    expect(manifest).toMatchObject({
      kind: 'backup',
      complete: true,
      tags: ['weekly'],
      package: record.package && { sha256: record.package.sha256 },
    });
    const rows = await at.snapshots.rowsOf(manifest);
    expect(
      rows
        .filter(({ saved }) => saved === 'no')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['Dashboard', 'Feature Service']);
    expect(at.rehearsal.packages()).toEqual([]);

    const same = await at.backup();
    expect(same.record).toMatchObject({
      status: 'nothing-to-do',
      snapshot: { id: manifest.id, unchanged: true },
    });
    expect(at.asked('source', 'group.export')).toBe(1);
    expect((await at.backup({ force: true })).record.status).toBe('succeeded');
    expect(at.asked('source', 'group.export')).toBe(2);
  });

  it('of a group that lost over half of its items is partial, and never counts as a good one', async () => {
    await open();
    const first = await at.backup();
    const { items } = at.rehearsal.source.world;
    const gone = [...items.values()].filter((item) => item.groups.includes(transportGroupId)).slice(0, 8);
    for (const item of gone) items.put(item.id, { ...item, groups: [] });
    const { record } = await at.backup();
    expect(record.status).toBe('partial');
    expect(await at.snapshots.read(record.snapshot?.id ?? '')).toMatchObject({ complete: false });
    const drill = await at.drill();
    expect(drill.record.snapshot?.id).toBe(first.record.snapshot?.id);
  });
});

describe('a restore', () => {
  it('brings a snapshot into another portal, and back into its own', async () => {
    await open();
    const { record: kept } = await at.backup();
    const id = kept.snapshot?.id ?? '';
    const { record } = await at.restore(id);
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      snapshot: { id },
      plan: { create: 8, keep: 3 },
    });
    const { items } = at.rehearsal.source.world;
    items.change(transportItems.csv, { title: 'spoilt' });
    const back = await at.restore(id, {
      to: 'staging',
      into: transportGroupId,
      items: [transportItems.csv],
      overwrite: true,
    });
    expect(back.record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1 } });
    expect(items.get(transportItems.csv)?.title).toBe('Traffic counts');
    expect(at.rehearsal.packages()).toEqual([]);
  });

  it('of bytes that somebody changed in the store is refused before anything is on the portal', async () => {
    await open();
    const { record: kept } = await at.backup();
    const { key } = (await at.snapshots.read(kept.snapshot?.id ?? '')).package ?? {};
    const file = await at.rehearsal.store.openPartial(key ?? '');
    await file.append([Buffer.from('other')] as unknown as AsyncIterable<Uint8Array>);
    await file.commit();
    const { record } = await at.restore(kept.snapshot?.id ?? '');
    expect(record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'SNAPSHOT_ALTERED' },
    });
    expect(at.asked('target', 'item.add')).toBe(0);
  });
});

describe('a drill', () => {
  it('has the whole package read, leaves nothing behind, and is noted at the snapshot', async () => {
    await open();
    const { record: kept } = await at.backup();
    const before = await portrait('target');
    const { record } = await at.drill();
    expect(record).toMatchObject({ status: 'succeeded', target: 'untouched', proof: 'previewed' });
    expect(await portrait('target')).toEqual(before);
    expect(at.asked('target', 'group.import')).toBeLessThanOrEqual(1);
    expect(await at.snapshots.proofsOf(kept.snapshot?.id ?? '')).toMatchObject([
      { level: 'previewed', portal: 'production', items: 11 },
    ]);
  });

  it('imports only into a scratch portal on which nothing of it exists, and takes away only its own', async () => {
    await open();
    await at.backup();
    expect((await at.drill({ import: true })).record).toMatchObject({
      status: 'failed',
      error: { code: 'NOT_SCRATCH' },
    });
    expect(at.asked('target', 'item.add')).toBe(0);
    await at.close();

    await open({ portals: { role: 'scratch' } });
    const { record: kept } = await at.backup();
    const full = await portrait('target');
    expect((await at.drill({ import: true })).record).toMatchObject({
      status: 'failed',
      error: { code: 'DRILL_NOT_EMPTY' },
    });
    expect(await portrait('target')).toEqual(full);
    const { items } = at.rehearsal.target.world;
    const ids = new Set(
      (await at.snapshots.rowsOf(await at.snapshots.read(kept.snapshot?.id ?? ''))).map(
        ({ itemId }) => itemId,
      ),
    );
    for (const id of ids) items.remove(id);
    const before = await portrait('target');
    const { record } = await at.drill({ import: true });
    expect(record).toMatchObject({ status: 'succeeded', proof: 'imported', target: 'untouched' });
    expect(await portrait('target')).toEqual(before);
  });

  it('takes away the folder that its import made, and no folder that was there or that holds something', async () => {
    await open(
      { portals: { role: 'scratch' }, target: { seed: 'empty', importFolder: 'Exports', jobMs: 600 } },
      emptyGroupId,
    );
    await at.backup();
    const { world, faults } = at.rehearsal.target;
    const drill = async (): Promise<string[]> => {
      const { record } = await at.drill({ import: true });
      expect(record).toMatchObject({ status: 'succeeded', proof: 'imported', target: 'untouched' });
      return [...world.folders.values()].map(({ title }) => title);
    };
    // The portal cannot remove the folder at first, and the items are gone when it is asked again.
    faults.add({ match: { operation: 'folder.delete' }, nth: 1, do: { status: 503 } });
    expect(await drill()).toEqual([]);

    const owner = await signIn(at.rehearsal.target, 'owner');
    await owner.call('/content/users/owner/createFolder', { title: 'Exports' });
    expect(await drill()).toEqual(['Exports']);

    // Somebody puts a file of their own beside the imported items.
    for (const { id } of [...world.folders.values()]) world.folders.remove(id);
    const handle = await at.start('drill', {
      route: resolveDrill(at.rehearsal.config, 'transport'),
      import: true,
    });
    while (world.folders.size === 0) await sleep(20);
    const folderId = [...world.folders.values()][0]?.id;
    const params = { type: 'PDF', title: 'My own', text: 'mine' };
    await owner.call(`/content/users/owner/${folderId}/addItem`, params);
    const { record } = await at.rehearsal.ended(handle);
    expect(record.warnings).toContain(
      'of the drill there is still on production: the folder "Exports": it holds something else',
    );
    expect([...world.items.values()]).toMatchObject([{ title: 'My own', ownerFolder: folderId }]);
  });

  it('on the portal that the snapshot came from is refused, and no item is touched', async () => {
    await open({ throughGateway: true, portals: { role: 'scratch' } }, transportGroupId);
    await at.backup();
    const before = await portrait('source');
    const { record } = await at.drill({ import: true });
    expect(record).toMatchObject({ status: 'failed', error: { code: 'SAME_PORTAL' } });
    expect(await portrait('source')).toEqual(before);
  });
});

describe('a rollback', () => {
  it('makes what a sync overwrote what it was, and removes what it created only where it is asked to', async () => {
    await open({ target: { refuseForeign: false } });
    const { csv } = transportItems;
    const owner = await signIn(at.rehearsal.target, 'owner');
    const { items } = at.rehearsal.target.world;
    // Taken from outside of the group, so no export can save it: it is saved as a copy.
    items.change(csv, { groups: [], access: 'private' });
    const path = `/content/users/owner/items/${csv}`;
    const bytes = Buffer.from([0x50, 0x00, 0xff, 0x0a]);
    await owner.upload(`${path}/addResources`, bytes, { fileName: 'a b.png', resourcesPrefix: 'pictures' });
    await owner.call(`${path}/addResources`, { fileName: 'notes.json', text: '{"counted":"by hand"}' });
    await owner.upload(
      `${path}/update`,
      Buffer.from('a picture'),
      {},
      { field: 'thumbnail', name: 'csv.png' },
    );
    await owner.call(`${path}/protect`);
    const before = await portrait('target');
    const route = at.rehearsal.route({ overwrite: true, data: 'replace', take: [csv] });
    const { record: synced } = await at.rehearsal.sync(route);
    expect(synced).toMatchObject({ status: 'succeeded', plan: { overwrite: 3, create: 8 } });
    // The import took the resources away; a person did the rest.
    expect(at.rehearsal.target.world.resourcesOf(csv)).toEqual([]);
    await owner.call(`${path}/addResources`, { fileName: 'later.txt', text: 'later' });
    await owner.call(`${path}/deleteThumbnail`, {});
    await owner.call(`${path}/unprotect`, {});
    const { record } = await at.rollback(synced);
    expect(record).toMatchObject({ status: 'succeeded', created: { removed: [] } });
    expect(record.created?.there).toHaveLength(8);
    const again = await at.rollback(synced, { deleteCreated: true });
    expect(again.record.created?.removed).toHaveLength(8);
    expect(await portrait('target')).toEqual(before);
  });

  it('of a run that only created tells what that was, and removes it where it is asked to', async () => {
    await open();
    const before = await portrait('target');
    const { record: synced } = await at.rehearsal.sync();
    expect(synced).toMatchObject({ status: 'succeeded', plan: { overwrite: 0, create: 8 } });
    const imports = at.asked('target', 'group.import');
    const told = await at.rollback(synced);
    expect(told.record).toMatchObject({
      status: 'nothing-to-do',
      target: 'untouched',
      created: { removed: [] },
    });
    expect(told.record.created?.there).toHaveLength(8);
    expect(told.record.guards).toContainEqual(
      expect.objectContaining({ name: 'nothing to restore', verdict: 'pass' }),
    );

    const owner = await signIn(at.rehearsal.target, 'owner');
    await owner.call(`/content/users/owner/items/${transportItems.app}/update`, { snippet: 'we use it' });
    // What a lost answer hides was removed all the same.
    const lost = { match: { operation: 'item.delete' }, nth: 1, when: 'after', do: 'reset' } as const;
    at.rehearsal.target.faults.add(lost);
    const { record } = await at.rollback(synced, { deleteCreated: true });
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.created?.removed).toHaveLength(7);
    expect(record.created?.there).toMatchObject([
      { itemId: transportItems.app, reason: 'somebody has changed it since' },
    ]);
    const { [transportItems.app]: used, ...others } = await portrait('target');
    expect(used).toMatchObject({ snippet: 'we use it' });
    expect(others).toEqual(before);
    expect(at.asked('target', 'group.import')).toBe(imports);
  });
});
