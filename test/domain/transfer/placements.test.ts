import { describe, expect, it } from '@jest/globals';
import { unrestorableParts, displacedParts, placementOf } from '../../../src/domain/transfer/placements';

const before = {
  owner: 'alice',
  folder: 'f1',
  access: 'org',
  groups: ['g1', 'g2'],
  protected: true,
  thumbnail: { path: 'thumbnail/a.png', sizeBytes: 3, sha256: 'abc' },
};
const same = { ...before, hasThumbnail: true };
const groups = (other: string[] = []) => ({
  admin: [],
  member: [{ id: 'g1' }],
  other: other.map((id) => ({ id })),
});

describe('an overwritten item', () => {
  it.each([
    ['nothing if the portal spells its owner in another case', { ...same, owner: 'Alice' }, []],
    [
      'owner and folder where somebody else has it',
      { ...same, owner: 'importer', folder: '/' },
      ['owner', 'folder'],
    ],
    ['the folder', { ...same, folder: '/' }, ['folder']],
    ['sharing where more see it', { ...same, access: 'public' }, ['sharing']],
    ['sharing where a group lost it', { ...same, groups: ['g1'] }, ['sharing']],
    ['the picture', { ...same, hasThumbnail: false }, ['thumbnail']],
    ['protection', { ...same, protected: undefined }, ['protection']],
    ['nothing where it came to one more group', { ...same, groups: ['g1', 'g2', 'target'] }, []],
    [
      'nothing where the portal does not tell',
      { hasThumbnail: true, protected: true, owner: undefined, folder: undefined, access: undefined },
      [],
    ],
  ])('is to get back %s [P05]', (_what, now, parts) => {
    expect(displacedParts(before, now)).toEqual(parts);
  });

  it('gets back nothing that was unknown', () => {
    expect(displacedParts({}, same)).toEqual([]);
    expect(displacedParts({ access: 'private' }, { access: 'shared', hasThumbnail: true })).toEqual([]);
  });

  it('is in the root of this account if it has no folder', () => {
    const item = { id: 'i', owner: 'alice', access: 'org' };
    expect(placementOf(item, ['g0', 'g1'], 'alice')).toMatchObject({ folder: '/', groups: ['g0', 'g1'] });
    expect(placementOf(item, undefined, 'Alice').folder).toBe('/');
    expect(placementOf(item, undefined, 'bob').folder).toBeUndefined();
  });
});

const owner = { username: 'alice', fullAdmin: false };
it.each([
  ['is nothing of ours in another case', before, groups(), { ...owner, username: 'ALICE' }, []],
  ['is nothing for an administrator', before, groups(['g9']), { username: 'root', fullAdmin: true }, []],
  [
    'is the owner, for anybody else',
    before,
    groups(),
    { username: 'bob', fullAdmin: false },
    ['belongs to alice; only an administrator can give it back'],
  ],
  [
    'is a group of others',
    before,
    groups(['g9']),
    owner,
    ['is shared with group g9, of which alice is not a member'],
  ],
  [
    'is what the portal does not tell',
    { ...before, folder: undefined, groups: undefined },
    undefined,
    owner,
    ['is in a folder that the portal does not report', 'is in groups that the portal does not report'],
  ],
  [
    'is all of one that cannot be read',
    undefined,
    undefined,
    owner,
    ['cannot be read, so its owner, folder and sharing could not be restored'],
  ],
])('the placement that cannot be restored %s', (_what, placement, held, who, words) => {
  expect(unrestorableParts(placement, held, who)).toEqual(words);
});
