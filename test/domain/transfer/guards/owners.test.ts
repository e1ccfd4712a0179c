import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownersThere } from '../../../../src/domain/transfer/guards/portal';
import { readPortalFacts } from '../../../../src/domain/transfer/portal-facts';
import type { OwnerMap } from '../../../../src/model/transfer/placement';
import type { builtInUsers } from '../../../../src/simulator/seed/users';
import { transportItems } from '../../../../src/simulator/seed/transport';
import { startTwoPortals, type TwoPortals } from '../two-portals';

let two: TwoPortals;
beforeAll(async () => {
  two = await startTwoPortals();
});
afterAll(() => two.close());

/** New on the target, but for the map. */
const items = [
  { itemId: transportItems.map, owner: 'gone' },
  { itemId: transportItems.app, owner: 'dev_editor' },
  { itemId: transportItems.pdf, owner: 'dev_editor' },
  { itemId: transportItems.scene, owner: 'other' },
  { itemId: transportItems.story },
];

async function asked(as: keyof typeof builtInUsers, owners: OwnerMap, of?: typeof items) {
  const portal = two.connect('target', as);
  return await ownersThere({ portal, facts: await readPortalFacts(portal), owners, account: as, items: of });
}

describe('owners of what is new', () => {
  it.each<[title: string, as: keyof typeof builtInUsers, owners: OwnerMap, said: object]>([
    [
      'nobody of the name of the source’s, and no word of who else',
      'admin',
      { map: {} },
      {
        code: 'OWNER_NOT_FOUND',
        saw: 'owner dev_editor of 2 items does not exist on production',
        todo: 'Create that user, or name another: owners.map.dev_editor or owners.default of the stage in a pipeline.',
      },
    ],
    [
      'a mapped user who is not there',
      'admin',
      { map: { Dev_Editor: 'editor' } },
      {
        code: 'OWNER_NOT_FOUND',
        saw: 'owner editor of 2 items does not exist on production (owners.map.Dev_Editor)',
        todo: 'Set owners.map.Dev_Editor of the stage to a user of production.',
      },
    ],
    [
      'a default who is not there, of what no map names',
      'admin',
      { default: 'nobody', map: { dev_editor: 'viewer' } },
      {
        code: 'OWNER_NOT_FOUND',
        saw: 'owner nobody of 2 items does not exist on production (owners.default)',
      },
    ],
    [
      'an account that may not give items to others',
      'owner',
      { default: 'viewer', map: {} },
      {
        code: 'PERMISSION_DENIED',
        saw: 'owner is not an administrator of production',
        needs: 'an administrator, to give 4 new items to others',
        todo: 'Sign in to production as an administrator, or set owners.default of the stage to owner.',
      },
    ],
  ])('are refused: %s', async (_title, as, owners, said) => {
    expect(await asked(as, owners, items)).toMatchObject([
      { name: 'owners on production', verdict: 'refuse', ...said },
    ]);
  });

  it('pass where all are there, or where all stays with the account; an administrator of a custom role may be one', async () => {
    const name = 'owners on production';
    const map = { dev_editor: 'viewer', gone: 'nobody' };
    expect(await asked('admin', { map }, items)).toEqual([
      { name, verdict: 'pass', saw: 'nobody, other, viewer' },
    ]);
    expect(await asked('owner', { default: 'OWNER', map: {} }, items)).toEqual([
      { name, verdict: 'pass', saw: 'all items stay with owner' },
    ]);
    expect(await asked('custom', { default: 'viewer', map: {} }, items)).toMatchObject([
      { name, verdict: 'unknown' },
    ]);
  });

  it('are asked of a stage by name, whatever comes', async () => {
    expect(await asked('admin', { default: 'viewer', map: { a: 'nobody', b: 'other' } })).toMatchObject([
      { verdict: 'refuse', saw: 'owner nobody does not exist on production (owners.map.a)' },
    ]);
    expect(await asked('admin', { default: 'viewer', map: { b: 'other' } })).toMatchObject([
      { verdict: 'pass', saw: 'other, viewer' },
    ]);
    expect(await asked('owner', { default: 'viewer', map: {} })).toMatchObject([
      { verdict: 'refuse', code: 'PERMISSION_DENIED' },
    ]);
  });
});
