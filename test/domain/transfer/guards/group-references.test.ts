import { describe, expect, it } from '@jest/globals';
import { retrier } from '../../../../src/domain/transfer/retry';
import {
  classifyAll,
  type ReferenceScope,
  referencesResolve,
} from '../../../../src/domain/transfer/guards/group';
import { readLinks, lookupOn } from '../../../../src/domain/transfer/references/lookup';
import { readPortalFacts } from '../../../../src/domain/transfer/portal-facts';
import { routeAddresses } from '../../../../src/domain/transfer/references/addresses';
import { releaseFrom } from '../../../../src/portal/http/versions';
import { transportGroupId, transportItems as ids } from '../../../../src/simulator/seed/transport';
import { itemsOf, setData, TwoPortals } from '../two-portals';

const two = new TwoPortals();

const look = (end: 'source' | 'target', user: 'owner' | 'other', groupId: string) =>
  lookupOn(two.connect(end, user), retrier(), new Set()).group(groupId);

it('the lookup calls a group hidden if only an empty listing is returned', async () => {
  two.source.faults.add({ match: { operation: 'group.read' }, do: { status: 404 } });
  for (const { id } of [...two.source.world.items.values()])
    two.source.world.items.change(id, { groups: [] });
  expect(await look('source', 'owner', transportGroupId)).toEqual({ state: 'hidden' });
});

describe('the guard of references', () => {
  async function check(itemIds?: string[], onLinks?: ReferenceScope['onLinks']) {
    const source = two.connect('source', 'owner');
    const target = two.connect('target', 'owner');
    const items = await itemsOf(source, transportGroupId);
    const asked = itemIds === undefined ? items : items.filter(({ id }) => itemIds.includes(id));
    const [from, to] = [await readPortalFacts(source), await readPortalFacts(target)];
    return referencesResolve({
      source,
      target,
      items: classifyAll(asked, releaseFrom('11.2')),
      addresses: routeAddresses(from.addresses, to.addresses),
      onLinks,
    });
  }

  it('reports which items refer to others, like a backup', async () => {
    const links: Record<string, readonly string[]> = {};
    await check(undefined, (itemId, to) => {
      if (to.length > 0) links[itemId] = to;
    });
    expect(links[ids.map]).toEqual(expect.arrayContaining([ids.roads]));
    expect(links[ids.story]).toEqual(expect.arrayContaining([ids.map]));
    expect(links[ids.roads]).toBeUndefined();
    const source = two.connect('source', 'owner');
    const items = await itemsOf(source, transportGroupId);
    let read = 0;
    expect(await readLinks(source, items, {}, (done) => (read = done))).toEqual(links);
    expect(read).toBeGreaterThan(0);
  });

  it('passes a group that is complete', async () => {
    expect(await check()).toMatchObject({
      name: 'references',
      verdict: 'pass',
      saw: expect.stringMatching(/^\d+ references, none missing$/),
    });
  });

  it('passes items that the target holds already', async () => {
    expect((await check([ids.story])).verdict).toBe('pass');
  });

  it('warns of items that neither the group nor the target holds', async () => {
    const result = await check([ids.scene, ids.story]);
    expect(result.verdict).toBe('unknown');
    expect(result.saw).toContain(
      `"Transport in 3D: data.operationalLayers[0].itemId names Feature Service "State routes" (${ids.roads})"`,
    );
    expect(result.saw).toContain(`(${ids.projects})`);
  });

  it('warns of a service that stays on the source', async () => {
    const { world } = two.source;
    const url = `${world.gisServerUrl}/rest/services/Closures/MapServer`;
    const data = { operationalLayers: [{ id: 'a', url: `${url}/0` }] };
    await setData(two.source, ids.scene, JSON.stringify(data));
    const asAdmin = await readPortalFacts(two.connect('source', 'admin'));
    const scene = { id: ids.scene, type: 'Web Scene', title: 'Transport in 3D' };
    const result = await referencesResolve({
      source: two.connect('source', 'owner'),
      target: two.connect('target', 'owner'),
      items: classifyAll([scene], releaseFrom('11.2')),
      addresses: routeAddresses(asAdmin.addresses, [two.target.url]),
    });
    expect(result).toMatchObject({
      verdict: 'unknown',
      saw: `neither in the group nor on the target: "Transport in 3D: data.operationalLayers[0].url names ${url}/0, a service that stays on staging"`,
    });
  });

  it('warns of items in the group that the export may skip', async () => {
    two.source.world.items.change(ids.map, { type: 'Hologram' });
    two.target.world.items.remove(ids.map);
    const { verdict, saw } = await check();
    expect(verdict).toBe('unknown');
    expect(saw).toMatch(/^in the group, but may be skipped by the export: /);
    expect(saw).toContain(`names Hologram "Transport projects" (${ids.map})`);
  });

  it('warns of an app whose group ID nothing replaces', async () => {
    const values = { group: transportGroupId, webmap: ids.map };
    await setData(two.source, ids.app, JSON.stringify({ values }));
    expect((await check([ids.app])).saw).toBe(
      `configured by a group that the target does not have, so empty there until set: "Projects near you: data.values.group names group "Transport" (${transportGroupId})"`,
    );
  });

  it('names documents that it could not read', async () => {
    two.source.faults.add({ match: { path: ids.scene }, do: { error: { code: 500, message: 'No disk.' } } });
    const result = await check([ids.scene, ids.story]);
    expect(result.verdict).toBe('unknown');
    expect(result.saw).toBe('unreadable: "Transport in 3D: staging answered item.data: No disk."');
  });
});
