import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { PortalPool } from '../../../src/config/portal-pool';
import { diffGroups } from '../../../src/domain/transfer/diff-groups';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import type { PlanRow } from '../../../src/model/transfer/plan';
import { BackupRehearsal } from '../../support/backup-rehearsal';
import { type Ended, Rehearsal, type RehearsalOptions } from '../../support/rehearsal';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(() => rehearsal.close());

const { csv, map, app, pdf } = transportItems;
const overwriting = () => rehearsal.route({ overwrite: true, full: true });

/** Replaces the data of an item, behind the portal's back: title, size and time of change stay. */
async function rewrite(
  { world }: Simulator,
  itemId: string,
  edit: (text: string) => string,
  { isTold = false } = {},
): Promise<void> {
  const before = world.items.get(itemId);
  if (!before) throw new Error('the seed has changed');
  const text = edit((await buffer(world.files.readData(before))).toString());
  const bytes = Buffer.from(text);
  const { data, size } = await world.files.keepData(itemId, bytes, bytes.length);
  world.items.change(itemId, { data, size, ...(isTold && { modified: world.now() }) });
}

/** Switches the first layer of a map off or on; JSON of the same length. */
const switched = (text: string): string => {
  const next = text
    .replace('"visibility":true ', '"visibility":false')
    .replace('"visibility":true', '"visibility":null');
  if (next === text) throw new Error('the seed has no layer that is switched on');
  return next;
};

const rowsOf = async ({ runId }: Pick<Ended, 'runId'>): Promise<ReadonlyMap<string, PlanRow>> =>
  new Map((await rehearsal.plan(runId)).rows.map((row) => [row.itemId, row]));
const idsAs = (rows: ReadonlyMap<string, PlanRow>, action: PlanRow['action']): string[] =>
  [...rows.values()].flatMap((row) => (row.action === action ? row.itemId : [])).sort();
const imports = () =>
  rehearsal.target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true');

/** As many maps as needed, in the source group. */
async function addMaps({ world }: Simulator, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => `c${String(at + 1).padStart(31, '0')}`);
  for (const id of ids) {
    const record = { id, title: `Map ${id.slice(-2)}`, type: 'Web Map', groups: [transportGroupId] };
    await new SeedBuilder(world).file(record, {
      operationalLayers: [{ id: 'a', title: 'A', visibility: true }],
    });
  }
  return ids;
}

describe('a sync of everything in which two of eighteen items changed', () => {
  it('writes these two, saves only them, leaves the others alone, and says so before its approval', async () => {
    await open({ source: { seed: 'empty' }, target: { seed: 'empty' }, groups: undefined });
    for (const [portal, id] of [
      [rehearsal.source, transportGroupId],
      [rehearsal.target, transportTargetGroupId],
    ] as const)
      new SeedBuilder(portal.world).group(id, 'Transport');
    const ids = await addMaps(rehearsal.source, 18);
    const first = await rehearsal.sync(overwriting());
    expect(first.record).toMatchObject({ status: 'succeeded', plan: { create: 18 } });
    const [one = '', two = ''] = ids;
    await rewrite(rehearsal.source, one, (text) => text.replace('"A"', '"Roads"'), { isTold: true });
    const { world } = rehearsal.source;
    world.items.change(two, { snippet: 'Of the county', modified: world.now() });

    const handle = await rehearsal.start(
      rehearsal.route({ overwrite: true, full: true }, { approval: 'required' }),
    );
    const waiting = await rehearsal.waiting(handle);
    expect(waiting.plan).toMatchObject({ overwrite: 2, changed: 2, same: 16, identical: 16, unknown: 0 });
    expect(waiting.phases.find(({ name }) => name === 'preview')?.detail).toMatch(
      /; 2 change, 16 are identical$/,
    );
    const rows = await rowsOf({ runId: handle.workflowId });
    expect(rows.get(one)?.change).toMatchObject({
      kind: 'changed',
      fields: [{ label: 'layer "A" renamed', before: 'A', after: 'Roads' }],
    });
    expect(rows.get(two)?.change?.fields).toMatchObject([{ after: 'Of the county' }]);
    expect(rows.get(ids[2] ?? '')).toMatchObject({ action: 'same', reason: 'identical on both portals' });
    await rehearsal.approve(handle);
    const { record, runId } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'succeeded', verification: { checked: 18, findings: [] } });
    const ledger = await rehearsal.ledger(runId);
    expect(ledger.imported.map(({ itemId }) => itemId).sort()).toEqual([one, two]);
    expect(ledger.same).toHaveLength(16);
    expect(imports().at(-1)?.params['itemIdList']?.split(',').sort()).toEqual([one, two]);
    const exports = rehearsal.target.requests().filter(({ operation }) => operation === 'group.export');
    expect(exports.at(-1)?.params['itemIdList']?.split(',').sort()).toEqual([one, two]);

    // Nothing has changed since: nothing is written, and later runs do not even compare.
    const again = await rehearsal.sync(overwriting());
    expect(again.record).toMatchObject({
      status: 'nothing-to-do',
      target: 'untouched',
      plan: { overwrite: 0, same: 18 },
      verification: { checked: 18, findings: [] },
    });
    const later = await rehearsal.sync(rehearsal.route({ overwrite: true }));
    expect(later.record).toMatchObject({ status: 'nothing-to-do' });
    expect(later.record.package).toBeUndefined();
  });
});

