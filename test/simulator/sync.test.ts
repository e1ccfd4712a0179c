import { afterEach, describe, expect, it } from '@jest/globals';
import { transportGroupId, transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { addPackage, exportBytes, signIn, start, stopAll } from './harness';

afterEach(stopAll);

interface Started {
  readonly jobId: string;
  readonly key: string;
}

describe('a group carried from one simulated portal to another', () => {
  it('keeps ids, becomes the importer’s, names the target everywhere and lies in a folder named after the group', async () => {
    const source = await start({ seed: 'transport', version: '11.2' });
    const target = await start({ seed: 'transport-target', version: '11.4' });
    const from = await signIn(source, 'owner');
    const to = await signIn(target, 'owner');
    const bytes = await exportBytes(from, transportGroupId);
    const packageId = await addPackage(to, bytes);

    const job = await to.call<Started>(`/community/groups/${transportTargetGroupId}/import`, {
      itemId: packageId,
      async: 'true',
      overwriteExistingItems: 'false',
    });
    const record = await to.wait(job);

    expect(record.status).toBe('completed');
    expect(record.result?.itemsImported).toHaveLength(8);
    expect(record.result?.itemsSkipped?.map(({ itemId }) => itemId).sort()).toEqual(
      [transportItems.map, transportItems.csv, transportItems.boundaries].sort(),
    );
    const scene = await to.call<{ owner: string; ownerFolder: string }>(
      `/content/items/${transportItems.scene}`,
    );
    expect(scene.owner).toBe('owner');
    const folder = await to.call<{ currentFolder: { title: string } }>(
      `/content/users/owner/${scene.ownerFolder}`,
    );
    expect(folder.currentFolder.title).toBe('Transport');
    const data = await (await to.get(`/content/items/${transportItems.app}/data`)).text();
    expect(data).toContain(target.world.portalUrl);
    expect(data).not.toContain(source.world.origin);
    const resource = await (
      await to.get(`/content/items/${transportItems.experience}/resources/config/config.json`)
    ).text();
    expect(resource).toContain(target.world.hostingServerUrl);
    expect(resource).not.toContain(source.world.origin);
    const service = await to.call<{ url: string }>(`/content/items/${transportItems.roads}`);
    const count = await to.call<{ count: number }>(`${service.url}/1/query`, {
      where: '1=1',
      returnCountOnly: 'true',
    });
    expect(count.count).toBe(2500);
    expect(await to.call(`/content/items/${packageId}`)).toMatchObject({ error: { code: 400 } });
  });
});
