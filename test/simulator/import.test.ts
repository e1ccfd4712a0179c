import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SimulatorOptions } from '../../src/simulator/options';
import { transportGroupId, transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
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
const existing = [transportItems.map, transportItems.csv, transportItems.boundaries].sort();

describe('an import', () => {
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
