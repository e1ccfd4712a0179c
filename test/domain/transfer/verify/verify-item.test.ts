import { describe, expect, it } from '@jest/globals';
import type { Placement } from '../../../../src/model/transfer/placement';
import { verifyItem, verifyAll } from '../../../../src/domain/transfer/verify/verify-item';
import { transportItems as ids, transportTargetGroupId } from '../../../../src/simulator/seed/transport';
import { carried, connected, expectedOf, gauge, two, verification, verified } from './a-verification';

const existed = (placement: Placement) => ({ placed: { placement, isNew: false } });

describe('the verification of a sync', () => {
  it.each([
    ['admin', false],
    ['owner', false],
    ['owner', true],
  ] as const)('finds nothing wrong as %s (portals that report the least: %s)', async (user, strict) => {
    for (const { settings } of [two.source, two.target]) settings.strict = strict;
    await two.carry(carried);
    const expected = await Promise.all(carried.map((id) => expectedOf(id)));
    const steps: string[] = [];
    const result = await verifyAll(await verification(user), expected, (done, of) =>
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
  });

  it('sends each portal at most four requests at a time', async () => {
    await two.carry(carried);
    const context = await verification();
    const expected = await Promise.all(carried.map((id) => expectedOf(id)));
    const seen = [gauge(connected), gauge(context.target)];
    await verifyAll(context, expected);
    expect(seen.map(({ most }) => most)).toEqual([expect.any(Number), 4]);
    expect(seen[0]?.most).toBeLessThanOrEqual(4);
  });

  it('finds a missing, unshared or different item', async () => {
    expect(await verified(ids.pdf)).toMatchObject({
      checked: 1,
      findings: [
        {
          itemId: ids.pdf,
          title: 'Programme 2027',
          kind: 'missing',
          hint: 'production does not have the item. Read the message of its import job.',
        },
      ],
    });
    two.target.world.items.change(ids.csv, { groups: [], type: 'PDF', title: 'Other' });
    const result = await verified(ids.csv);
    expect(result.findings.map(({ kind, value }) => [kind, value])).toEqual([
      ['type-differs', 'PDF'],
      ['title-differs', 'Other'],
      ['not-in-group', undefined],
    ]);
  });

  it('finds changed owner, folder, sharing and groups [P05]', async () => {
    const before = {
      owner: 'owner',
      access: 'org',
      folder: 'e'.repeat(32),
      groups: ['f'.repeat(32), transportTargetGroupId],
    };
    const { groups, items } = two.target.world;
    groups.put('1'.repeat(32), { ...groups.get(transportTargetGroupId)!, id: '1'.repeat(32) });
    items.change(ids.csv, {
      owner: 'admin',
      access: 'shared',
      ownerFolder: 'd'.repeat(32),
      groups: [transportTargetGroupId, '1'.repeat(32)],
    });
    const result = await verified(ids.csv, existed(before));
    expect(result.findings.map(({ kind, value, hint }) => [kind, value, hint])).toEqual([
      ['owner-differs', 'admin', 'Change its owner to owner.'],
      ['access-differs', 'shared', 'Set its sharing level to org.'],
      ['folder-differs', 'd'.repeat(32), `Move it to folder ${'e'.repeat(32)} of its owner.`],
      ['groups-differ', 'f'.repeat(32), `Share it again with group ${'f'.repeat(32)}.`],
      ['groups-differ', '1'.repeat(32), `Remove it from group ${'1'.repeat(32)}.`],
    ]);
  });

  it('finds no lost group if the listing of that group has the item', async () => {
    const unnamed = 'f'.repeat(32);
    const { world, settings } = two.target;
    world.groups.put(unnamed, { ...world.groups.get(transportTargetGroupId)!, id: unnamed });
    const groups = [transportTargetGroupId, unnamed];
    world.items.change(ids.csv, { groups });
    settings.unlistedGroups = [unnamed];
    const before = { owner: 'owner', access: 'shared', groups };
    const kinds = async () =>
      (await verified(ids.csv, existed(before))).findings.map(({ kind, value }) => [kind, value]);
    expect(await kinds()).toEqual([]);
    world.items.change(ids.csv, { groups: [transportTargetGroupId] });
    expect(await kinds()).toEqual([['groups-differ', unnamed]]);
  });

  it('accepts the target group, and names what it cannot compare', async () => {
    const same = { owner: 'owner', access: 'shared', groups: [] };
    expect((await verified(ids.csv, existed(same))).findings).toEqual([]);
    const unknown = await verified(ids.csv, existed({}));
    expect(unknown.checked).toBe(0);
    expect(unknown.notChecked.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'item.owner: its owner before the import is unknown',
      'item.access: its access before the import is unknown',
      'item.groups: its groups before the import are unknown',
    ]);
  });

  it('reads the folder from record or listing, and reports if it was unknown', async () => {
    const folder = 'd'.repeat(32);
    two.target.world.items.change(ids.csv, { ownerFolder: folder });
    const context = await verification('owner');
    const told = { owner: 'owner', access: 'shared', groups: [transportTargetGroupId], folder };
    for (const listed of [context.listed, new Map([[ids.csv, {}]])]) {
      const seen = (before: Placement) =>
        expectedOf(ids.csv, existed(before)).then((each) => verifyItem({ ...context, listed }, each));
      expect(await seen(told)).toMatchObject({ checked: 1, findings: [] });
      const untold = await seen({ ...told, folder: undefined });
      expect(untold.findings).toEqual([]);
      expect(untold.notChecked.map(({ reason }) => reason)).toEqual([
        'its folder before the import is unknown',
      ]);
    }
  });

  it('reads folders of other users as an administrator, in any case of names', async () => {
    const { folders, items } = two.target.world;
    folders.put('f1', { id: 'f1', username: 'owner', title: 'Tables', created: 1 });
    items.change(ids.csv, { ownerFolder: 'f1' });
    const { places } = await verification('admin');
    const folderOf = async (folder: string) =>
      (await places.read({ id: ids.csv, owner: 'owner' }, { owner: 'OWNER', folder })).folder;
    expect([await folderOf('f1'), await folderOf('/')]).toEqual(['f1', 'elsewhere']);
  });

  it('is retried as a whole if a portal refuses the connection', async () => {
    const context = await verification();
    const expected = await expectedOf(ids.csv);
    await two.target.close();
    await expect(verifyItem(context, expected)).rejects.toMatchObject({ name: 'PortolanError' });
  });

  it('retries what a busy portal refused', async () => {
    two.target.faults.add({
      match: { operation: 'item.data' },
      times: 2,
      do: { status: 503, retryAfter: 0 },
    });
    expect(await verified(ids.csv)).toMatchObject({ checked: 1, notChecked: [], findings: [] });
  });
});
