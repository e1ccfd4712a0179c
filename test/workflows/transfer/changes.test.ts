import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PortalPool } from '../../../src/config/portal-pool';
import { diffGroups } from '../../../src/domain/transfer/diff-groups';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import type { PlanRow } from '../../../src/model/transfer/plan';
import { Site, type Ended, idsOf } from '../../support/site';
import { until } from '../../support/until';
import { typedIn } from '../../support/typed-in';

const { csv, map, app, pdf, roads, projects } = transportItems;
let site: Site;
const { run } = typedIn(() => site.folder);
/** Both portals hold the same, but for the layers, whose data is kept. */
beforeAll(async () => {
  site = await Site.open({ target: { refuseForeign: false }, items: [csv, map, app, pdf, roads, projects] });
  await site.sync(overwriting());
});
afterAll(() => site.close());

const flags = { overwrite: true, take: [pdf, map] };
const overwriting = () => site.route({ ...flags, full: true });
const asking = () => site.route({ ...flags, full: true }, { approval: 'required' });

/** Replaces a text in the data of an item; title, size and time of change stay. */
async function rewrite({ world }: Simulator, itemId: string, from: string, to: string) {
  const before = world.items.get(itemId)!;
  const text = (await buffer(world.files.readData(before))).toString();
  expect(text).toContain(from);
  const bytes = Buffer.from(text.replace(from, to));
  const { data, size } = await world.files.keepData(itemId, bytes, bytes.length);
  world.items.change(itemId, { data, size });
}
/** As an editor does, so that the portal dates the change. */
async function edit(from: string, to: string) {
  await rewrite(site.source, app, from, to);
  site.source.world.items.change(app, { modified: site.source.world.now() });
}

const rowsOf = async ({ runId }: Pick<Ended, 'runId'>): Promise<ReadonlyMap<string, PlanRow>> =>
  new Map((await site.plan(runId)).rows.map((row) => [row.itemId, row]));
const idsAs = (rows: ReadonlyMap<string, PlanRow>, action: PlanRow['action']) =>
  [...rows.values()].flatMap((row) => (row.action === action ? row.itemId : [])).sort();
const listed = (operation: string) =>
  site.target
    .requests()
    .filter((request) => request.operation === operation && request.params['previewOnly'] !== 'true')
    .map(({ params }) => params['itemIdList']?.split(',').sort().join() ?? '');

/** What else is shown of a map that was edited: another layer, title, address and visibility. */
async function editMap() {
  const { world } = site.source;
  const before = (await buffer(world.files.readData(world.items.get(map)!))).toString();
  const data = JSON.parse(before) as { operationalLayers: Record<string, unknown>[]; version: string };
  const layer = (id: string) => data.operationalLayers.find((each) => each['id'] === id)!;
  layer('CountyBoundaries')['title'] = 'Counties';
  layer('PlannedProjects')['visibility'] = false;
  layer('CityLimits')['url'] = 'https://data.example.com/arcgis/rest/services/Cities/MapServer';
  const url = 'https://data.example.com/arcgis/rest/services/Ferries/MapServer';
  data.operationalLayers.push({ id: 'Ferries', layerType: 'ArcGISMapServiceLayer', title: 'Ferries', url });
  // As another editor writes it: members in reverse, and what portals note.
  const text = JSON.stringify(
    Object.fromEntries(Object.entries({ ...data, authoringAppVersion: '2031.1' }).reverse()),
  );
  await rewrite(site.source, map, before, text);
  world.items.change(map, { modified: world.now() });
}