describe('an item that is the same on both portals', () => {
  it('is left alone although it drifted or belongs to someone else, and not if the import would share it', async () => {
    await open({ target: { refuseForeign: false } });
    const route = rehearsal.route({ overwrite: true, take: [pdf, map] });
    await rehearsal.sync(route);
    const { items } = rehearsal.target.world;
    const now = rehearsal.target.world.now();
    items.change(csv, { modified: now });
    items.change(pdf, { owner: 'other' });
    items.change(map, { groups: [] });
    const ended = await rehearsal.sync(route);
    const rows = await rowsOf(ended);
    expect(rows.get(csv)).toMatchObject({ action: 'same', drifted: true });
    expect(rows.get(pdf)).toMatchObject({ action: 'same' });
    expect(rows.get(map)).toMatchObject({
      action: 'overwrite',
      change: { kind: 'changed', fields: [{ path: 'item.groups', after: transportTargetGroupId }] },
    });
    expect(items.get(map)?.groups).toEqual([transportTargetGroupId]);
    expect(items.get(csv)?.modified).toBe(now);
    expect(idsAs(rows, 'overwrite')).toEqual([map]);
  });

  it('is verified all the same: what it refers to may be gone', async () => {
    await open();
    await rehearsal.sync(overwriting());
    rehearsal.target.world.items.remove(transportItems.roads);
    const ended = await rehearsal.sync(rehearsal.route({ overwrite: true, items: [map] }));
    expect((await rowsOf(ended)).get(map)?.action).toBe('same');
    expect(ended.record).toMatchObject({ status: 'partial', target: 'untouched' });
    const broken = expect.objectContaining({ itemId: map, kind: 'broken-reference' });
    expect(ended.record.verification?.findings).toContainEqual(broken);
  });
});

describe('an approval', () => {
  it('is void once the content on the target has changed, though title, size and time of change are as before [P02]', async () => {
    await open();
    await rehearsal.sync(overwriting());
    await rewrite(rehearsal.source, app, (text) => text.replace('near you', 'by name'), { isTold: true });
    const route = rehearsal.route({ overwrite: true, full: true }, { approval: 'required' });
    const handle = await rehearsal.start(route);
    const first = await rehearsal.waiting(handle);
    const before = rehearsal.target.world.items.get(map);
    await rewrite(rehearsal.target, map, switched);
    expect(rehearsal.target.world.items.get(map)).toEqual(before);
    await rehearsal.approve(handle);
    const second = await rehearsal.waiting(handle, first.plan?.hash);
    expect(imports()).toHaveLength(1);
    expect(second.plan?.overwrite).toBe((first.plan?.overwrite ?? 0) + 1);
    expect((await rowsOf({ runId: handle.workflowId })).get(map)?.change).toMatchObject({ kind: 'changed' });
    await rehearsal.approve(handle);
    const { record } = await rehearsal.ended(handle);
    expect(record.status).toBe('succeeded');
    expect(record.warnings.join()).toContain('the target changed after the approval');
  });

  it('stands although people go on editing the source: that is not in the package', async () => {
    await open();
    await rehearsal.sync(overwriting());
    await rewrite(rehearsal.source, app, (text) => text.replace('near you', 'by name'), { isTold: true });
    const route = rehearsal.route({ overwrite: true, full: true }, { approval: 'required' });
    const handle = await rehearsal.start(route);
    const { plan } = await rehearsal.waiting(handle);
    await rewrite(rehearsal.source, app, (text) => text.replace('by name', 'by road'), { isTold: true });
    await rehearsal.approve(handle);
    const { record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'succeeded', plan: { sha256: plan?.sha256 } });
  });
});

