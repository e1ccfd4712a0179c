import { builtInUsers } from '../../../src/simulator/seed/users';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../src/simulator/seed/transport';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import type { Simulator } from '../../../src/simulator/simulator';
import { nextCommands } from '../../../src/service/run/next-commands';
import type { RunRecord } from '../../../src/model/run/run';
import { shortRunId } from '../../../src/model/run/run-id';
import { signIn } from '../../simulator/harness';
import { Site, type SiteOptions } from '../../support/site';
import { describeLong, itLong } from '../../support/long';
import { portrait } from './portrait';

const { app, boundaries, csv, map, projects, roads } = transportItems;
let at: Site;
const open = async (options?: SiteOptions) => (at = await Site.open(options));

/** A group on a portal of which the usual account is no member. */
function foreignGroup({ world }: Simulator) {
  const id = 'd0000000000000000000000000000009';
  const made = { created: 1, modified: 1, access: 'org', capabilities: [], members: [] } as const;
  world.groups.put(id, { id, title: 'Others', owner: 'admin', ...made });
  return id;
}

describe('a rollback', () => {
  beforeAll(() => open({ target: { refuseForeign: false } }));
  afterAll(() => at.close());

  it('restores what a sync overwrote, and removes what it created if requested [P04][P06]', async () => {
    const owner = await signIn(at.target, 'owner');
    const { items } = at.target.world;
    // Outside the group, so no export can save it: it is saved as a copy.
    items.change(csv, { groups: [], access: 'private' });
    const path = `/content/users/owner/items/${csv}`;
    const bytes = Buffer.from([0x50, 0x00, 0xff, 0x0a]);
    await owner.upload(`${path}/addResources`, bytes, { fileName: 'a b.png', resourcesPrefix: 'pictures' });
    await owner.call(`${path}/addResources`, { fileName: 'notes.json', text: '{"counted":"by hand"}' });
    await owner.upload(
      `${path}/update`,
      Buffer.from('a picture'),
      {},
      { field: 'thumbnail', name: 'csv.png' },
    );
    await owner.call(`${path}/protect`);
    // The account is not in that group, so it could not share a replaced map there again.
    items.change(map, { groups: [...(items.get(map)?.groups ?? []), foreignGroup(at.target)] });
    const before = await portrait(at.target);
    const of = [csv, map, boundaries, roads, projects, app];
    const route = at.route({ overwrite: true, data: 'replace', take: [csv], items: of });
    const { record: synced, runId } = await at.sync(route);
    expect(synced).toMatchObject({ status: 'succeeded', plan: { overwrite: 3, create: 3 } });
    // The plan says so, for the approver.
    const { rows } = await at.plan(runId);
    expect(rows.filter(({ beyond }) => beyond).map(({ itemId, beyond }) => [itemId, beyond])).toEqual([
      [map, [expect.stringMatching(/^is shared with group \w+, of which owner is not a member$/)]],
    ]);
    expect(synced.warnings.join('\n')).toMatch(
      /"[^"]+" is shared with group \w+, of which owner is not a member, if production replaces it instead of updating it/,
    );
    // The import brought no thumbnail, so the old one was restored, with the protection.
    expect(items.get(csv)).toMatchObject({ thumbnail: 'thumbnail/csv.png', protected: true });
    // The import removed the resources; a person did the rest.
    expect(at.target.world.resourcesOf(csv)).toEqual([]);
    await owner.call(`${path}/addResources`, { fileName: 'later.txt', text: 'later' });
    await owner.call(`${path}/deleteThumbnail`, {});
    await owner.call(`${path}/unprotect`, {});
    const { record } = await at.rollback(synced);
    expect(record).toMatchObject({ status: 'succeeded', created: { removed: [] } });
    expect(record.plan).toMatchObject({ create: 0, overwrite: 2, restore: 1 });
    expect(record.created?.there).toHaveLength(3);
    expect(await portrait(at.target)).toMatchObject(before);

    // These two left the group, so the safeguard's package may not overwrite them.
    for (const id of [map, boundaries]) items.change(id, { groups: [] });
    items.change(csv, { title: 'edited', modified: at.target.world.now() });
    items.change(app, { modified: at.target.world.now() + 1 });
    const { record: removing } = await at.rollback(synced, { deleteCreated: true });
    const plan = { create: 0, overwrite: 0, restore: 1, blocked: 2 };
    expect(removing).toMatchObject({ status: 'partial', plan });
    expect(removing.created?.removed).toHaveLength(2);
    expect(removing.created?.there).toMatchObject([{ itemId: app, reason: 'it has changed since' }]);
    const after = await portrait(at.target);
    expect(after[csv]).toEqual(before[csv]);
    expect(Object.keys(after).sort()).toEqual([...Object.keys(before), app].sort());
  });
});

