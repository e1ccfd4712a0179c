import { describe, expect, it } from '@jest/globals';
import {
  type ComingItem,
  comingRows,
  type PlanEvidence,
  planOf,
  type TargetItem,
} from '../../../src/domain/transfer/plan';
import type { Change } from '../../../src/model/transfer/change';
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
  itemId,
  type: 'Web Map',
  title: itemId,
  exists: true,
  canImport: true,
  packageIndex: 0,
  ...more,
});
const asked = (itemId: string, more: Partial<RequestedItem> = {}): RequestedItem => ({
  itemId,
  type: 'Web Map',
  title: itemId,
  packageIndex: 0,
  ...more,
});
const there = (id: string, more: Partial<Item> = {}): [string, Item] => [
  id,
  { id, type: 'Web Map', title: id, owner: 'sync', ...more },
];
const settled = { runId: 'sync-1', as: 'kept', reason: 'exists' } as const;

/** An item of ours in the target group. */
const ours: TargetItem = { held: { type: 'Web Map', owner: 'sync' }, inGroup: true, username: 'sync' };
const comes = (targetItem: Partial<TargetItem> = {}, more: Partial<ComingItem> = {}): ComingItem[] => [
  { row: coming('a'), targetItem: { ...ours, ...targetItem }, ...more },
];
const isNew = (targetItem: Partial<TargetItem> = {}): ComingItem[] => [
  { row: coming('a', { exists: false }), targetItem: { inGroup: false, username: 'sync', ...targetItem } },
];

/** One item that both sides have. */
const evidence: PlanEvidence = {
  route,
  packages: [{ sha256: 'p', itemId: 'package' }],
  preview: [coming('a')],
  coming: comes(),
  requested: [asked('a')],
  inSource: new Set(['a']),
  group: new Map([there('a')]),
  imported: [],
  undone: [],
  readAt: '2026-11-27T12:00:00.000Z',
};

const row = (itemId: string, action: PlanRow['action'], more: Partial<PlanRow> = {}): PlanRow => ({
  itemId,
  type: 'Web Map',
  title: itemId,
  action,
  ...more,
});

const same: Change = { kind: 'same', fields: [], sha256: 'same' };
const changed: Change = {
  kind: 'changed',
  fields: [{ path: 'item.title', label: 'title', before: 'a', after: 'b' }],
  sha256: 'changed',
};
const unknown: Change = { kind: 'unknown', fields: [], why: 'it is not JSON', sha256: 'unknown' };