describe('content that cannot be compared', () => {
  it('is unknown with the reason, never the same, and written', async () => {
    await open();
    await rehearsal.sync(overwriting());
    const unreadable = {
      match: { operation: 'item.data', path: csv },
      do: { error: { code: 500 } },
    } as const;
    // Its package is exported from the store of the portal, not through this.
    rehearsal.source.faults.add({ ...unreadable, since: { operation: 'group.export' } });
    const ended = await rehearsal.sync(overwriting());
    const rows = await rowsOf(ended);
    expect(rows.get(csv)).toMatchObject({ action: 'overwrite', change: { kind: 'unknown' } });
    expect(rows.get(csv)?.change?.why).toMatch(/data/);
    expect(idsAs(rows, 'overwrite')).toEqual([csv]);
    expect(ended.record).toMatchObject({ status: 'succeeded', plan: { changed: 0, unknown: 1 } });
    expect(ended.record.items?.imported).toMatchObject([{ itemId: csv }]);
  });

  it('is what was edited on the source after its export', async () => {
    await open();
    await rehearsal.sync(overwriting());
    rehearsal.source.faults.add({ match: { operation: 'item.read', path: pdf }, do: 'hold' });
    const handle = await rehearsal.start(overwriting());
    await rehearsal.untilPhase(handle, 'preview');
    rehearsal.source.world.items.change(pdf, { snippet: 'New', modified: rehearsal.source.world.now() });
    rehearsal.source.faults.clear();
    const ended = await rehearsal.ended(handle);
    expect((await rowsOf(ended)).get(pdf)?.change).toMatchObject({
      kind: 'unknown',
      why: 'it was edited on staging after its export',
    });
  });

  it('is the rows of hosted layers, which are only counted', async () => {
    await open();
    const route = rehearsal.route({ overwrite: true, data: 'replace', full: true });
    await rehearsal.sync(route);
    const ended = await rehearsal.sync(route);
    const { roads, projects, boundaries } = transportItems;
    expect(idsAs(await rowsOf(ended), 'overwrite')).toEqual([roads, projects, boundaries].sort());
    expect(ended.record.plan).toMatchObject({ changed: 0, unknown: 3 });
    expect((await rowsOf(ended)).get(roads)?.change?.why).toBe('its rows are only counted, not compared');
  });
});

describe('a diff of what is inside', () => {
  it('says what changes, and calls items the same that only their addresses tell apart', async () => {
    await open();
    await rehearsal.sync(overwriting());
    await rewrite(rehearsal.source, app, (text) => text.replace('near you', 'by name'), { isTold: true });
    const portals = new PortalPool(rehearsal.config);
    const diff = await diffGroups(overwriting(), portals, {}, { comparesContent: true }).finally(() =>
      portals.close(),
    );
    expect(diff.rows.filter(({ difference }) => difference === 'changed')).toMatchObject([
      {
        itemId: app,
        action: 'overwrite',
        change: { kind: 'changed', fields: [{ after: 'Projects by name' }] },
      },
    ]);
  });
});

describe('what a snapshot brings back', () => {
  it('is only what differs from it, by a restore and by a rollback', async () => {
    const at = await BackupRehearsal.open();
    ({ rehearsal } = at);
    const id = (await at.backup()).record.snapshot?.id ?? '';
    await at.restore(id, { overwrite: true });
    const idle = await at.restore(id, { overwrite: true });
    expect(idle.record).toMatchObject({
      status: 'nothing-to-do',
      target: 'untouched',
      plan: { overwrite: 0 },
    });
    const { world } = rehearsal.target;
    world.items.change(csv, { title: 'spoilt', modified: world.now() });
    const { record, runId } = await at.restore(id, { overwrite: true });
    expect(record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, changed: 1 } });
    expect((await rowsOf({ runId })).get(csv)?.change?.fields).toMatchObject([
      { before: 'spoilt', after: 'Traffic counts' },
    ]);
    expect(world.items.get(csv)?.title).toBe('Traffic counts');

    const back = await at.rollback(record);
    expect(back.record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, changed: 1 } });
    expect(world.items.get(csv)?.title).toBe('spoilt');
    const idleAgain = await at.rollback(record);
    expect(idleAgain.record).toMatchObject({ status: 'nothing-to-do', plan: { overwrite: 0, same: 1 } });
    // Only its placement differs now, which a rollback restores as well.
    world.items.change(csv, { access: 'public' });
    const placed = await at.rollback(record);
    expect(placed.record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, changed: 1 } });
    expect(world.items.get(csv)?.access).not.toBe('public');
  });

  it('is also an address of its own portal that differs in http and https alone', async () => {
    const at = await BackupRehearsal.open();
    ({ rehearsal } = at);
    const { world, url } = rehearsal.source;
    world.items.change(csv, { snippet: `see ${url}/home`, modified: world.now() });
    const id = (await at.backup()).record.snapshot?.id ?? '';
    const snippet = `see ${url.replace('http:', 'https:')}/home`;
    world.items.change(csv, { snippet, modified: world.now() });
    const home = { to: 'staging', into: transportGroupId, overwrite: true };
    const { record } = await at.restore(id, home);
    expect(record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, changed: 1 } });
    expect(world.items.get(csv)?.snippet).toBe(`see ${url}/home`);
  });
});