describe('a full sync', () => {
  let ofThree: string;

  it('writes and saves only the items whose content changed', async () => {
    const { world } = site.source;
    await edit('near you', 'by name');
    world.items.change(csv, { snippet: 'Of the county', modified: world.now() });
    await editMap();
    const portals = new PortalPool(site.config);
    const diff = await diffGroups(overwriting(), portals, {}, { comparesContent: true }).finally(() =>
      portals.close(),
    );
    const changed = diff.rows.filter(({ difference }) => difference === 'changed');
    const three = [app, csv, map].sort();
    expect(idsOf(changed)).toEqual(three);

    const handle = await site.start(asking());
    const waiting = await site.waiting(handle);
    expect(waiting.plan).toMatchObject({ overwrite: 3, changed: 3, same: 1, identical: 1, unknown: 0 });
    const { detail } = waiting.phases.find(({ name }) => name === 'preview') ?? {};
    expect(detail).toMatch(/; 3 change, 1 is identical/);
    const rows = await rowsOf({ runId: handle.workflowId });
    expect(rows.get(app)?.change).toMatchObject({ kind: 'changed', fields: [{ after: 'Projects by name' }] });
    expect(rows.get(csv)?.change?.fields).toMatchObject([{ after: 'Of the county' }]);
    expect(rows.get(pdf)).toMatchObject({ action: 'same', reason: 'identical on both portals' });
    await site.approve(handle);
    const { record, runId } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'succeeded', verification: { findings: [] } });
    ofThree = runId;
    const ledger = await site.ledger(runId);
    expect(idsOf(ledger.imported)).toEqual(three);
    expect(ledger.same).toHaveLength(1);
    const all = three.join();
    expect([listed('group.import').at(-1), listed('group.export').at(-1)]).toEqual([all, all]);
  });

  it('shows a layer added, renamed, switched off and moved on four lines', async () => {
    const { stdout } = await run('run', 'show', ofThree, '--changes');
    const lines = [
      'layer "County Boundaries" renamed',
      'layer "City Limits" address',
      'layer "Project Delivery Plan (2017)" visibility',
      'layer "Ferries" added',
    ];
    const fields = (await rowsOf({ runId: ofThree })).get(map)?.change?.fields;
    expect(fields?.map(({ label }) => label)).toEqual(lines);
    expect(stdout.match(/layer "[^"]+" \w+(?=:)/g)).toEqual(lines);
  });

  it('leaves identical items alone unless the import would share them', async () => {
    const { items } = site.target.world;
    const { owner } = items.get(pdf)!;
    const now = site.target.world.now();
    items.change(csv, { modified: now });
    items.change(pdf, { owner: 'other' });
    items.change(map, { groups: [] });
    const ended = await site.sync(site.route(flags));
    const rows = await rowsOf(ended);
    expect(rows.get(csv)).toMatchObject({ action: 'same', drifted: true });
    expect(rows.get(pdf)).toMatchObject({ action: 'same' });
    expect(rows.get(map)?.change).toMatchObject({
      kind: 'changed',
      fields: [{ path: 'item.groups', after: transportTargetGroupId }],
    });
    expect(idsAs(rows, 'overwrite')).toEqual([map]);
    expect(items.get(map)?.groups).toEqual([transportTargetGroupId]);
    expect(items.get(csv)?.modified).toBe(now);
    items.change(pdf, { owner });
  });

  it('overwrites items whose content cannot be compared, with the reason', async () => {
    const { source, target } = site;
    // Packages are exported from the store of the portal, not through this.
    const since = { operation: 'group.export' };
    const data = { match: { operation: 'item.data', path: csv }, times: 3, do: { status: 503 } };
    source.faults.add(
      { ...data, since },
      { match: { operation: 'item.read', path: pdf }, since, nth: 1, do: 'hold' },
    );
    target.faults.add(data);
    for (const portal of [source, target]) portal.clearRequests();
    const handle = await site.start(overwriting());
    await until('the read of an item', () => source.faults.holding === 1);
    source.world.items.change(pdf, { snippet: 'New', modified: source.world.now() });
    source.faults.release();
    const ended = await site.ended(handle);
    // Each portal is asked that often, and then no more.
    for (const portal of [source, target])
      expect(portal.requests().filter(({ fault }) => fault === 'status')).toHaveLength(3);
    for (const { faults } of [source, target]) faults.clear();
    const rows = await rowsOf(ended);
    expect(rows.get(csv)?.change).toMatchObject({
      kind: 'unknown',
      why: expect.stringMatching(/^its data: /),
    });
    expect(rows.get(pdf)?.change).toMatchObject({
      kind: 'unknown',
      why: 'it was edited on staging after its export',
    });
    expect(idsAs(rows, 'overwrite')).toEqual([csv, pdf]);
    expect(ended.record).toMatchObject({ status: 'succeeded', plan: { changed: 0, unknown: 2 } });
  });
});

