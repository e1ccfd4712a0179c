import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashOfMap } from '../../../src/activities/release/mappings';
import type { RouteFlags } from '../../../src/config/resolve-route';
import type { ReferenceMap } from '../../../src/model/release/reference-map';
import type { RunRecord } from '../../../src/model/run/run';
import { verification } from '../../../src/model/transfer/verification';
import { transportItems } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import { keys } from '../../../src/store/keys';
import { signIn } from '../../simulator/harness';
import { Site } from '../../support/site';
import { portrait } from './portrait';
import { itLong } from '../../support/long';

const { map: webMap, app, boundaries } = transportItems;
const devTable = 'd'.repeat(32);

const map: ReferenceMap = {
  urls: {
    'https://dev-gis.example.com/server': 'https://gis.example.com/maps',
    'https://dev-gis.example.com': 'https://gis.example.com',
  },
  items: { [devTable]: boundaries },
};

/** Hand-written data: numbers, blanks and names that a parser would write otherwise. */
const asWritten = (host: string, server: string, table: string) => `{
  "operationalLayers": [ {"url": "${host}/${server}/rest/services/Signs/MapServer/0", "opacity": 1.0,
     "popupInfo": {"description": "<img src='${host}/logo.png'>",
       "expressionInfos": [{"expression": "FeatureSetByPortalItem(Portal('${host}/portal'), '${table}', 0)"}]}} ],
  "baseMap": {"baseMapLayers": [{"url": "${host}/${server}/rest/services/Base/MapServer"}]},
  "tables": [{"itemId": "${table}"}], "version": 2.10, "version": 2.20 }`;
const inDev = asWritten('https://dev-gis.example.com', 'server', devTable);
const inProduction = asWritten('https://gis.example.com', 'maps', boundaries);

const appData = (host: string) => JSON.stringify({ values: { logo: `${host}/logo.png` } });

let at: Site;
let target: Simulator;
let snapshotId: string;
let before: object;

const write = async (portal: Simulator, itemId: string, fields: Record<string, string>) => {
  const owner = await signIn(portal, 'owner');
  expect(await owner.call(`/content/users/owner/items/${itemId}/update`, fields)).toMatchObject({
    success: true,
  });
};
const dataOf = async (portal: Simulator, itemId: string) =>
  await (await (await signIn(portal, 'owner')).get(`/content/items/${itemId}/data?f=json`)).text();

/** All that the portal holds, but for the times of overwritten items. */
const whole = async () => ({
  ...(await portrait(target)),
  data: [...target.world.items.values()].map(({ id, data }) => [id, data]),
  folders: [...target.world.folders.values()],
});

/** A restore as a promotion starts it. */
const promoted = (flags: RouteFlags = {}, by: ReferenceMap = map) =>
  at.restore(snapshotId, { overwrite: true, data: 'replace', ...flags }, { placementRules: {}, map: by });

const rolledBack = async (record: RunRecord): Promise<RunRecord> =>
  (await at.rollback(record, { deleteCreated: true })).record;

beforeAll(async () => {
  at = await Site.open({ target: { importedCreated: 'source' } });
  ({ target } = at);
  await write(at.source, webMap, { text: inDev });
  await write(at.source, app, { text: appData('https://dev-gis.example.com') });
  before = await whole();
  const route = { ...at.route({ items: [webMap, app, boundaries] }), target: undefined };
  snapshotId = await at.snapshot({ route, placements: true });
});
afterAll(() => at.close());

