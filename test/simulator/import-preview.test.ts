import { describe, expect, it } from '@jest/globals';
import { manyGroupId } from '../../src/simulator/seed/seeds';
import { transportTargetGroupId } from '../../src/simulator/seed/transport';
import { addPackage, exportBytes, signIn, start } from './harness';
import {
  estrange,
  existing,
  importPath,
  type Preview,
  sourceOrigin,
  type Started,
  target,
} from './import-target';

describe('the preview of an import', () => {
  it('says where the package comes from and what is there, and changes nothing', async () => {
    const { simulator, client, itemId } = await target();
    const before = simulator.world.items.size;
    const preview = await client.call<Preview>(importPath, { itemId, previewOnly: 'true' });
    expect(preview.packageSummary).toMatchObject({
      id: itemId,
      packageVersion: '1.0',
      sourcePortalInfo: { httpsUrl: `${sourceOrigin}/portal`, version: '11.2.0', isPortal: true },
    });
    expect(preview).toMatchObject({ total: 10, start: 1, num: 10, nextStart: -1 });
    expect(
      preview.results
        .filter(({ exists }) => exists)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(existing);
    expect(preview.results.every(({ canImport }) => canImport)).toBe(true);
    expect(simulator.world.items.size).toBe(before);
  });

  it('is paged by the package item’s id, by GET and POST, once it was asked for', async () => {
    const { client, itemId } = await target();
    const path = `/community/groups/${transportTargetGroupId}/importPreview/${itemId}`;
    expect(await client.call(path)).toMatchObject({ error: { code: 404 } });
    await client.call(importPath, { itemId, previewOnly: 'true' });
    const first = await client.call<Preview>(path, { num: '4' });
    expect(first).toMatchObject({ total: 10, start: 1, num: 4, nextStart: 5 });
    const last = (await (await client.get(`${path}?f=json&start=9&num=4`)).json()) as Preview;
    expect(last).toMatchObject({ start: 9, num: 2, nextStart: -1 });
  });

  it('can be paged by the summary’s id on portals that do so', async () => {
    const { client, itemId } = await target({ previewId: 'summary' });
    const preview = await client.call<Preview>(importPath, { itemId, previewOnly: 'true' });
    const path = (id: string): string => `/community/groups/${transportTargetGroupId}/importPreview/${id}`;
    expect(preview.packageSummary.id).not.toBe(itemId);
    expect(await client.call(path(itemId))).toMatchObject({ error: { code: 404 } });
    expect(await client.call(path(preview.packageSummary.id))).toMatchObject({ total: 10 });
  });

  it('says of all that it can be imported, but on portals that refuse what is foreign', async () => {
    const { simulator, client, itemId } = await target();
    estrange(simulator);
    const blocked = async (): Promise<string[]> => {
      const { results } = await client.call<Preview>(importPath, { itemId, previewOnly: 'true' });
      return results.filter(({ canImport }) => !canImport).map(({ id }) => id);
    };
    expect(await blocked()).toEqual([]);
    simulator.settings.refuseForeign = true;
    expect((await blocked()).sort()).toEqual(existing);
  });

  it('has pages some time after it was asked for, on portals that prepare them', async () => {
    const { simulator, client, itemId } = await target({ previewLagMs: 3600_000 });
    expect(await client.call(importPath, { itemId, previewOnly: 'true' })).toMatchObject({ total: 10 });
    const path = `/community/groups/${transportTargetGroupId}/importPreview/${itemId}`;
    expect(await client.call(path)).toMatchObject({ error: { code: 404 } });
    simulator.settings.previewLagMs = 0;
    expect(await client.call(path)).toMatchObject({ total: 10 });
  });

  it('has 25 rows at first, 100 at most, and reaches the last of many', async () => {
    const source = await start({ seed: 'many', seedItems: 230, version: '11.2' });
    const many = await exportBytes(await signIn(source, 'owner'), manyGroupId);
    const simulator = await start({ seed: 'transport-target' });
    const client = await signIn(simulator, 'owner');
    const itemId = await addPackage(client, many);
    const first = await client.call<Preview>(importPath, { itemId, previewOnly: 'true' });
    expect(first).toMatchObject({ total: 230, num: 25, nextStart: 26 });
    const path = `/community/groups/${transportTargetGroupId}/importPreview/${itemId}`;
    const seen = new Set<string>();
    for (let start = 1; start > 0;) {
      const page = await client.call<Preview>(path, { start: String(start), num: '500' });
      expect(page.num).toBeLessThanOrEqual(100);
      for (const { id } of page.results) seen.add(id);
      start = page.nextStart;
    }
    expect(seen.size).toBe(230);
    await client.wait(await client.call<Started>(importPath, { itemId, async: 'true' }));
    expect(await client.call(`/content/groups/${transportTargetGroupId}`)).toMatchObject({
      total: 235,
      num: 10,
    });
  });
});
