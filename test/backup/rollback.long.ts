import { afterEach, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../src/simulator/seed/transport';
import { signIn } from '../simulator/harness';
import { Site } from '../support/site';
import { holdingsOf, without } from './holdings';

let at: Site;
afterEach(() => at.close());

/** Items and their content, but for the times and marks that portals set themselves. */
async function portrait() {
  const holdings = [...(await holdingsOf(at.target.world))];
  const own = ['modified', 'readableAt', 'indexedAt', 'importedBy', 'data'];
  return Object.fromEntries(
    holdings.map(([id, { item, ...content }]) => [id, { ...without(own, item), ...content }]),
  );
}

describe('a rollback', () => {
  it('undoes a sync, for items from outside the group too', async () => {
    at = await Site.open({ target: { refuseForeign: false, importedCreated: 'source' } });
    const { csv, boundaries, app, roads, projects } = transportItems;
    const { source, target } = at;
    target.world.items.change(csv, {
      groups: [],
      access: 'private',
      tags: ['ours'],
      snippet: 'counted by hand',
    });
    const client = await signIn(target, 'owner');
    const path = `/content/users/owner/items/${csv}`;
    const [logo, picture] = [Buffer.from('a logo'), Buffer.from('a picture')];
    await client.upload(`${path}/addResources`, logo, { fileName: 'logo.png', resourcesPrefix: 'brand' });
    await client.upload(`${path}/update`, picture, {}, { field: 'thumbnail', name: 'csv.png' });
    await client.call(`${path}/protect`);
    const editRows = (name: string, layerId: number) =>
      client.call(
        `${target.world.hostingServerUrl}/rest/services/Hosted/${name}/FeatureServer/${layerId}/applyEdits`,
        {
          updates: JSON.stringify([{ attributes: { OBJECTID: 3, NAME: 'as it is here' } }]),
          deletes: '5',
        },
      );
    await editRows('CountyBoundaries', 0);
    const before = await portrait();

    const { record: synced } = await at.sync(at.route({ overwrite: true, data: 'replace', take: [csv] }));
    expect(synced).toMatchObject({ status: 'succeeded', plan: { overwrite: 3, create: 8 } });
    const rows = await at.snapshots.rowsOf(await at.snapshots.read(synced.snapshot?.id ?? ''));
    expect(rows.map(({ itemId, saved }) => [itemId, saved]).sort()).toEqual(
      [
        [csv, 'copy'],
        [boundaries, 'package'],
        [transportItems.map, 'package'],
      ].sort(),
    );
    const overwritten = await portrait();
    for (const id of Object.keys(before)) {
      if (rows.some(({ itemId }) => itemId === id)) expect(overwritten[id]).not.toEqual(before[id]);
      else expect(overwritten[id]).toEqual(before[id]);
    }

    const ofBefore = async () => {
      const now = await portrait();
      return Object.fromEntries(Object.keys(before).map((id) => [id, now[id]]));
    };
    for (let time = 1; time <= 2; time++) {
      await client.call(`${path}/deleteThumbnail`);
      await client.call(`${path}/unprotect`);
      const { record } = await at.rollback(synced);
      expect(record).toMatchObject({ status: 'succeeded', created: { removed: [] } });
      expect(record.created?.there).toHaveLength(8);
      expect(await ofBefore()).toEqual(before);
    }

    // Somebody goes on with what the sync had created: an item, and the features of a layer alone.
    await client.call(`/content/users/owner/items/${app}/update`, { snippet: 'we use it' });
    await editRows('StateRoutes', 2);
    const { record } = await at.rollback(synced, { deleteCreated: true });
    expect(record).toMatchObject({ status: 'partial' });
    expect(record.created?.there.map(({ itemId, reason }) => [itemId, reason]).sort()).toEqual(
      [
        [app, 'it has changed since'],
        [roads, 'its features have been edited since'],
      ].sort(),
    );
    expect(record.created?.removed).toContain(projects);
    expect(record.created?.removed).toHaveLength(6);
    expect(await ofBefore()).toEqual(before);
    expect(Object.keys(await portrait()).sort()).toEqual([...Object.keys(before), app, roads].sort());
    expect(at.packages()).toEqual([]);
    expect(source.world.items.get(csv)?.tags).not.toContain('ours');
  });
});