describe('a reference map', () => {
  it('is shown in the plan, whose hash depends on it', async () => {
    const { record, runId } = await promoted({ planOnly: true });
    expect(record.plan?.mapped).toEqual({
      items: 2,
      places: 6,
      unknown: 0,
      examples: [
        {
          itemId: webMap,
          title: 'Transport projects',
          path: 'data.operationalLayers[0].url',
          before: 'https://dev-gis.example.com/server/rest/services/Signs/MapServer/0',
          after: 'https://gis.example.com/maps/rest/services/Signs/MapServer/0',
        },
        expect.objectContaining({ itemId: app, path: 'data.values.logo' }),
        expect.objectContaining({
          path: 'data.operationalLayers[0].popupInfo.description',
          after: "<img src='https://gis.example.com/logo.png'>",
        }),
      ],
    });
    expect((await at.plan(runId)).sha256).toBe(record.plan?.sha256);
    const { urls, items } = map;
    const reversed = Object.fromEntries(Object.entries(urls).reverse());
    expect(hashOfMap({ items, urls: reversed })).toBe(hashOfMap(map));
    expect(new Set([map, { urls, items: {} }, { urls: {}, items }].map(hashOfMap)).size).toBe(3);
    expect(await whole()).toEqual(before);
  });

  it('is applied once, also after lost responses, and is rolled back', async () => {
    const updates = () =>
      target.requests().flatMap(({ path }) => /items\/(\w+)\/update$/.exec(path)?.[1] ?? []);
    const lost = { when: 'after', do: 'reset', nth: 1 } as const;
    for (const id of [webMap, app]) target.faults.add({ match: { path: `items/${id}/update$` }, ...lost });
    const { record, runId } = await promoted();
    expect(record).toMatchObject({ status: 'succeeded', plan: { create: 1, overwrite: 2 } });
    const { detail } = record.phases.find(({ name }) => name === 'map') ?? {};
    expect(detail).toBe('6 places in 2 items');
    expect(await dataOf(target, webMap)).toBe(inProduction);
    expect(await dataOf(target, app)).toBe(appData('https://gis.example.com'));
    expect(
      updates()
        .filter((id) => id === webMap || id === app)
        .sort(),
    ).toEqual([webMap, app]);
    const { store } = at;
    const checked = await store.readJson(keys.verification(runId), verification);
    expect(checked?.findings).toEqual([]);
    expect(JSON.stringify(checked?.external)).not.toContain('gis.example.com');
    expect(await rolledBack(record)).toMatchObject({ status: 'succeeded', created: { there: [] } });
    expect(await whole()).toEqual(before);
  });

  itLong('is undone in JSON without a safeguard, unless someone edited that', async () => {
    const nobody = 'e'.repeat(32);
    const was = await dataOf(target, webMap);
    const { record, runId } = await promoted({}, { urls: map.urls, items: { [devTable]: nobody } });
    // A map that leads to a missing item causes a finding.
    const checked = await at.store.readJson(keys.verification(runId), verification);
    expect(checked?.findings).toEqual([
      expect.objectContaining({
        kind: 'broken-reference',
        value: nobody,
        path: expect.stringContaining('Info'),
      }),
      expect.objectContaining({ kind: 'broken-reference', value: nobody, path: 'data.tables[0].itemId' }),
    ]);
    expect(await dataOf(target, webMap)).toBe(asWritten('https://gis.example.com', 'maps', nobody));
    const mapped = await dataOf(target, webMap);
    Object.assign(target.world.settings, { failImport: [webMap] });
    await write(target, webMap, { text: '{"edited":"by hand"}' });
    const left = await rolledBack(record);
    expect(left.warnings.join('\n')).toContain('its JSON has changed since');
    expect(await dataOf(target, webMap)).toBe('{"edited":"by hand"}');
    await write(target, webMap, { text: mapped });
    const back = await rolledBack(record);
    expect(back.phases.find(({ name }) => name === 'put-back')?.detail).toContain(
      'the JSON of 1 item restored',
    );
    expect(await dataOf(target, webMap)).toBe(was);
  });

  itLong('is shown with the number of items whose JSON the backup could not read', async () => {
    await write(at.source, webMap, { text: inDev });
    at.source.faults.add({
      match: { operation: 'item.data', path: webMap },
      do: { error: { code: 400, message: 'The data cannot be read.' } },
    });
    snapshotId = await at.snapshot({ force: true });
    at.source.faults.clear();
    const { record } = await promoted({ planOnly: true });
    expect(record.plan?.mapped).toMatchObject({ items: 1, places: 1, unknown: 1 });
  });
});
