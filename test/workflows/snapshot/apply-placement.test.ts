import { builtInUsers } from '../../../src/simulator/seed/users';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import type { Simulator } from '../../../src/simulator/simulator';
import { signIn } from '../../simulator/harness';
import { Site, type SiteOptions } from '../../support/site';
import { itLong } from '../../support/long';
import { until } from '../../support/until';
import { portrait } from './portrait';

const { app, map, pdf, projects, story } = transportItems;

let at: Site;
afterEach(() => at.close());

/** Two portals at which an administrator signs in, who may assign items to others. */
const open = async (options: SiteOptions = {}) =>
  (at = await Site.open({ user: builtInUsers.admin, ...options }));

/** A snapshot with placements of items that people have arranged on the source. */
async function arranged() {
  const { source } = at;
  const { items, folders } = source.world;
  folders.put('f1', { id: 'f1', username: 'owner', title: 'Apps', created: 1 });
  folders.put('f2', { id: 'f2', username: 'other', title: 'Papers', created: 1 });
  items.change(app, { ownerFolder: 'f1', access: 'public', protected: true });
  items.change(story, { ownerFolder: 'f1', access: 'org' });
  items.change(pdf, { owner: 'other', ownerFolder: 'f2' });
  const admin = await signIn(source, 'admin');
  const path = `/content/users/owner/items/${app}/update`;
  await admin.upload(path, Buffer.from('a picture'), {}, { field: 'thumbnail', name: 'app.png' });
  const route = { ...at.route({ items: [app, story, pdf, map, projects] }), target: undefined };
  const { record } = await at.backup({ route, placements: true });
  return record.snapshot?.id ?? '';
}

/** All that a portal holds but jobs and requests. */
const wholeState = async (simulator: Simulator) => {
  const { users, groups, folders, items, services, resources } = simulator.world;
  const tables = { users, groups, folders, items, services, resources };
  return {
    files: await portrait(simulator),
    ...Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, [...table.values()]])),
  };
};

/** The first response to each of these calls is lost. */
function loseAnswers({ faults }: Simulator, ...operations: string[]) {
  for (const operation of operations)
    faults.add({ match: { operation }, nth: 1, when: 'after', do: 'reset' });
}

describe('a restore with placements', () => {
  it('sets owner, folder, access, thumbnail and protection, and can be rolled back', async () => {
    await open({ target: { importThumbnails: false, importedCreated: 'source' } });
    const { target } = at;
    const { items, folders } = target.world;
    const id = await arranged();
    const before = await wholeState(target);
    const existing = items.get(map);
    const owners = { map: { owner: 'viewer' } };
    const { record, runId } = await at.restore(id, {}, { placementRules: { owners } });
    expect(record).toMatchObject({ status: 'succeeded', verification: { findings: [] }, warnings: [] });
    const folderOf = (itemId: string) => folders.get(items.get(itemId)?.ownerFolder ?? '');
    expect(items.get(app)).toMatchObject({
      owner: 'viewer',
      access: 'public',
      protected: true,
      thumbnail: 'thumbnail/app.png',
      groups: [transportTargetGroupId],
    });
    expect(folderOf(app)).toMatchObject({ username: 'viewer', title: 'Apps' });
    expect(folderOf(story)).toEqual(folderOf(app));
    expect(items.get(story)).toMatchObject({ owner: 'viewer', access: 'org', protected: false });
    expect(items.get(pdf)).toMatchObject({ owner: 'other', access: 'shared' });
    expect(folderOf(pdf)).toMatchObject({ username: 'other', title: 'Papers' });
    expect(items.get(map)).toEqual(existing);
    const { rows } = await at.plan(runId);
    const ownerOf = (itemId: string) => rows.find((row) => row.itemId === itemId)?.owner;
    expect([app, story, pdf, map].map(ownerOf)).toEqual(['viewer', 'viewer', 'other', undefined]);

    // What an earlier one gave to its owner is no obstacle to the next one; what belongs to somebody else is.
    const next = await at.restore(id, { overwrite: true, planOnly: true }, { placementRules: { owners } });
    const planned = (await at.plan(next.runId)).rows;
    const actionOf = (itemId: string) => planned.find((row) => row.itemId === itemId)?.action;
    expect([app, story, pdf, map].map(actionOf)).toEqual(['same', 'same', 'same', 'blocked']);
    // Only what imports has to know which folders were there: an account may have thousands.
    const noted = (of: string) => at.store.readJson(keys.importFolders(of), z.unknown());
    expect([await noted(runId), await noted(next.runId)]).toEqual([expect.anything(), undefined]);

    const { record: undone } = await at.rollback(record, { deleteCreated: true });
    expect(undone).toMatchObject({ status: 'succeeded', warnings: [], created: { there: [] } });
    expect(await wholeState(target)).toEqual(before);
  });

  itLong('survives lost responses and a stopped worker, as does its rollback', async () => {
    await open({ target: { importThumbnails: false } });
    const { target } = at;
    const { items } = target.world;
    const id = await arranged();
    const before = await wholeState(target);
    loseAnswers(target, 'item.reassign', 'folder.create', 'item.share', 'item.update', 'item.protect');
    target.faults.add({ match: { operation: 'item.move' }, nth: 2, when: 'after', do: 'hold' });
    const handle = await at.startRestore(
      id,
      {},
      { placementRules: { owners: { default: 'viewer', map: {} } } },
    );
    const isMoved = (itemId: string) => {
      const { owner, ownerFolder = null } = items.get(itemId) ?? {};
      return owner === 'viewer' && ownerFolder !== null;
    };
    await until('the second move', () => [app, story, pdf].filter(isMoved).length === 2);
    await at.stopWorker();
    target.faults.release();
    await at.startWorker();
    const { record } = await at.ended(handle);
    expect(record).toMatchObject({ status: 'succeeded', verification: { findings: [] }, warnings: [] });
    const given = target.requests().flatMap((each) => (each.operation === 'item.reassign' ? each.path : []));
    expect(given).toHaveLength(new Set(given).size);
    const writes = ['folder.create', 'item.move', 'item.protect'];
    expect(writes.map((operation) => at.asked('target', operation))).toEqual([2, 3, 1]);

    loseAnswers(target, 'item.unprotect', 'item.delete', 'folder.delete');
    const { record: undone } = await at.rollback(record, { deleteCreated: true });
    expect(undone).toMatchObject({ status: 'succeeded', warnings: [], created: { there: [] } });
    expect(await wholeState(target)).toEqual(before);
  });

  it('refuses missing owners before it writes, and names the options', async () => {
    await open();
    const { target, source } = at;
    source.world.items.change(pdf, { owner: 'editor' });
    const id = await at.snapshot({ placements: true });
    const before = await wholeState(target);
    const owners = { map: { owner: 'publisher' } };
    const { record } = await at.restore(id, {}, { placementRules: { owners } });
    expect(record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'OWNER_NOT_FOUND' },
    });
    expect(record.guards?.filter(({ verdict }) => verdict === 'refuse')).toMatchObject([
      { saw: 'owner publisher of 7 items does not exist on production (owners.map.owner)' },
      {
        saw: 'owner editor of 1 item does not exist on production',
        todo: 'Create that user, or name another: owners.map.editor or owners.default of the stage in a pipeline.',
      },
    ]);
    expect(at.asked('target', 'item.add')).toBe(0);
    expect(await wholeState(target)).toEqual(before);
  });
});
