import { describe, expect, it } from '@jest/globals';
import { arrangedPlacement, type PlacedNow } from '../../../../src/domain/transfer/placements';
import { newOwner } from '../../../../src/domain/transfer/created-items';
import { FindingsBuilder } from '../../../../src/domain/transfer/verify/verification';
import { reportPlacement } from '../../../../src/domain/transfer/verify/verify-item';
import type { Placement } from '../../../../src/model/transfer/placement';
import type { Item } from '../../../../src/portal/resources/items/item';

describe('a new item on the target', () => {
  it.each([
    ['stays with the account that imports where nothing is said', 'ann', undefined, 'gis'],
    ['goes to whom the map names', 'ann', { default: 'bob', map: { ann: 'cas' } }, 'cas'],
    ['goes to whom the map names, whatever the case of letters', 'Ann', { map: { aNN: 'cas' } }, 'cas'],
    ['goes to the default where the map names nobody', 'ann', { default: 'bob', map: {} }, 'bob'],
    ['goes to the user of the same name where there is no default', 'ann', { map: { x: 'y' } }, 'ann'],
    ['stays with the account where nobody is known to have owned it', undefined, { map: {} }, 'gis'],
    ['is mapped by names alone, not by what every object has', 'constructor', { map: {} }, 'constructor'],
  ])('%s', (_title, source, owners, owner) => {
    expect(newOwner(source, owners, 'gis').owner).toBe(owner);
  });

  const stood = { owner: 'ann', folder: 'f1', folderTitle: 'Maps', access: 'org', protected: true };
  const target = { groupId: 'g' };

  it('has sharing and folder title of the source, in the target group only', () => {
    expect(arrangedPlacement(stood, { owner: 'bob', account: 'gis', target })).toEqual({
      owner: 'bob',
      folderTitle: 'Maps',
      access: 'org',
      groups: ['g'],
      protected: true,
    });
    const inRoot = { ...stood, folder: '/', folderTitle: undefined };
    expect(arrangedPlacement(inRoot, { account: 'gis', target })).toMatchObject({
      owner: 'gis',
      folder: '/',
    });
  });

  it('stays in the folder of its route, unless another user gets it', () => {
    const named = { ...target, folderId: 'f9' };
    const stays = arrangedPlacement(stood, { owner: 'gis', account: 'gis', target: named });
    expect([stays.folder, stays.folderTitle]).toEqual([undefined, undefined]);
    expect(arrangedPlacement(stood, { owner: 'bob', account: 'gis', target: named }).folderTitle).toBe(
      'Maps',
    );
    expect(arrangedPlacement(undefined, { account: 'gis', target })).toEqual({ owner: 'gis', groups: ['g'] });
  });
});

describe('the placement of a created item', () => {
  const desired: Placement = {
    owner: 'bob',
    folder: 'f1',
    folderTitle: 'Maps',
    access: 'org',
    protected: true,
    thumbnail: { path: 'thumbnail/a.png', sizeBytes: 1, sha256: 'x' },
  };
  const there: PlacedNow = {
    owner: 'bob',
    folder: 'f1',
    access: 'org',
    protected: true,
    hasThumbnail: true,
  };
  const item: Item = { id: 'a' };
  const findings = (now: PlacedNow, placement = desired) => {
    const sheet = new FindingsBuilder('a', 'A');
    reportPlacement({ placement, isNew: true }, now, item, sheet, { targetGroupId: 'g' });
    const { findings: found, notChecked } = sheet.end();
    return [...found.map(({ kind }) => kind as string), ...notChecked.map(({ reason }) => reason)];
  };

  it.each([
    ['belongs to somebody else', ['owner-differs', 'folder-differs'], { owner: 'gis' }],
    ['belongs to the same user in other letters', [], { owner: 'Bob' }],
    ['is shown to more', ['access-differs'], { access: 'public' }],
    ['is not protected', ['protection-differs'], { protected: undefined }],
    ['has another picture', ['thumbnail-differs'], { hasThumbnail: false }],
    ['lies elsewhere', ['folder-differs'], { folder: '/' }],
    ['lies nobody knows where', ['its folder is unknown'], { folder: undefined }],
    [
      'is told little of',
      ['its owner is unknown', 'its access is unknown', 'its thumbnail is unknown'],
      { owner: undefined, access: undefined, hasThumbnail: undefined },
    ],
  ])('%s', (_title, found, otherwise) => {
    expect(findings({ ...there, ...otherwise })).toEqual(found);
  });

  it('is in no folder if that could not be created', () => {
    expect(findings(there, { ...desired, folder: undefined })).toEqual(['folder-differs']);
  });
});
