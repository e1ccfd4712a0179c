import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SimulatorOptions } from '../../src/simulator/options';
import {
  transportExtraItems,
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../src/simulator/seed/transport';
import type { Simulator } from '../../src/simulator/simulator';
import { freeServerPort } from '../support/free-port';
import { addPackage, Client, exportBytes, type Fault, signIn, start, stopAll } from './harness';

type Started = Fault & { readonly jobId: string; readonly key: string };

const importPath = `/community/groups/${transportTargetGroupId}/import`;

/** The package of the small items of the seed, made once; its source is gone when the tests run. */
let bytes: Buffer;
let sourceOrigin: string;

beforeAll(async () => {
  const source = await start({ seed: 'transport', version: '11.2' });
  sourceOrigin = source.world.origin;
  const { image, dashboard, view, ...small } = transportItems;
  expect([image, dashboard, view]).toHaveLength(3);
  const client = await signIn(source, 'owner');
  bytes = await exportBytes(client, transportGroupId, { itemIdList: Object.values(small).join(',') });
  await stopAll();
});

afterEach(stopAll);
afterAll(stopAll);

async function target(
  options: Partial<SimulatorOptions> = {},
): Promise<{ simulator: Simulator; client: Client; itemId: string }> {
  const simulator = await start({ seed: 'transport-target', ...options });
  const client = await signIn(simulator, 'owner');
  return { simulator, client, itemId: await addPackage(client, bytes) };
}

async function carry(
  client: Client,
  params: Record<string, string>,
): Promise<Awaited<ReturnType<Client['wait']>>> {
  return client.wait(await client.call<Started>(importPath, { async: 'true', ...params }));
}

const ids = (entries: readonly { itemId: string }[] | undefined): string[] =>
  (entries ?? []).map(({ itemId }) => itemId).sort();

/** What the target holds becomes foreign in one way each: outside of the group, of others, of another type. */
function estrange(simulator: Simulator): void {
  simulator.world.items.change(transportItems.csv, { groups: [] });
  simulator.world.items.change(transportItems.map, { owner: 'other' });
  simulator.world.items.change(transportItems.boundaries, { type: 'Map Service' });
}
const existing = [transportItems.map, transportItems.csv, transportItems.boundaries].sort();

describe('an import', () => {
  it('overwrites items, but not their owner, folder, access and groups', async () => {
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

  it('overwrites items foreign to the group, which they join', async () => {
    const { simulator, client, itemId } = await target();
    estrange(simulator);
    const { result } = await carry(client, { itemId, overwriteExistingItems: 'true' });
    expect(ids(result?.itemsImported)).toHaveLength(10);
    const { items } = simulator.world;
    expect(items.get(transportItems.csv)?.groups).toEqual([transportTargetGroupId]);
    expect(items.get(transportItems.map)?.owner).toBe('other');
    expect(items.get(transportItems.boundaries)?.type).toBe('Feature Service');
  });

  it('fails foreign items on portals that refuse them, and completes', async () => {
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

  it("overwrites other members' items in a shared-update group", async () => {
    const { simulator, client, itemId } = await target({ refuseForeign: true });
    simulator.world.groups.change(transportTargetGroupId, { capabilities: ['updateitemcontrol'] });
    simulator.world.items.change(transportItems.map, { owner: 'other' });
    const record = await carry(client, { itemId, overwriteExistingItems: 'true' });
    expect(ids(record.result?.itemsImported)).toContain(transportItems.map);
    expect(simulator.world.items.get(transportItems.map)?.owner).toBe('other');
  });

  it('leaves no source address in records, data and resources', async () => {
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

  it('numbers a hosted service whose name is taken, in addresses too', async () => {
    const { simulator, client, itemId } = await target();
    const path = 'server/Hosted/StateRoutes/FeatureServer';
    simulator.world.services.put(path, { path, layers: [], tables: [] });
    await carry(client, { itemId });
    expect(simulator.world.items.get(transportItems.roads)?.url).toMatch(/\/StateRoutes_1\/FeatureServer$/);
    const scene = await (await client.get(`/content/items/${transportItems.scene}/data`)).text();
    expect(scene).toContain('/Hosted/StateRoutes_1/FeatureServer/0');
  });

  it('ignores folder and keeping of the package on older portals', async () => {
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

  it('is refused without a package, and on a read-only portal', async () => {
    const { simulator, client } = await target();
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

  it('fails halfway when the disk fills; an export then leaves no package', async () => {
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

  it('fails when the package is damaged', async () => {
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

  it('returns its lists when it is synchronous', async () => {
    const { client, itemId } = await target({ strict: true });
    const answer = await client.call<{ result: object }>(importPath, {
      itemId,
      itemIdList: transportItems.pdf,
    });
    expect(answer).toEqual({
      result: { itemsImported: [{ itemId: transportItems.pdf }], itemsSkipped: [], itemsFailedImport: [] },
    });
  });

  it('continues after a restart of the portal', async () => {
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