/** What a user relies on; what differs; the rows. */
const cases: readonly [string, Partial<PlanEvidence>, readonly object[]][] = [
  ['overwrites an item of the group', {}, [{ itemId: 'a', action: 'overwrite', packageIndex: 0 }]],
  [
    'creates what the target lacks',
    { coming: isNew(), group: new Map() },
    [{ itemId: 'a', action: 'create', owner: undefined, packageIndex: 0 }],
  ],
  [
    'names the owner that a created item will get',
    { coming: isNew({ newOwner: 'maria' }), group: new Map() },
    [{ action: 'create', owner: 'maria' }],
  ],
  [
    'names no new owner for an item that it overwrites',
    { coming: comes({ newOwner: 'maria' }) },
    [{ action: 'overwrite', owner: undefined }],
  ],
  [
    'keeps an item that people edited since the run that is rolled back',
    { coming: comes({}, { editedSince: 'sync-1' }) },
    [{ action: 'keep', reason: 'has changed since sync-1; Portolan leaves it unchanged', packageIndex: 0 }],
  ],
  [
    'blocks an item that a stage holds, edited or not',
    { coming: comes({ heldBack: 'is held by a stage' }, { editedSince: 'sync-1' }) },
    [{ action: 'blocked', reason: 'is held by a stage' }],
  ],
  [
    'says what could not be restored of an item that it overwrites',
    { coming: comes({}, { beyond: ['is in a folder that this account does not see'] }) },
    [{ action: 'overwrite', beyond: ['is in a folder that this account does not see'] }],
  ],
  [
    'says nothing of that about an item that it does not overwrite',
    { coming: comes({ heldBack: 'is held by a stage' }, { beyond: ['is in an unknown folder'] }) },
    [expect.not.objectContaining({ beyond: expect.anything() })],
  ],
  [
    'says how an item changes that it overwrites',
    { coming: comes({}, { change: changed }) },
    [{ action: 'overwrite', change: changed }],
  ],
  [
    'writes an item of which nobody knows whether it changes',
    { coming: comes({}, { change: unknown }) },
    [{ action: 'overwrite', change: { kind: 'unknown', why: 'it is not JSON' } }],
  ],
  [
    'leaves an item alone that is the same, drifted or not',
    { coming: comes({ driftedSince: 'sync-1' }, { change: same }) },
    [
      {
        action: 'same',
        reason: 'identical on both portals; changed only on the target since sync-1',
        drifted: true,
        change: same,
      },
    ],
  ],
  [
    'says nothing of what could not be restored of an item that it leaves alone',
    { coming: comes({}, { change: same, beyond: ['is in an unknown folder'] }) },
    [expect.not.objectContaining({ beyond: expect.anything() })],
  ],
  [
    'leaves an item alone that is as in the snapshot',
    { coming: comes({}, { change: same }), snapshotId: 'backup-1' },
    [{ action: 'same', reason: 'identical to the snapshot', packageIndex: 0 }],
  ],
  [
    'blocks an item that a stage holds, also if it is the same',
    { coming: comes({ heldBack: 'is held by a stage' }, { change: same }) },
    [{ action: 'blocked' }],
  ],
  [
    'says which group of the source configures an app',
    { coming: comes({}, { lacks: 's' }) },
    [{ group: 's', reason: expect.stringContaining('set it to t there') }],
  ],
  [
    'keeps an unchanged item as an earlier run settled it',
    { coming: [], requested: [asked('a', { same: settled })] },
    [{ itemId: 'a', action: 'keep' }],
  ],
  [
    'lists what only the target has',
    { group: new Map([there('a'), there('own')]) },
    [{ itemId: 'a' }, { itemId: 'own', action: 'extra' }],
  ],
  [
    'lists what a rollback removes, and not as extra',
    { coming: [], group: new Map([there('made')]), undone: [row('made', 'remove')] },
    [{ itemId: 'made', action: 'remove' }],
  ],
  [
    'keeps the rows of imported packages as they were approved',
    { coming: [], imported: [row('b', 'create', { packageIndex: 0 })] },
    [{ itemId: 'b', action: 'create' }],
  ],
];

describe('a plan', () => {
  it.each(cases)('%s', (_, differing, rows) => {
    expect(planOf({ ...evidence, ...differing }).rows).toMatchObject(rows);
  });

  it('counts items that came into the source group after the run began', () => {
    const preview = [coming('a'), coming('late')];
    expect(planOf({ ...evidence, preview })).toMatchObject({ arrivedLater: 1, targetGroupId: 't' });
  });

  it('has another hash when the target, the package, the map or a change differs, and the same at another time [P02]', () => {
    const hashOf = (differing: Partial<PlanEvidence>) => planOf({ ...evidence, ...differing }).sha256;
    const others = [
      { coming: comes({ held: { type: 'Web Map', owner: 'sync', modified: 2 } }) },
      { packages: [{ sha256: 'q', itemId: 'package' }] },
      { map: 'm' },
      { coming: comes({}, { change: changed }) },
      { coming: comes({}, { change: { ...changed, sha256: 'changed in another way' } }) },
      { coming: comes({}, { change: unknown }) },
      { coming: comes({}, { change: same }) },
    ].map(hashOf);
    expect(new Set([hashOf({}), ...others]).size).toBe(8);
    expect(hashOf({ readAt: '2026-11-28T12:00:00.000Z' })).toBe(hashOf({}));
  });
});

describe('an item of a package', () => {
  it.each<[string, Partial<RequestedItem> | undefined, boolean]>([
    ['comes if it was requested', {}, true],
    ['is left for the next run if it came into the source group after the run began', undefined, false],
    ['stays out if the route excludes it', { excluded: true }, false],
    ['stays out if it is unchanged since an earlier run', { same: settled }, false],
    ['is taken from its own package only', { packageIndex: 1 }, false],
  ])('%s', (_, more, isComing) => {
    const requested = new Map(more && [['a', asked('a', more)]]);
    expect(comingRows([coming('a')], requested)).toHaveLength(isComing ? 1 : 0);
  });
});