describe('an approval', () => {
  it('counts for one plan by its full hash, until target content changes [P02]', async () => {
    await edit('by name', 'by road');
    // The yes of its starter is no approval.
    const handle = await site.start(asking(), { yes: true });
    const first = await site.waiting(handle);
    const { hash = '', sha256 = '' } = first.plan ?? {};
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(sha256).toContain(hash.replaceAll('-', ''));
    // The second names the right short hash, but the plan that was approved is another one.
    for (const [message, words] of [
      [{ hash: 'beef' }, 'not beef'],
      [
        { sha256: `${sha256.slice(0, 12)}${'0'.repeat(52)}` },
        'differs from the approved plan although both have this short hash',
      ],
    ] as const)
      await expect(site.approve(handle, message)).rejects.toThrow(words);
    const before = site.target.world.items.get(map);
    await rewrite(site.target, map, '"visibility":true', '"visibility":null');
    // Its title, size and time are as before.
    expect(site.target.world.items.get(map)).toEqual(before);
    const saved = listed('group.export').length;
    const imported = listed('group.import').length;
    await site.approve(handle);
    const second = await site.waiting(handle, hash);
    expect(listed('group.import')).toHaveLength(imported);
    // The other two are changed on the source.
    expect([first, second].map(({ plan }) => plan?.overwrite)).toEqual([2, 3]);
    expect((await rowsOf({ runId: handle.workflowId })).get(map)?.change).toMatchObject({ kind: 'changed' });
    await edit('by road', 'by type');
    await site.approve(handle, { reason: 'looks right' });
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'succeeded', plan: { sha256: second.plan?.sha256 } });
    expect(record.warnings.join()).toContain('the target changed after the approval');
    expect(record.actions.at(-1)).toMatchObject({ who: 'a@b', what: 'approve', reason: 'looks right' });
    // What was saved for the first plan is outdated.
    expect(listed('group.export')).toHaveLength(saved + 2);
  });
});

describe('a snapshot', () => {
  /** Of the source, whose file names an address of its own portal. */
  let id: string;

  it('brings back only what differs, by a restore and by a rollback', async () => {
    const { source, target } = site;
    source.world.items.change(csv, { snippet: `see ${source.url}/home`, modified: source.world.now() });
    id = await site.snapshot();
    const { world } = target;
    world.items.change(csv, { title: 'spoilt', modified: world.now() });
    const { record, runId } = await site.restore(id, { overwrite: true });
    expect(record).toMatchObject({ status: 'succeeded', plan: { overwrite: 2, changed: 2 } });
    expect((await rowsOf({ runId })).get(csv)?.change?.fields).toContainEqual(
      expect.objectContaining({ before: 'spoilt', after: 'Traffic counts' }),
    );
    expect(world.items.get(csv)?.title).toBe('Traffic counts');
    const back = await site.rollback(record);
    expect(back.record).toMatchObject({ status: 'succeeded', plan: { overwrite: 2, changed: 2 } });
    expect(world.items.get(csv)?.title).toBe('spoilt');
    // Only the placement of one differs now, which a rollback restores as well.
    world.items.change(csv, { access: 'public' });
    const placed = await site.rollback(record);
    expect(placed.record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, changed: 1, same: 1 } });
    expect(world.items.get(csv)?.access).not.toBe('public');
  });

  it('brings back an address of its own portal that differs in http and https alone', async () => {
    const { world, url } = site.source;
    const snippet = `see ${url.replace('http:', 'https:')}/home`;
    world.items.change(csv, { snippet, modified: world.now() });
    const home = { to: 'staging', into: transportGroupId, overwrite: true, planOnly: true };
    const { record, runId } = await site.restore(id, home);
    expect(record.plan).toMatchObject({ overwrite: 1, changed: 1 });
    const { fields } = (await rowsOf({ runId })).get(csv)?.change ?? {};
    expect(fields).toMatchObject([{ before: snippet, after: `see ${url}/home` }]);
  });
});

describe('a verification', () => {
  it('covers identical items, whose references may be gone', async () => {
    site.target.world.items.remove(roads);
    const ended = await site.sync(site.route({ overwrite: true, full: true, items: [map] }));
    expect((await rowsOf(ended)).get(map)?.action).toBe('same');
    expect(ended.record).toMatchObject({ status: 'partial', target: 'untouched' });
    const broken = expect.objectContaining({ itemId: map, kind: 'broken-reference' });
    expect(ended.record.verification?.findings).toContainEqual(broken);
  });
});
