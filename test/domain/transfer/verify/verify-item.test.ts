import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hostedAddresses } from '../../../../src/domain/transfer/classify-item';
import { countHostedLayers } from '../../../../src/domain/transfer/hosted-layers';
import {
  openVerification,
  originOn,
  type VerifyContext,
} from '../../../../src/domain/transfer/verify/verify-context';
import { readPortalFacts } from '../../../../src/domain/transfer/portal-facts';
import { routeAddresses } from '../../../../src/domain/transfer/references/portal-addresses';
import { serviceKey } from '../../../../src/domain/transfer/references/service-url';
import {
  type ExpectedItem,
  verifyItem,
  verifyItems,
} from '../../../../src/domain/transfer/verify/verify-item';
import { groupContentPages } from '../../../../src/portal/resources/groups';
import type { Item } from '../../../../src/portal/resources/items/item';
import { readItem } from '../../../../src/portal/resources/items/items';
import type { Portal } from '../../../../src/portal/client';
import {
  transportGroupId,
  transportItems as ids,
  transportTargetGroupId,
} from '../../../../src/simulator/seed/transport';
import { startTwoPortals, type TwoPortals } from '../two-portals';

/** All that export takes but the large image. */
const carried = [
  ids.map,
  ids.scene,
  ids.app,
  ids.story,
  ids.experience,
  ids.csv,
  ids.pdf,
  ids.roads,
  ids.projects,
  ids.boundaries,
];

let two: TwoPortals;
beforeEach(async () => {
  two = await startTwoPortals();
});
afterEach(() => two.close());

async function listing(end: 'source' | 'target', user: 'admin' | 'owner'): Promise<Item[]> {
  const groupId = end === 'source' ? transportGroupId : transportTargetGroupId;
  const items: Item[] = [];
  for await (const page of groupContentPages(two.connect(end, user), groupId)) items.push(...page);
  return items;
}

/** The source as the last verification sees it. */
let connected: Portal;

/** A verification as the phase opens it, after the import. */
async function verification(user: 'admin' | 'owner' = 'admin'): Promise<VerifyContext> {
  const source = two.connect('source', user);
  const target = two.connect('target', user);
  const [from, to] = [await readPortalFacts(source), await readPortalFacts(target)];
  const [there, here] = [await listing('source', user), await listing('target', user)];
  connected = source;
  return openVerification({
    origin: originOn(source),
    target,
    targetGroupId: transportTargetGroupId,
    listed: new Map(here.map((item) => [item.id, item])),
    addresses: routeAddresses(from.addresses, to.addresses, {
      source: hostedAddresses(there),
      target: hostedAddresses(here),
    }),
  });
}

async function expectedOf(itemId: string, more: Partial<ExpectedItem> = {}): Promise<ExpectedItem> {
  const source = two.connect('source', 'owner');
  const item = await readItem(source, itemId);
  const layers = item.type === 'Feature Service' ? await countHostedLayers(source, item) : undefined;
  return { itemId, type: item.type, title: item.title, layers, ...more };
}

/** Replaces the data of an item on the target behind everyone's back. */
async function setTargetData(itemId: string, change: (text: string) => string): Promise<void> {
  const { files } = two.target.world;
  const path = files.dataPath(itemId);
  const size = await files.write(path, change((await files.readText(path)) ?? ''));
  two.target.world.items.change(itemId, { size });
}

async function setTargetResource(itemId: string, resource: string, json: object): Promise<void> {
  const { files, resources } = two.target.world;
  const size = await files.write(files.resourcePath(itemId, resource), JSON.stringify(json));
  resources.change(`${itemId}/${resource}`, { size });
}

/** Watches how many calls of a portal are under way at one moment. */
function gauge(portal: Portal): { most: number } {
  const seen = { most: 0 };
  let running = 0;
  const watched = <T>(call: Promise<T>): Promise<T> => {
    running += 1;
    seen.most = Math.max(seen.most, running);
    return call.finally(() => (running -= 1));
  };
  const [call, open] = [portal.call.bind(portal), portal.open.bind(portal)];
  portal.call = (...request) => watched(call(...request));
  portal.open = (...request) => watched(open(...request));
  return seen;
}

