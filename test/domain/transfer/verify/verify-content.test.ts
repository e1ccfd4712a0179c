import { describe, expect, it } from '@jest/globals';
import { serviceKey } from '../../../../src/domain/transfer/references/addresses';
import { verifyItem } from '../../../../src/domain/transfer/verify/verify-item';
import { readItem } from '../../../../src/portal/resources/items/items';
import { transportItems as ids } from '../../../../src/simulator/seed/transport';
import { setData } from '../two-portals';
import { expectedOf, setTargetData, setTargetResource, two, verification, verified } from './a-verification';

/** Changes the layers of the map on the target. */
const setTargetLayers = (change: (layers: object[]) => object[]) =>
  setTargetData(ids.map, (text) => {
    const map = JSON.parse(text) as { operationalLayers: object[] };
    return JSON.stringify({ ...map, operationalLayers: change(map.operationalLayers) });
  });

describe('the verification of content', () => {
  it('finds an item without its data', async () => {
    await setTargetData(ids.csv, () => '');
    await setTargetData(ids.map, () => '');
    for (const id of [ids.csv, ids.map]) {
      const { findings } = await verified(id);
      expect(findings.map(({ kind, path }) => [kind, path])).toEqual([['no-data', 'data']]);
    }
    await setData(two.source, ids.csv, '');
    expect(await verified(ids.csv)).toMatchObject({ checked: 1, findings: [] });
  });

  it('says "not checked" of data that is no document, and of data that gives no answer', async () => {
    await setTargetData(ids.map, () => 'not JSON');
    const broken = await verified(ids.map);
    expect(broken).toMatchObject({
      checked: 0,
      findings: [],
      notChecked: [{ path: 'data', reason: 'it is not JSON' }],
    });

    two.target.faults.add({
      match: { operation: 'item.data' },
      do: { error: { code: 500, message: 'No disk.' } },
    });
    const silent = await verified(ids.csv);
    expect(silent.checked).toBe(0);
    expect(silent.notChecked.map(({ path }) => path)).toEqual(['data']);
  });

  it('finds missing rows and layers', async () => {
    await two.carry([ids.roads]);
    const { services } = two.target.world;
    const service = services.find(({ itemId }) => itemId === ids.roads)!;
    services.change(service.path, {
      layers: service.layers.map((layer) => (layer.id === 1 ? { ...layer, count: 2400 } : layer)),
      tables: [],
    });
    const result = await verified(ids.roads);
    expect(result.features).toBe(1200);
    expect(result.findings).toMatchObject([
      {
        kind: 'count-differs',
        path: 'layers[1]',
        value: '2400',
        hint: '"Mileposts" has 2500 rows on staging. Import its data again with --overwrite --data replace.',
      },
      {
        kind: 'count-differs',
        path: 'layers[2]',
        value: 'missing',
        hint: '"Surveys" is missing from the service on production.',
      },
    ]);
  });

  it('never passes rows that one side did not count', async () => {
    await two.carry([ids.boundaries]);
    const uncounted = await verified(ids.boundaries, { layers: undefined });
    expect(uncounted.notChecked.map(({ reason }) => reason)).toEqual([
      'staging did not count its rows at export',
    ]);

    const silent = [{ layerId: 0, name: 'Counties', reason: 'it timed out' }];
    const half = await verified(ids.boundaries, { layers: silent });
    expect([half.checked, half.features]).toEqual([0, 0]);
    expect(half.notChecked.map(({ reason }) => reason)).toEqual([
      '"Counties" was not counted on staging: it timed out',
    ]);
  });

  it("finds the source's addresses in record, data and resources", async () => {
    await two.carry([ids.experience, ids.map, ids.roads, ids.projects, ids.boundaries]);
    const { world } = two.target;
    const left = `${two.source.world.gisServerUrl}/rest/services/Closures/MapServer`;
    world.items.change(ids.experience, {
      url: `${two.source.world.portalUrl}/apps/experience/?token=secret-1`,
    });
    await setTargetResource(ids.experience, 'config/config.json', {
      dataSources: { a: { url: left.replace('http:', 'HTTPS:').replace('127.0.0.1', 'LOCALHOST') } },
    });
    await setTargetLayers((layers) => [...layers, { id: 'x', url: `${left}/2` }]);
    const experience = await verified(ids.experience);
    expect(experience.findings.map(({ kind, path, value }) => [kind, path, value])).toEqual([
      ['source-address', 'item.url', `${two.source.world.portalUrl}/apps/experience/?token=***`],
      [
        'source-address',
        'resources["config/config.json"].dataSources.a.url',
        expect.stringMatching(/^HTTPS:/),
      ],
    ]);
    const map = await verified(ids.map);
    expect(map.findings).toMatchObject([
      {
        kind: 'source-address',
        path: 'data.operationalLayers[7].url',
        value: `${left}/2`,
        hint: "A service on staging's own server is never exported. Publish it for production and set its address.",
      },
    ]);
  });

  it('asks to share a service only if the target lacks it', async () => {
    await two.carry([ids.map, ids.roads, ids.projects, ids.boundaries]);
    const address = String((await readItem(two.connect('source', 'owner'), ids.roads)).url);
    await setTargetLayers(() => [{ id: 'x', url: `${address}/0` }]);
    const context = await verification();
    const hints = async (services: Iterable<[string, string]>) => {
      const sourceServices = new Map(services);
      const { findings } = await verifyItem({ ...context, sourceServices }, await expectedOf(ids.map));
      return findings.map(({ hint }) => hint);
    };
    expect(await hints([[serviceKey(address) ?? '', ids.roads]])).toEqual([
      'The address of a hosted service on staging, which production has too, was not rewritten. Set it on production, or sync again with --overwrite.',
    ]);
    expect(await hints([[serviceKey(address) ?? '', ids.dashboard]])).toEqual([
      'The address of a hosted service on staging was not rewritten. Share the service with the source group and sync again, or set the address on production.',
    ]);
  });

  it('finds references that only the source holds', async () => {
    await two.carry([ids.scene, ids.map, ids.story]);
    const result = await verified(ids.scene);
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
      'staging has Feature Service "State routes", but production does not. Share it with the source group and sync again, or remove the reference.',
    );
    expect((await verified(ids.story)).findings).toEqual([]);
  });
});
