import { describe, expect, it } from '@jest/globals';
import {
  transportExtraItems,
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../src/simulator/seed/transport';
import { freeServerPort } from '../support/free-port';
import { addPackage, Client, exportBytes, signIn, start } from './harness';
import {
  bytes,
  carry,
  estrange,
  existing,
  ids,
  importPath,
  sourceOrigin,
  type Started,
  target,
} from './import-target';

describe('an import', () => {
  it('keeps what exists, byte by byte, unless it is told to overwrite', async () => {
    const { simulator, client, itemId } = await target();
    const before = existing.map((id) => simulator.world.items.get(id));
    const data = async (): Promise<string> =>
      (await client.get(`/content/items/${transportItems.map}/data`)).text();
    const dataBefore = await data();
    const { result } = await carry(client, { itemId });
    expect(ids(result?.itemsSkipped)).toEqual(existing);
    expect(result?.itemsImported).toHaveLength(7);
    expect(existing.map((id) => simulator.world.items.get(id))).toEqual(before);
    expect(await data()).toBe(dataBefore);
  });

  it('overwrites when told to, and leaves owner, folder, access and groups of what existed', async () => {
    const { simulator, client, itemId } = await target();
    const { boundaries } = transportItems;
    simulator.world.services.change('server/Hosted/CountyBoundaries/FeatureServer', { layers: [] });
    simulator.world.items.change(transportItems.map, { access: 'org' });
    const { result } = await carry(client, { itemId, overwriteExistingItems: 'TRUE' });
    expect(ids(result?.itemsImported)).toHaveLength(10);
    const map = simulator.world.items.get(transportItems.map);
    expect(map).toMatchObject({
      access: 'org',
      owner: 'owner',
      ownerFolder: null,
      groups: [transportTargetGroupId],
    });
    expect(map?.snippet).toBe('Planned projects of the state highway system');
    const url = simulator.world.items.get(boundaries)?.url ?? '';
    expect(await client.call(`${url}/0/query`, { where: '1=1', returnCountOnly: 'true' })).toEqual({
      count: 39,
    });
    expect(simulator.world.items.has(transportExtraItems.notes)).toBe(true);
  });

  it.each([
    ['itself', undefined],
    ['the source', 'source'],
  ] as const)('dates what it makes by %s, and leaves the date of what exists', async (_, how) => {
    const { simulator, client, itemId } = await target({ importedCreated: how });
    const { map, app } = transportItems;
    const { items } = simulator.world;
    const made = items.get(map)?.created;
    const before = Date.now();
    await carry(client, { itemId, overwriteExistingItems: 'true' });
    expect(items.get(map)?.created).toBe(made);
    expect((items.get(app)?.created ?? 0) >= before).toBe(how === undefined);
  });

  it('overwrites what is foreign to the group as well, which then is in it', async () => {
    const { simulator, client, itemId } = await target();
    estrange(simulator);
    const { result } = await carry(client, { itemId, overwriteExistingItems: 'true' });
    expect(ids(result?.itemsImported)).toHaveLength(10);
    const { items } = simulator.world;
    expect(items.get(transportItems.csv)?.groups).toEqual([transportTargetGroupId]);
    expect(items.get(transportItems.map)?.owner).toBe('other');
    expect(items.get(transportItems.boundaries)?.type).toBe('Feature Service');
  });

  it('leaves what is foreign alone on portals that refuse it, and still completes', async () => {
    const { simulator, client, itemId } = await target({
      refuseForeign: true,
      failImport: [transportItems.pdf],
    });
    estrange(simulator);
    const before = existing.map((id) => simulator.world.items.get(id));
    const record = await carry(client, { itemId, overwriteExistingItems: 'true' });
    expect(record.status).toBe('completed');
    expect(ids(record.result?.itemsFailedImport)).toEqual([...existing, transportItems.pdf].sort());
    expect(existing.map((id) => simulator.world.items.get(id))).toEqual(before);
  });

  it('fails as a whole, before anything is imported, where one of its items is failing', async () => {
    const { simulator, client, itemId } = await target({ failing: [transportItems.pdf] });
    const before = [...simulator.world.items.values()].length;
    const failed = await carry(client, { itemId, overwriteExistingItems: 'true' });
    expect(failed.status).toBe('failed');
    expect(JSON.stringify(failed)).not.toContain(transportItems.pdf);
    expect([...simulator.world.items.values()]).toHaveLength(before);
    const part = { itemId, overwriteExistingItems: 'true', itemIdList: transportItems.csv };
    expect((await carry(client, part)).status).toBe('completed');
  });

  it('overwrites items of other members in a Shared-updates group', async () => {
    const { simulator, client, itemId } = await target({ refuseForeign: true });
    simulator.world.groups.change(transportTargetGroupId, { capabilities: ['updateitemcontrol'] });
    simulator.world.items.change(transportItems.map, { owner: 'other' });
    const record = await carry(client, { itemId, overwriteExistingItems: 'true' });
    expect(ids(record.result?.itemsImported)).toContain(transportItems.map);
    expect(simulator.world.items.get(transportItems.map)?.owner).toBe('other');
  });

  it('leaves no address of the source in records, data and resources', async () => {
    const { simulator, client, itemId } = await target();
    await carry(client, { itemId, overwriteExistingItems: 'true' });
    for (const id of Object.values(transportItems)) {
      const item = simulator.world.items.get(id);
      if (!item) continue;
      const texts = [JSON.stringify(item), await (await client.get(`/content/items/${id}/data`)).text()];
      for (const { resource } of simulator.world.resourcesOf(id)) {
        texts.push(await (await client.get(`/content/items/${id}/resources/${resource}`)).text());
      }
      expect(texts.filter((text) => text.includes(new URL(sourceOrigin).host))).toEqual([]);
    }
    const map = await (await client.get(`/content/items/${transportItems.map}/data`)).text();
    expect(map).toContain(
      `${simulator.world.hostingServerUrl}/rest/services/Hosted/PlannedProjects/FeatureServer/0`,
    );
    expect(map).toContain(
      'https://data.wsdot.wa.gov/arcgis/rest/services/Shared/LegislativeDistricts/MapServer',
    );
  });

  it('numbers a hosted service whose name is taken, and rewrites what names it', async () => {
    const { simulator, client, itemId } = await target();
    const path = 'server/Hosted/StateRoutes/FeatureServer';
    simulator.world.services.put(path, { path, layers: [], tables: [] });
    await carry(client, { itemId });
    expect(simulator.world.items.get(transportItems.roads)?.url).toMatch(/\/StateRoutes_1\/FeatureServer$/);
    const scene = await (await client.get(`/content/items/${transportItems.scene}/data`)).text();
    expect(scene).toContain('/Hosted/StateRoutes_1/FeatureServer/0');
  });

  it('takes the items named, into the folder named, and keeps the package where asked to', async () => {
    const { simulator, client, itemId } = await target();
    const made = await client.call<{ folder: { id: string } }>('/content/users/owner/createFolder', {
      title: 'In',
    });
    const record = await carry(client, {
      itemId,
      itemIdList: `${transportItems.pdf},${transportItems.story}`,
      folderId: made.folder.id,
      folderOwnerUsername: 'owner',
      keepPackageItemAfterImport: 'true',
    });
    expect(ids(record.result?.itemsImported)).toEqual([transportItems.story, transportItems.pdf].sort());
    expect(simulator.world.items.get(transportItems.pdf)?.ownerFolder).toBe(made.folder.id);
    expect(simulator.world.items.has(itemId)).toBe(true);
  });

  it('puts new items into the folder that the portal names, where neither group nor request does', async () => {
    const { simulator, client, itemId } = await target({ importFolder: 'Exports' });
    await carry(client, { itemId, itemIdList: transportItems.pdf });
    const { items, folders } = simulator.world;
    expect(folders.get(items.get(transportItems.pdf)?.ownerFolder ?? '')?.title).toBe('Exports');
  });

  it('on older portals knows neither folder nor the wish to keep the package', async () => {
    const older = await start({ seed: 'transport', version: '10.8.1' });
    const source = await signIn(older, 'owner');
    const old = await exportBytes(source, transportGroupId, { itemIdList: transportItems.pdf });
    const simulator = await start({ seed: 'transport-target', version: '10.8.1' });
    const client = await signIn(simulator, 'owner');
    const itemId = await addPackage(client, old);
    await carry(client, { itemId, folderId: 'no-such-folder', keepPackageItemAfterImport: 'true' });
    const folder = simulator.world.folders.get(
      simulator.world.items.get(transportItems.pdf)?.ownerFolder ?? '',
    );
    expect(folder?.title).toBe('Transport');
    expect(simulator.world.items.has(itemId)).toBe(false);
  });

  it('is refused for a package of a later version, for no package, and on a read-only portal', async () => {
    const { simulator, client, itemId } = await target({ version: '11.1' });
    const later = {
      error: { code: 400, message: 'The package was created by version 11.2.0, later than 11.1.0.' },
    };
    expect(await client.call(importPath, { itemId, previewOnly: 'true' })).toMatchObject(later);
    expect(await client.call(importPath, { itemId, async: 'true' })).toMatchObject(later);
    expect(await client.call(importPath, { itemId: transportItems.csv })).toMatchObject({
      error: { code: 400 },
    });
    expect(await client.call(importPath, {})).toMatchObject({
      error: { message: "'itemId' property required." },
    });
    const broken = await addPackage(client, Buffer.from('PK no zip at all'));
    expect(await client.call(importPath, { itemId: broken })).toMatchObject({
      error: { message: 'The item is not a valid export package.' },
    });
    simulator.settings.readOnly = true;
    expect(await client.call('/portals/self')).toMatchObject({ isReadOnly: true });
    expect(await client.call('/content/users/owner/createFolder', { title: 'x' })).toMatchObject({
      error: { code: 403 },
    });
  });

  it('lists as failed what is larger than an item may be, and fails where the package is larger than one may be', async () => {
    const { simulator, client, itemId } = await target({ maxItemBytes: 1000 });
    const { result } = await carry(client, {
      itemId,
      itemIdList: `${transportItems.csv},${transportItems.pdf}`,
    });
    expect(ids(result?.itemsImported)).toEqual([transportItems.pdf]);
    const again = await addPackage(client, bytes);
    expect(
      ids((await carry(client, { itemId: again, overwriteExistingItems: 'true' })).result?.itemsFailedImport),
    ).toContain(transportItems.csv);
    simulator.settings.maxPackageBytes = bytes.length - 1;
    const larger = await addPackage(client, bytes);
    expect(await carry(client, { itemId: larger })).toMatchObject({ status: 'failed' });
    expect(simulator.world.items.has(larger)).toBe(true);
  });

  it('fails on a disk that fills, with what it had brought by then, and an export there leaves no package', async () => {
    const { simulator, client, itemId } = await target();
    const { files, items } = simulator.world;
    simulator.settings.diskBytes = (await files.used()) + 500_000;
    const record = await carry(client, { itemId, overwriteExistingItems: 'false' });
    expect(record.status).toBe('failed');
    expect(record.messages.at(-1)).toBe('No space left on device');
    const brought = [...items.values()].filter(({ importedBy }) => importedBy === record.id).length;
    expect(brought).toBeGreaterThan(0);
    expect(brought).toBeLessThan(8);
    expect(items.has(itemId)).toBe(true);
    simulator.settings.diskBytes = (await files.used()) + 100;
    const path = importPath.replace(/import$/, 'export');
    const exported = await client.wait(await client.call<Started>(path, { async: 'true' }));
    expect(exported).toMatchObject({ status: 'failed' });
    expect(exported.messages.at(-1)).toBe('No space left on device');
    expect([...items.values()].filter(({ type }) => type === 'Export Package')).toHaveLength(1);
  });

  it('fails where the package is damaged within', async () => {
    const damaged = Buffer.from(bytes);
    const at = Math.floor(damaged.length / 2);
    damaged.fill(0, at, at + 2000);
    const simulator = await start({ seed: 'transport-target' });
    const client = await signIn(simulator, 'owner');
    const itemId = await addPackage(client, damaged);
    const record = await carry(client, { itemId });
    expect(record.status).toBe('failed');
    expect(simulator.world.items.has(itemId)).toBe(true);
  });

  it('answers its lists at once when it is not asynchronous', async () => {
    const { client, itemId } = await target({ strict: true });
    const answer = await client.call<{ result: object }>(importPath, {
      itemId,
      itemIdList: transportItems.pdf,
    });
    expect(answer).toEqual({
      result: { itemsImported: [{ itemId: transportItems.pdf }], itemsSkipped: [], itemsFailedImport: [] },
    });
  });

  it('lists skipped items as plain ids on portals that do so', async () => {
    const { client, itemId } = await target({ entryShape: 'string' });
    const answer = await client.call(importPath, { itemId, itemIdList: transportItems.csv });
    expect(answer).toMatchObject({ result: { itemsSkipped: [transportItems.csv] } });
  });

  it('goes on after the portal was closed in the middle of it', async () => {
    const { simulator, client, itemId } = await target({
      jobMs: 400,
      jobPolls: 0,
      port: await freeServerPort(),
    });
    const job = await client.call<Started>(importPath, { itemId, async: 'true' });
    while (!simulator.world.items.find(({ importedBy }) => importedBy === job.jobId)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await simulator.close();
    const again = await start({ state: simulator.world.stateFolder, jobPolls: 0 });
    const after = new Client(again, client.token);
    // The pool of connections may still hold one that the first portal closed.
    await after.call('/portals/self').catch(() => undefined);
    const record = await after.wait(job);
    expect(record).toMatchObject({ status: 'completed' });
    expect(ids(record.result?.itemsImported)).toHaveLength(7);
    expect(ids(record.result?.itemsSkipped)).toEqual(existing);
    expect(again.world.items.has(itemId)).toBe(false);
  });
});
