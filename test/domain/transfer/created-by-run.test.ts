import { describe, expect, it } from '@jest/globals';
import { notAsLeft, whyStays } from '../../../src/domain/transfer/created-items';
import type { CreatedItem } from '../../../src/model/transfer/plan';

const since = 1_800_000_000_000;
const maker = { accounts: ['importer'], since };
const left: CreatedItem = { owner: 'importer', modified: since + 5, wasAbsent: true, isListed: true };
const found = { owner: 'importer', modified: since + 5 };

/** `created` of an imported item: the time of the import, or what the source says. */
const behaviors = [
  { portal: 'that dates an imported item by its import', created: since + 1 },
  { portal: "that keeps the source's date", created: since - 1_000_000 },
  { portal: 'that tells no date', created: undefined },
];

describe.each(behaviors)('an item on a portal $portal', ({ created }) => {
  const why = (now: Partial<typeof found>, then: Partial<CreatedItem> = {}) =>
    notAsLeft({ ...found, created, ...now }, { ...left, ...then }, maker);

  it('is the run’s own if it was absent, the import lists it, and nobody changed it', () => {
    expect(why({})).toBeUndefined();
    expect(why({ owner: 'Importer' })).toBeUndefined();
    expect(why({ owner: 'heir' }, { givenTo: 'heir' })).toBeUndefined();
  });

  it.each([
    [
      'was not seen to be absent before the import',
      {},
      { wasAbsent: false },
      /did not confirm that it was missing/,
    ],
    [
      'belongs to another account',
      { owner: 'other' },
      {},
      /^it belongs to other, but the run created its items/,
    ],
    ['tells no owner', { owner: undefined }, {}, /does not report its owner/],
    ['had another owner after the import', {}, { owner: 'other' }, /but belonged to other after the run/],
    ['had no known owner after the import', {}, { owner: null }, /cannot tell whether it has changed/],
    ['was changed since', { modified: since + 6 }, {}, /it has changed since/],
    ['had no known time of change', {}, { modified: null }, /cannot tell whether it has changed/],
    ['has layers that tell no edits', {}, { edited: null }, /cannot tell whether it has changed/],
  ])('stays if it %s', (_, now, then, reason) => {
    expect(why(now, then)).toMatch(reason);
  });
});

describe('an item that the import did not list, since its response was lost', () => {
  const why = (created: number | undefined, since_: number | null = since) =>
    notAsLeft({ ...found, created }, { ...left, isListed: false }, { ...maker, since: since_ });

  it('is the run’s own only if the portal dates it after the package', () => {
    expect(why(since)).toBeUndefined();
    expect(why(since - 1)).toMatch(/created before the import/);
    expect(why(undefined)).toMatch(/does not report when it was created/);
    expect(why(since, null)).toMatch(/does not report when it was created/);
  });
});

const asLeft = { isPlanned: true, isRequested: true };
it.each([
  ['goes if it is as the run left it, the plan lists it, and that was requested', asLeft, undefined],
  [
    'stays if the approved plan does not list it',
    { ...asLeft, isPlanned: false },
    'the plan does not list it',
  ],
  [
    'stays if nobody asked for its deletion',
    { isPlanned: false, isRequested: false },
    'deletion was not requested',
  ],
  ['stays if it has changed since', { ...asLeft, changed: 'edited' }, 'edited'],
  ['stays if a stage holds it', { ...asLeft, held: 'held' }, 'held'],
  ['names the stage first', { ...asLeft, held: 'held', changed: 'edited', isPlanned: false }, 'held'],
])('an item that a rolled-back run created %s', (_, look, reason) => {
  expect(whyStays(look)).toBe(reason);
});
