import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import type { BackupRehearsal } from '../../support/backup-rehearsal';
import { itLong } from '../../support/long';
import { arranged, loseAnswers, openForOwners, requestsOf, wholeState } from './apply-placement';

const { app, map, pdf, story } = transportItems;

let at: BackupRehearsal;
afterEach(() => at.close());

describe('a restore that puts right what an import does not carry', () => {
  it('gives what it creates owner, folder, access, picture and protection, and undone leaves the portal as it was', async () => {
    at = await openForOwners({ target: { importThumbnails: false, importedCreated: 'source' } });
    const { target } = at.rehearsal;
    const { items, folders } = target.world;
    const id = await arranged(at);
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
    const { rows } = await at.rehearsal.plan(runId);
    const ownerOf = (itemId: string) => rows.find((row) => row.itemId === itemId)?.owner;
    expect([app, story, pdf, map].map(ownerOf)).toEqual(['viewer', 'viewer', 'other', undefined]);

    // What an earlier one gave to its owner is no obstacle to the next one; what belongs to somebody else is.
    const next = await at.restore(id, { overwrite: true, planOnly: true }, { placementRules: { owners } });
    const planned = (await at.rehearsal.plan(next.runId)).rows;
    const actionOf = (itemId: string) => planned.find((row) => row.itemId === itemId)?.action;
    expect([app, story, pdf, map].map(actionOf)).toEqual(['same', 'same', 'same', 'blocked']);
    // Only what imports has to know which folders were there: an account may have thousands.
    const noted = (of: string): Promise<unknown> =>
      at.rehearsal.store.readJson(keys.importFolders(of), z.unknown());
    expect([await noted(runId), await noted(next.runId)]).toEqual([expect.anything(), undefined]);

    const { record: undone } = await at.rollback(record, { deleteCreated: true });
    expect(undone).toMatchObject({ status: 'succeeded', warnings: [], created: { there: [] } });
    expect(await wholeState(target)).toEqual(before);
  });

  itLong(
    'writes nothing twice whose answer was lost, and is undone as if nothing had been lost',
    async () => {
      at = await openForOwners();
      const { target } = at.rehearsal;
      const id = await arranged(at);
      const before = await wholeState(target);
      loseAnswers(target, 'item.reassign', 'folder.create');
      const owners = { default: 'viewer', map: {} };
      const { record } = await at.restore(id, {}, { placementRules: { owners } });
      expect(record).toMatchObject({ status: 'succeeded', verification: { findings: [] }, warnings: [] });
      const given = requestsOf(at, 'item.reassign').map(({ path }) => path);
      expect(given).toHaveLength(new Set(given).size);
      expect(requestsOf(at, 'folder.create')).toHaveLength(2);

      loseAnswers(target, 'item.unprotect');
      const { record: undone } = await at.rollback(record, { deleteCreated: true });
      expect(undone).toMatchObject({ status: 'succeeded', warnings: [], created: { there: [] } });
      expect(await wholeState(target)).toEqual(before);
    },
  );

  it('refuses owners that the target does not have before anything of it is there, and names the way out', async () => {
    at = await openForOwners();
    const { target, source } = at.rehearsal;
    source.world.items.change(pdf, { owner: 'editor' });
    const id = (await at.backup({ placements: true })).record.snapshot?.id ?? '';
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
    expect(requestsOf(at, 'item.add')).toEqual([]);
    expect(await wholeState(target)).toEqual(before);
  });
});