describe('the verification of a sync', () => {
  it.each([
    ['admin', false],
    ['owner', false],
    ['owner', true],
  ] as const)(
    'finds nothing where nothing is wrong, as %s (portals that tell the least: %s)',
    async (user, strict) => {
      for (const { settings } of [two.source, two.target]) settings.strict = strict;
      await two.carry(carried);
      const expected = await Promise.all(carried.map((id) => expectedOf(id)));
      const steps: string[] = [];
      const result = await verifyItems(await verification(user), expected, (done, of) =>
        steps.push(`${done}/${of}`),
      );
      expect(result.findings).toEqual([]);
      expect(result.notChecked).toEqual([]);
      expect(result.checked).toBe(carried.length);
      expect(result.features).toBe(1200 + 2500 + 340 + 860 + 410 + 39);
      expect(result.references).toBeGreaterThan(30);
      expect(steps.at(-1)).toBe('10/10');
      // The layers of the real map that were never hosted here.
      expect(result.external.map(({ path }) => path)).toEqual([
        'data.operationalLayers[1].url',
        'data.operationalLayers[1].itemId',
        'data.operationalLayers[2].url',
        'data.operationalLayers[3].url',
        'data.operationalLayers[3].itemId',
        'data.operationalLayers[4].url',
        'data.operationalLayers[4].itemId',
        'data.baseMap.baseMapLayers[0].url',
      ]);
    },
  );

  it('asks each portal at most four things at a time', async () => {
    await two.carry(carried);
    const context = await verification();
    const expected = await Promise.all(carried.map((id) => expectedOf(id)));
    const seen = [gauge(connected), gauge(context.target)];
    await verifyItems(context, expected);
    expect(seen.map(({ most }) => most)).toEqual([expect.any(Number), 4]);
    expect(seen[0]?.most).toBeLessThanOrEqual(4);
  });

  it('finds an item that is missing, not in the group, or another one', async () => {
    const context = await verification();
    expect(await verifyItem(context, await expectedOf(ids.pdf))).toMatchObject({
      checked: 1,
      findings: [
        {
          itemId: ids.pdf,
          title: 'Programme 2027',
          kind: 'missing',
          hint: 'production does not hold the item: read the words of its import job.',
        },
      ],
    });
    two.target.world.items.change(ids.csv, { groups: [], type: 'PDF', title: 'Other' });
    const result = await verifyItem(await verification(), await expectedOf(ids.csv));
    expect(result.findings.map(({ kind, value }) => [kind, value])).toEqual([
      ['type-differs', 'PDF'],
      ['title-differs', 'Other'],
      ['not-in-group', undefined],
    ]);
  });

  it('finds what people had arranged around an item and the import changed', async () => {
    const before = {
      owner: 'owner',
      access: 'org',
      folder: 'e'.repeat(32),
      groups: ['f'.repeat(32), transportTargetGroupId],
    };
    two.target.world.groups.put('1'.repeat(32), {
      ...two.target.world.groups.get(transportTargetGroupId)!,
      id: '1'.repeat(32),
    });
    two.target.world.items.change(ids.csv, {
      owner: 'admin',
      access: 'shared',
      ownerFolder: 'd'.repeat(32),
      groups: [transportTargetGroupId, '1'.repeat(32)],
    });
    const result = await verifyItem(await verification(), await expectedOf(ids.csv, { before }));
    expect(result.findings.map(({ kind, value, hint }) => [kind, value, hint])).toEqual([
      ['owner-changed', 'admin', 'Set it back to owner.'],
      ['access-changed', 'shared', 'Set it back to org.'],
      ['folder-changed', 'd'.repeat(32), `Move it back to ${'e'.repeat(32)}.`],
      ['groups-changed', 'f'.repeat(32), `Share it again with group ${'f'.repeat(32)}.`],
      ['groups-changed', '1'.repeat(32), `Take it out of group ${'1'.repeat(32)}.`],
    ]);
  });

  it('lets an item that existed come into the target group, and says what it cannot compare', async () => {
    const same = { owner: 'owner', access: 'shared', groups: [] };
    expect(
      (await verifyItem(await verification(), await expectedOf(ids.csv, { before: same }))).findings,
    ).toEqual([]);
    const unknown = await verifyItem(await verification(), await expectedOf(ids.csv, { before: {} }));
    expect(unknown.checked).toBe(0);
    expect(unknown.notChecked.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'item.owner: its owner before the import is not known',
      'item.access: its access before the import is not known',
      'item.groups: its groups before the import are not known',
    ]);
  });

  it('does not take a folder that only the record tells for one that changed', async () => {
    two.target.world.items.change(ids.csv, { ownerFolder: 'd'.repeat(32) });
    const context = await verification('owner');
    const told = {
      owner: 'owner',
      access: 'shared',
      groups: [transportTargetGroupId],
      folder: 'd'.repeat(32),
    };
    expect(await verifyItem(context, await expectedOf(ids.csv, { before: told }))).toMatchObject({
      checked: 1,
      findings: [],
    });
    const silent = new Map([[ids.csv, {}]]);
    const untold = { ...told, folder: undefined };
    for (const [listed, before, reason] of [
      [silent, untold, 'its folder before the import is not known'],
      [context.listed, untold, 'its folder before the import is not known'],
      [silent, told, 'its folder now is not known'],
    ] as const) {
      const result = await verifyItem({ ...context, listed }, await expectedOf(ids.csv, { before }));
      expect(result.findings).toEqual([]);
      expect(result.notChecked.map((each) => each.reason)).toEqual([reason]);
    }
  });

  it('finds an item that came without its data', async () => {
    await setTargetData(ids.csv, () => '');
    await setTargetData(ids.map, () => '');
    const context = await verification();
    for (const id of [ids.csv, ids.map]) {
      const { findings } = await verifyItem(context, await expectedOf(id));
      expect(findings.map(({ kind, path }) => [kind, path])).toEqual([['no-data', 'data']]);
    }
    await two.source.world.files.write(two.source.world.files.dataPath(ids.csv), '');
    two.source.world.items.change(ids.csv, { size: 0 });
    expect(await verifyItem(context, await expectedOf(ids.csv))).toMatchObject({ checked: 1, findings: [] });
  });

  it('says "not checked" of data that is no document, and of data that gives no answer', async () => {
    await setTargetData(ids.map, () => 'not JSON');
    const broken = await verifyItem(await verification(), await expectedOf(ids.map));
    expect(broken).toMatchObject({
      checked: 0,
      findings: [],
      notChecked: [{ path: 'data', reason: 'it is not JSON' }],
    });

    two.target.faults.add({
      match: { operation: 'item.data' },
      do: { error: { code: 500, message: 'No disk.' } },
    });
    const silent = await verifyItem(await verification(), await expectedOf(ids.csv));
    expect(silent.checked).toBe(0);
    expect(silent.notChecked.map(({ path }) => path)).toEqual(['data']);
  });

  it('finds rows that did not come, and a layer that did not', async () => {
    await two.carry([ids.roads]);
    const { services } = two.target.world;
    const service = services.find(({ itemId }) => itemId === ids.roads)!;
    services.change(service.path, {
      layers: service.layers.map((layer) => (layer.id === 1 ? { ...layer, count: 2400 } : layer)),
      tables: [],
    });
    const result = await verifyItem(await verification(), await expectedOf(ids.roads));
    expect(result.features).toBe(1200);
    expect(result.findings).toEqual([
      {
        itemId: ids.roads,
        title: 'State routes',
        kind: 'count-differs',
        path: 'layers[1]',
        value: '2400',
        hint: '"Mileposts" has 2500 rows on staging: import its data again with --overwrite --data replace.',
      },
      {
        itemId: ids.roads,
        title: 'State routes',
        kind: 'count-differs',
        path: 'layers[2]',
        value: 'missing',
        hint: '"Surveys" is not in the service on production.',
      },
    ]);
  });

  it('never passes rows that one side did not count', async () => {
    await two.carry([ids.boundaries]);
    const context = await verification();
    const uncounted = await verifyItem(context, await expectedOf(ids.boundaries, { layers: undefined }));
    expect(uncounted.notChecked.map(({ reason }) => reason)).toEqual([
      'staging did not count its rows at export',
    ]);

    const silent = [{ layerId: 0, name: 'Counties', reason: 'it timed out' }];
    const half = await verifyItem(context, await expectedOf(ids.boundaries, { layers: silent }));
    expect([half.checked, half.features]).toEqual([0, 0]);
    expect(half.notChecked.map(({ reason }) => reason)).toEqual([
      '"Counties" was not counted on staging: it timed out',
    ]);
  });

  it("finds the source's addresses in record, data and resources, wherever clients load them", async () => {
    await two.carry([ids.experience, ids.map, ids.roads, ids.projects, ids.boundaries]);
    const { world } = two.target;
    const left = `${two.source.world.gisServerUrl}/rest/services/Closures/MapServer`;
    world.items.change(ids.experience, {
      url: `${two.source.world.portalUrl}/apps/experience/?token=secret-1`,
    });
    await setTargetResource(ids.experience, 'config/config.json', {
      dataSources: { a: { url: left.replace('http:', 'HTTPS:').replace('127.0.0.1', 'LOCALHOST') } },
    });
    await setTargetData(ids.map, (text) => {
      const map = JSON.parse(text) as { operationalLayers: object[] };
      return JSON.stringify({
        ...map,
        operationalLayers: [...map.operationalLayers, { id: 'x', url: `${left}/2` }],
      });
    });
    const context = await verification();
    const experience = await verifyItem(context, await expectedOf(ids.experience));
    expect(experience.findings.map(({ kind, path, value }) => [kind, path, value])).toEqual([
      ['source-address', 'item.url', `${two.source.world.portalUrl}/apps/experience/?token=***`],
      [
        'source-address',
        'resources["config/config.json"].dataSources.a.url',
        expect.stringMatching(/^HTTPS:/),
      ],
    ]);
    const map = await verifyItem(context, await expectedOf(ids.map));
    expect(map.findings).toEqual([
      {
        itemId: ids.map,
        title: 'Transport projects',
        kind: 'source-address',
        path: 'data.operationalLayers[7].url',
        value: `${left}/2`,
        hint: "A service on staging's own server, not hosted, so never exported: publish it for production and set its address.",
      },
    ]);
  });

  it('does not ask to share a service that came along, where only its address was not rewritten', async () => {
    await two.carry([ids.map, ids.roads, ids.projects, ids.boundaries]);
    const address = String((await readItem(two.connect('source', 'owner'), ids.roads)).url);
    await setTargetData(ids.map, (text) => {
      const map = JSON.parse(text) as { operationalLayers: object[] };
      return JSON.stringify({ ...map, operationalLayers: [{ id: 'x', url: `${address}/0` }] });
    });
    const context = await verification();
    const hints = async (services: Iterable<readonly [string, string]>): Promise<(string | undefined)[]> => {
      const sourceServices = new Map(services);
      const { findings } = await verifyItem({ ...context, sourceServices }, await expectedOf(ids.map));
      return findings.map(({ hint }) => hint);
    };
    expect(await hints([[serviceKey(address) ?? '', ids.roads]])).toEqual([
      'A hosted service of staging that production has too, whose address was not rewritten: set its address on production, or sync again with --overwrite.',
    ]);
    expect(await hints([[serviceKey(address) ?? '', ids.dashboard]])).toEqual([
      'A hosted service of staging whose address was not rewritten: share it with the source group and sync again, or set its address on production.',
    ]);
  });

  it('finds a reference that the source holds and the target does not, and leaves what neither holds', async () => {
    await two.carry([ids.scene, ids.map, ids.story]);
    const result = await verifyItem(await verification(), await expectedOf(ids.scene));
    expect(result.findings.map(({ kind, path, value }) => [kind, path, value])).toEqual([
      ['broken-reference', 'data.operationalLayers[0].itemId', ids.roads],
      [
        'broken-reference',
        'data.operationalLayers[0].url',
        `${two.target.world.hostingServerUrl}/rest/services/Hosted/StateRoutes/FeatureServer/0`,
      ],
      ['broken-reference', 'data.operationalLayers[1].layers[0].itemId', ids.projects],
      [
        'broken-reference',
        'data.operationalLayers[1].layers[0].url',
        `${two.target.world.hostingServerUrl}/rest/services/Hosted/PlannedProjects/FeatureServer/0`,
      ],
    ]);
    expect(result.findings[0]?.hint).toBe(
      'staging holds Feature Service "State routes", production does not: share it with the source group and sync again, or take the reference out.',
    );
    expect((await verifyItem(await verification(), await expectedOf(ids.story))).findings).toEqual([]);
  });

  it('is repeated as a whole when a portal does not let us in', async () => {
    const context = await verification();
    const expected = await expectedOf(ids.csv);
    await two.target.close();
    await expect(verifyItem(context, expected)).rejects.toMatchObject({ name: 'PortolanError' });
  });

  it('asks again what a portal under load put off, and does not call it unchecked', async () => {
    const context = await verification();
    const expected = await expectedOf(ids.csv);
    two.target.faults.add({
      match: { operation: 'item.data' },
      times: 2,
      do: { status: 503, retryAfter: 0 },
    });
    expect(await verifyItem(context, expected)).toMatchObject({ checked: 1, notChecked: [], findings: [] });
  });
});