describe('a rollback that only restores copies', () => {
  const stageGroupId = 'e0000000000000000000000000000088';
  let synced: RunRecord;

  beforeAll(async () => {
    const stages = {
      dev: { portal: 'staging', groups: { roads: transportGroupId } },
      live: { portal: 'production', groups: { roads: stageGroupId } },
    };
    const pipelines = { traffic: { groups: ['roads'], stages } };
    const target = { refuseForeign: false, uniqueFileNames: true, version: '11.2' };
    await open({ target, config: { pipelines } });
    const { world } = at.target;
    new SeedBuilder(world).group(stageGroupId, 'Roads');
    world.folders.put('f1', { id: 'f1', username: 'owner', title: 'Tables', created: 1 });
    // Outside the group, so no export can save it: the safeguard copies it.
    world.items.change(csv, { groups: [], ownerFolder: 'f1', access: 'private', title: 'unchanged' });
    const only = { overwrite: true, items: [csv], take: [csv] };
    ({ record: synced } = await at.sync(at.route(only)));
    expect(synced).toMatchObject({ status: 'succeeded', plan: { overwrite: 1 } });
  });
  afterAll(() => at.close());

  it('waits for an approval of each plan, and can be rolled back', async () => {
    const { items } = at.target.world;
    const rollback = await at.startRollback(synced, { yes: false });
    const { plan } = await at.waiting(rollback);
    expect(plan).toMatchObject({ create: 0, overwrite: 0, restore: 1 });
    items.change(csv, { title: 'edited', modified: Date.now() + 60_000 });
    await at.approve(rollback);
    await at.waiting(rollback, plan?.hash);
    expect(items.get(csv)?.title).toBe('edited');
    await at.approve(rollback);
    const { record } = await at.over(rollback);
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(items.get(csv)).toMatchObject({ title: 'unchanged', groups: [] });

    // The rollback saved what it overwrote, which the sync had brought into the group.
    const undone = await at.rollback(record);
    expect(undone.record).toMatchObject({ status: 'succeeded', plan: { overwrite: 0, restore: 1 } });
    expect(items.get(csv)).toMatchObject({ title: 'edited', groups: [transportTargetGroupId] });
  });

  itLong('recreates an item in its folder, and renames its file only if the name is taken', async () => {
    const { items } = at.target.world;
    const owner = await signIn(at.target, 'owner');
    const name = items.get(csv)?.name ?? '';
    const deleteAndTake = async (folder: string): Promise<RunRecord> => {
      await owner.call(`/content/users/owner/items/${csv}/delete`);
      const taker = { title: 'Other', type: 'CSV', filename: name };
      await owner.upload(`/content/users/owner/${folder}addItem`, Buffer.from('other'), taker);
      return (await at.rollback(synced)).record;
    };
    expect((await deleteAndTake('')).status).toBe('succeeded');
    expect(items.get(csv)).toMatchObject({ name, ownerFolder: 'f1', title: 'unchanged' });

    const { status, warnings } = await deleteAndTake('f1/');
    expect(status).toBe('partial');
    const renamed = name.replace('.csv', '_1.csv');
    expect(warnings).toContain(
      `${csv} "Traffic counts" was restored as file ${renamed}, because another item in its folder has its old file name`,
    );
    expect(items.get(csv)).toMatchObject({ name: renamed, ownerFolder: 'f1', title: 'unchanged' });
  });

  it('writes nothing and needs no approval when a stage holds its only item', async () => {
    const { items } = at.target.world;
    const held = items.change(csv, { groups: [stageGroupId] });
    const { record } = await at.rollback(synced, { yes: false });
    expect(record).toMatchObject({
      status: 'partial',
      target: 'untouched',
      items: { blocked: [{ itemId: csv }] },
    });
    expect(items.get(csv)).toEqual(held);
  });
});

