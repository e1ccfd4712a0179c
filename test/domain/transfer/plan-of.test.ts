import { describe, expect, it } from '@jest/globals';
import {
  comingItems,
  type OverwriteEvidence,
  type PlanEvidence,
  planOf,
} from '../../../src/domain/transfer/plan-of';
import type { PlanRow } from '../../../src/model/transfer/plan';
import type { RequestedItem } from '../../../src/model/transfer/requested';
import type { Route } from '../../../src/model/transfer/route';
import type { Item } from '../../../src/portal/resources/items/item';

const route = {
  source: { portal: 'staging', groupId: 's' },
  target: { portal: 'production', groupId: 't' },
  options: { overwrite: true, data: 'keep', take: [] },
} as unknown as Route;

const coming = (itemId: string, more: object = {}) => ({
  ...{ itemId, type: 'Web Map', title: itemId, exists: true, canImport: true, part: 0 },
  ...more,
});
const asked = (itemId: string, more: Partial<RequestedItem> = {}): RequestedItem => ({
  ...{ itemId, type: 'Web Map', title: itemId, part: 0 },
  ...more,
});
const there = (id: string, more: Partial<Item> = {}): [string, Item] => [
  id,
  { id, type: 'Web Map', title: id, owner: 'sync', ...more },
];
const settled = { runId: 'sync-1', as: 'kept', reason: 'exists' } as const;

/** One item that both sides have. */
const evidence: PlanEvidence = {
  ...{ route, username: 'sync', packages: [{ sha256: 'p', itemId: 'package' }], preview: [coming('a')] },
  ...{ requested: [asked('a')], inSource: new Set(['a']), group: new Map([there('a')]) },
  ...{
    outsiders: new Map(),
    groupsOf: new Map(),
    owners: new Map(),
    lacking: new Set(),
    heldBack: new Map(),
  },
  ...{ lastModified: {}, imported: [], undone: [], readAt: '2026-11-27T12:00:00.000Z' },
};
const onlyNew = { group: new Map(), preview: [coming('a', { exists: false })] };
const none: OverwriteEvidence = { beyond: new Map() };

const row = (itemId: string, action: PlanRow['action'], more: Partial<PlanRow> = {}): PlanRow => ({
  ...{ itemId, type: 'Web Map', title: itemId, action },
  ...more,
});

/** What a user relies on; the evidence that differs; what of the overwritten items; what the rows are. */
const cases: readonly [string, Partial<PlanEvidence>, OverwriteEvidence, readonly object[]][] = [
  ['overwrites an item of the group', {}, none, [{ itemId: 'a', action: 'overwrite', part: 0 }]],
  ['creates what the target lacks', onlyNew, none, [{ itemId: 'a', action: 'create', owner: undefined }]],
  [
    'names the owner that a created item will get',
    { ...onlyNew, owners: new Map([['a', 'maria']]) },
    none,
    [{ action: 'create', owner: 'maria' }],
  ],
  [
    'names no new owner for an item that it overwrites',
    { owners: new Map([['a', 'sync']]) },
    none,
    [{ action: 'overwrite', owner: undefined }],
  ],
  [
    'blocks an item outside the group',
    { group: new Map(), outsiders: new Map([there('a', { owner: 'ben' })]) },
    none,
    [{ action: 'blocked', reason: 'belongs to ben, outside the target group' }],
  ],
  [
    'blocks an item that a stage holds',
    { heldBack: new Map([['a', 'is held by releases/production']]) },
    none,
    [{ action: 'blocked', reason: 'is held by releases/production' }],
  ],
  [
    'keeps an item that people edited since the run that is rolled back',
    {},
    { edited: { since: 'sync-1', items: new Set(['a']) }, beyond: new Map() },
    [{ action: 'keep', reason: 'has changed since sync-1; Portolan leaves it unchanged', part: 0 }],
  ],
  [
    'says what could not be restored of an item that it overwrites',
    {},
    { beyond: new Map([['a', ['is in a folder that this account does not see']]]) },
    [{ action: 'overwrite', beyond: ['is in a folder that this account does not see'] }],
  ],
  [
    'says when the target alone has changed',
    {
      requested: [asked('a', { drifted: 'sync-1' })],
      lastModified: { a: 1 },
      group: new Map([there('a', { modified: 2 })]),
    },
    none,
    [{ drifted: true, target: { changedSince: 2 } }],
  ],
  [
    'says which group of the source configures an app',
    { requested: [asked('a', { group: 's' })], lacking: new Set(['s']) },
    none,
    [{ group: 's', reason: expect.stringContaining('set it to t there') }],
  ],
  [
    'leaves an item that came into the source group after the run began for the next run',
    { preview: [coming('a'), coming('late')] },
    none,
    [{ itemId: 'a' }],
  ],
  ['leaves out what the route excludes', { requested: [asked('a', { excluded: true })] }, none, []],
  [
    'takes an item from its own package only',
    { preview: [coming('a', { part: 1 }), coming('a')] },
    none,
    [{ itemId: 'a', part: 0 }],
  ],
  [
    'keeps an unchanged item as an earlier run settled it',
    { preview: [], requested: [asked('a', { same: settled })] },
    none,
    [{ itemId: 'a', action: 'keep' }],
  ],
  [
    'lists what only the target has, and touches none of it',
    { group: new Map([there('a'), there('own')]) },
    none,
    [{ itemId: 'a' }, { itemId: 'own', action: 'extra' }],
  ],
  [
    'lists what a rollback removes, and not as extra',
    { preview: [], group: new Map([there('made')]), undone: [row('made', 'remove')] },
    none,
    [{ itemId: 'made', action: 'remove' }],
  ],
  [
    'keeps the rows of imported packages as they were approved',
    { preview: [], inSource: new Set(['a', 'b']), imported: [row('b', 'create', { part: 0 })] },
    none,
    [{ itemId: 'b', action: 'create' }],
  ],
];

describe('a plan', () => {
  it.each(cases)('%s', (_, differing, overwritten, rows) => {
    expect(planOf({ ...evidence, ...differing }, overwritten).rows).toMatchObject(rows);
  });

  it('counts what arrived too late', () => {
    const preview = [coming('a'), coming('late')];
    expect(planOf({ ...evidence, preview }, none)).toMatchObject({ arrivedLater: 1, targetGroupId: 't' });
  });

  it('has another hash when the target, the package or the map differs, and the same at another time [P02]', () => {
    const hashOf = (differing: Partial<PlanEvidence>) => planOf({ ...evidence, ...differing }, none).sha256;
    const others = [
      { group: new Map([there('a', { modified: 2 })]) },
      { packages: [{ sha256: 'q', itemId: 'package' }] },
      { map: 'm' },
    ].map(hashOf);
    expect(new Set([hashOf({}), ...others]).size).toBe(4);
    expect(hashOf({ readAt: '2026-11-28T12:00:00.000Z' })).toBe(hashOf({}));
  });

  it('asks nothing about items that do not come', () => {
    const preview = [coming('a'), coming('b'), coming('c', { part: 1 })];
    const requested = [asked('a'), asked('b', { same: settled }), asked('c')];
    expect(comingItems({ preview, requested }).map(({ itemId }) => itemId)).toEqual(['a']);
  });
});