describeLong('a sync and its rollback [P05]', () => {
  afterEach(() => at.close());

  it('keeps owner, folder, sharing, protection and thumbnail if the portal replaces', async () => {
    await open({
      target: { overwriting: 'replace', refuseForeign: false },
      user: builtInUsers.admin,
    });
    const { target } = at;
    const { items, folders, files } = target.world;
    const folder = { id: 'f00d', username: 'other', title: 'Maps', created: 1 };
    folders.put(folder.id, folder);
    const groups = [transportTargetGroupId, foreignGroup(target)];
    await files.write(files.thumbnailPath(map), 'a picture');
    items.change(map, {
      owner: 'other',
      ownerFolder: folder.id,
      access: 'org',
      groups,
      protected: true,
      thumbnail: 'thumbnail/map.png',
    });
    items.change(boundaries, { access: 'public' });
    const overwritten = [map, csv, boundaries];
    const placed = async () => {
      const all = (await portrait(target)) as Record<string, Record<string, unknown>>;
      return overwritten.map((id) => {
        const { owner, ownerFolder, access, groups: held, protected: safe, thumbnail } = all[id] ?? {};
        return [id, owner, ownerFolder, access, [...(held as string[])].sort(), safe, thumbnail];
      });
    };
    const before = await placed();
    const created = items.get(map)?.created;
    // That it was given back is never heard; other answers are lost in `npm run test:faults`.
    target.faults.add({ match: { operation: 'item.reassign' }, nth: 1, when: 'after', do: 'reset' });
    const { record: synced, runId } = await at.sync(
      at.route({ overwrite: true, data: 'replace', take: overwritten }),
    );
    expect(synced).toMatchObject({ status: 'succeeded', verification: { findings: [] } });
    expect((await at.plan(runId)).rows.filter(({ beyond }) => beyond)).toEqual([]);
    const given = target.requests().filter(({ operation }) => operation === 'item.reassign');
    expect(given.map(({ fault }) => fault !== undefined)).toEqual([true, false, false]);
    expect(synced.warnings.join('\n')).not.toMatch(/if production replaces|than before|put back|restored/);
    expect(items.get(map)?.created).not.toBe(created);
    expect(await placed()).toEqual(before);

    // What becomes of it afterwards is undone as well.
    items.change(map, { owner: 'admin', ownerFolder: null, access: 'public', protected: false });
    const { record } = await at.rollback(synced);
    expect(record).toMatchObject({ status: 'succeeded', verification: { findings: [] } });
    expect(await placed()).toEqual(before);
  });

  it('lists the items of a run that only created, and removes them if requested', async () => {
    await open();
    const before = await portrait(at.target);
    const { record: synced } = await at.sync();
    expect(synced).toMatchObject({ status: 'succeeded', plan: { overwrite: 0, create: 8 } });
    const imports = at.asked('target', 'group.import');
    const told = await at.rollback(synced);
    expect(told.record).toMatchObject({
      status: 'nothing-to-do',
      target: 'untouched',
      created: { removed: [] },
    });
    expect(told.record.created?.there).toHaveLength(8);
    expect(nextCommands(told.record)).toContainEqual([
      'remove',
      `portolan run rollback ${shortRunId(synced.runId)} --delete-created`,
    ]);
    expect(told.record.guards).toContainEqual(
      expect.objectContaining({ name: 'nothing to restore', verdict: 'pass' }),
    );

    const owner = await signIn(at.target, 'owner');
    await owner.call(`/content/users/owner/items/${app}/update`, { snippet: 'we use it' });
    // What a lost answer hides was removed all the same.
    const lost = { match: { operation: 'item.delete' }, nth: 1, when: 'after', do: 'reset' } as const;
    at.target.faults.add(lost);
    const { record } = await at.rollback(synced, { deleteCreated: true });
    expect(record).toMatchObject({ status: 'partial', target: 'changed' });
    expect(record.created?.removed).toHaveLength(7);
    expect(record.created?.there).toMatchObject([{ itemId: app, reason: 'it has changed since' }]);
    const { [app]: used, ...others } = await portrait(at.target);
    expect(used).toMatchObject({ snippet: 'we use it' });
    expect(others).toEqual(before);
    expect(at.asked('target', 'group.import')).toBe(imports);
  });
});
