import { describe, expect, it } from '@jest/globals';
import {
  type ComingItem,
  comingRows,
  type PlanEvidence,
  planHash,
  planOf,
  planRowFor,
  type TargetItem,
  withChange,
} from '../../../src/domain/transfer/plan';
import { recordMark } from '../../../src/domain/transfer/outcomes';
import type { Change } from '../../../src/model/transfer/change';
import type { PlanRow, PreviewRow } from '../../../src/model/transfer/plan';
import type { RequestedItem } from '../../../src/model/transfer/requested';
import type { Route, RouteOptions } from '../../../src/model/transfer/route';
import type { Item } from '../../../src/portal/resources/items/item';
import { aPlanRow as row, aRequested as requested } from './facts';

const options = { overwrite: true, data: 'keep', take: [] as string[] } as unknown as RouteOptions;
const route = {
  source: { portal: 'staging', groupId: 's' },
  target: { portal: 'production', groupId: 't' },
  options,
} as unknown as Route;

const coming = (itemId: string, more: Partial<PreviewRow> = {}) => ({
  itemId,
  type: 'Web Map',
  title: itemId,
  exists: true,
  canImport: true,
  packageIndex: 0,
  ...more,
});
const there = (id: string): [string, Item] => [id, { id, type: 'Web Map', title: id, owner: 'sync' }];
const settled: NonNullable<RequestedItem['same']> = {
  runId: 'sync-1',
  as: 'kept',
  reason: 'exists',
  onTarget: recordMark(there('a')[1]),
};
const unchanged = (as: typeof settled) => ({ coming: [], requested: [requested('a', { same: as })] });

/** An item of the account in the target group. */
const own: TargetItem = { held: { type: 'Web Map', owner: 'sync' }, inGroup: true, username: 'sync' };
const held = (owner: string, more: Partial<TargetItem> = {}): TargetItem => ({
  ...own,
  held: { type: 'Web Map', owner },
  ...more,
});
const outside: TargetItem = { ...own, inGroup: false };
const heldBack = 'is held by a stage';
const comes = (more: Partial<ComingItem> = {}, targetItem: Partial<TargetItem> = {}): ComingItem[] => [
  { row: coming('a'), targetItem: { ...own, ...targetItem }, ...more },
];
const isNew = (newOwner?: string, more: Partial<ComingItem> = {}, canImport = true): ComingItem[] => [
  { row: coming('a', { exists: false, canImport }), targetItem: { inGroup: false, newOwner }, ...more },
];

/** One item that both sides have. */
const evidence: PlanEvidence = {
  route,
  packages: [{ sha256: 'p', itemId: 'package' }],
  preview: [coming('a')],
  coming: comes(),
  requested: [requested('a')],
  inSource: new Set(['a']),
  group: new Map([there('a')]),
  imported: [],
  undone: [],
  readAt: '2026-11-27T12:00:00.000Z',
};

const same: Change = { kind: 'same', fields: [], sha256: 'same' };
const field = { path: 'item.title', label: 'title', before: 'a', after: 'b' };
const changed: Change = { kind: 'changed', fields: [field], sha256: 'changed' };
const unknown: Change = { kind: 'unknown', fields: [], why: 'it is not JSON', sha256: 'unknown' };
const beyond = ['is in an unknown folder'];
const unsaid = expect.not.objectContaining({ beyond: expect.anything() });

describe('a plan', () => {
  it.each([
    [
      'names the owner that a created item will get',
      { coming: isNew('maria'), group: new Map() },
      [{ itemId: 'a', action: 'create', owner: 'maria', packageIndex: 0 }],
    ],
    [
      'names no new owner for an item that it overwrites',
      { coming: comes({}, { newOwner: 'maria' }) },
      [{ action: 'overwrite', owner: undefined }],
    ],
    [
      'keeps an item that was edited since the run that is rolled back',
      { coming: comes({ editedSince: 'sync-1' }) },
      [{ action: 'keep', reason: 'has changed since sync-1; Portolan leaves it unchanged', packageIndex: 0 }],
    ],
    [
      'blocks an item that a stage holds, although it was edited',
      { coming: comes({ editedSince: 'sync-1', beyond }, { heldBack }) },
      [{ action: 'blocked', reason: heldBack }],
    ],
    [
      'blocks an item that a stage holds, although it is the same',
      { coming: comes({ change: same, beyond }, { heldBack }) },
      [unsaid],
    ],
    ['names nothing of an overwritten item that can be restored', {}, [unsaid]],
    [
      'names what of an overwritten item cannot be restored',
      { coming: comes({ beyond }) },
      [{ action: 'overwrite', beyond }],
    ],
    [
      'overwrites an item whose change is unknown',
      { coming: comes({ change: unknown }) },
      [{ action: 'overwrite', change: unknown }],
    ],
    [
      'leaves an item that is the same, drifted or not',
      { coming: comes({ change: same }, { driftedSince: 'sync-1' }) },
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
      'leaves an item that is as in the snapshot',
      { coming: comes({ change: same }), snapshotId: 'backup-1' },
      [{ action: 'same', reason: 'identical to the snapshot', packageIndex: 0 }],
    ],
    [
      'names the source group that configures an overwritten app',
      { coming: comes({ lacks: 's' }) },
      [
        {
          group: 's',
          reason: 'configured by group s of staging, which production does not have; set it to t there',
        },
      ],
    ],
    [
      'names another group that configures a created app',
      {
        coming: isNew(undefined, { lacks: 'x' }, false),
        group: new Map(),
        route: { ...route, options: { ...options, take: ['a'] } },
      },
      [
        {
          group: 'x',
          reason:
            'the target says it cannot be imported; configured by group x of staging, which production does not have; set it to another one there',
        },
      ],
    ],
    [
      'names no group of an app that it keeps',
      {
        coming: comes({ lacks: 's', editedSince: 'sync-1' }),
        route: { ...route, options: { ...options, overwrite: false } },
      },
      [expect.not.objectContaining({ group: expect.anything() })],
    ],
    [
      'keeps an unchanged item as an earlier run settled it',
      unchanged(settled),
      [{ itemId: 'a', action: 'keep', reason: 'exists', target: { owner: 'sync', inGroup: true } }],
    ],
    [
      'leaves an item that an earlier run imported',
      unchanged({ ...settled, as: 'imported' }),
      [{ action: 'same', reason: 'unchanged since sync-1' }],
    ],
    [
      'leaves to the next run an item imported earlier and changed on the target now',
      unchanged({ ...settled, as: 'imported', onTarget: 'another' }),
      [{ action: 'keep', reason: 'changed on the target since this run began; left for the next run' }],
    ],
    [
      'keeps an unchanged item that left the target',
      { ...unchanged({ ...settled, onTarget: undefined }), group: new Map() },
      [{ action: 'keep', reason: expect.stringMatching(/^changed on the target/), target: undefined }],
    ],
    ['has no row of an unchanged item that the source skipped', unchanged({ ...settled, as: 'skipped' }), []],
    [
      'lists what only the target has',
      { group: new Map([there('a'), ['own', { id: 'own' }]]) },
      [{ itemId: 'a' }, { itemId: 'own', action: 'extra', type: '?', title: 'own' }],
    ],
    [
      'lists what a rollback removes, and not as extra',
      { coming: [], group: new Map([there('made')]), undone: [row('made', 'remove')] },
      [{ itemId: 'made', action: 'remove' }],
    ],
    [
      'keeps the approved rows of imported packages',
      { coming: [], imported: [{ ...row('b', 'create'), packageIndex: 0 }] },
      [{ itemId: 'b', action: 'create' }],
    ],
  ])('%s', (_, differing, rows) => {
    expect(planOf({ ...evidence, ...differing }).rows).toMatchObject(rows);
  });

  it('counts items that came into the source group after the run began', () => {
    const preview = [coming('a'), coming('late'), coming('later')];
    expect(planOf({ ...evidence, preview })).toMatchObject({ arrivedLater: 2, targetGroupId: 't' });
  });

  it('leaves what a rollback would restore the same, and shows how else it changes', () => {
    const restored = row('a', 'restore');
    expect(withChange(restored, same, 'backup-1')).toMatchObject({
      action: 'same',
      reason: 'identical to the snapshot',
    });
    expect(withChange(restored, changed, 'backup-1')).toEqual({ ...restored, change: changed });
    expect(withChange(row('a', 'keep'), same, 'backup-1')).toEqual(row('a', 'keep'));
  });

  it('has the same hash when it is read again later', () => {
    const { sha256 } = planOf(evidence);
    expect(planOf({ ...evidence, readAt: '2026-11-28T12:00:00.000Z' }).sha256).toBe(sha256);
    expect(planOf({ ...evidence, map: 'm' }).sha256).not.toBe(sha256);
  });
});

describe('the hash of a plan [P02]', () => {
  const { target } = route;
  const [packages, rows] = [
    [{ sha256: 'p', itemId: 'package' }],
    [row('a', 'overwrite'), row('b', 'create')],
  ];
  const hash = planHash(packages, target, options, rows);
  const withOptions = (more: Partial<RouteOptions>) =>
    planHash(packages, target, { ...options, ...more }, rows);
  const withTarget = (more: Partial<Route['target']>) =>
    planHash(packages, { ...target, ...more }, options, rows);
  const withRow = (more: Partial<PlanRow>) =>
    planHash(packages, target, options, [{ ...rows[0]!, ...more }, rows[1]!]);

  it('covers packages, target, options, rows and map, each in its own way', () => {
    const hashes = [
      hash,
      planHash([{ sha256: 'q', itemId: 'package' }], target, options, rows),
      planHash(packages, target, options, rows, 'm'),
      planHash(packages, target, options, rows, 'n'),
      ...[{ overwrite: false }, { data: 'replace' }, { items: ['a'] }, { items: ['b'] }, { take: ['a'] }].map(
        (more) => withOptions(more as Partial<RouteOptions>),
      ),
      ...[
        { groupId: 'u' },
        { folderId: 'f' },
        { folderId: 'g' },
        { folderOwner: 'x' },
        { folderOwner: 'y' },
      ].map(withTarget),
      ...[
        { itemId: 'c' },
        { action: 'create' as const },
        { type: 'CSV' },
        { title: 'b' },
        { beyond: ['x'] },
        { beyond: ['y'] },
        { owner: 'x' },
        { owner: 'y' },
        { change: changed },
        { change: { ...changed, sha256: 'another' } },
        ...['owner', 'access'].flatMap((name) => ['x', 'y'].map((value) => ({ target: { [name]: value } }))),
        ...[1, 2].map((modified) => ({ target: { modified } })),
      ].map(withRow),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('depends on no order, and is the same in every version', () => {
    expect(planHash(packages, target, options, rows.toReversed())).toBe(hash);
    expect(withOptions({ take: ['b', 'a'] })).toBe(withOptions({ take: ['a', 'b'] }));
    expect(withOptions({ items: ['b', 'a'] })).toBe(withOptions({ items: ['a', 'b'] }));
    expect(hash).toBe('7e60db7240b7f8ab63522f6582c1cf3722ae0bca5018557a542a42c60ff7b262');
  });
});

describe('a plan action', () => {
  const map = coming('a');
  const layer = coming('a', { type: 'Feature Service' });
  const ownLayer: TargetItem = { ...own, held: { type: 'Feature Service', owner: 'sync' } };
  const unreadable: TargetItem = { inGroup: false };
  const take = ['a'];
  const kept = { overwrite: false };

  it.each<[string, PreviewRow, TargetItem, Partial<RouteOptions>, string]>([
    [
      'a new item, not importable',
      { ...map, exists: false, canImport: false },
      unreadable,
      kept,
      'blocked: the target says it cannot be imported',
    ],
    ['an item that exists, not importable', { ...map, canImport: false }, own, kept, 'keep: exists'],
    ['an own item in another case, overwriting', map, { ...own, username: 'SYNC' }, {}, 'overwrite'],
    [
      'an item not importable, overwriting',
      { ...map, canImport: false },
      own,
      {},
      'blocked: the target says it cannot be imported',
    ],
    [
      'an item not importable, forced in',
      { ...map, canImport: false },
      own,
      { take },
      'overwrite: the target says it cannot be imported',
    ],
    ['hosted data, overwriting', layer, ownLayer, {}, 'keep: exists; its data is kept (data: keep)'],
    ['hosted data, replacing data', layer, ownLayer, { data: 'replace' }, 'overwrite'],
    ["another user's item, overwriting", map, held('m.lee'), {}, 'blocked: belongs to m.lee'],
    ["another user's item, rolled back", map, held('m.lee', { isUndone: true }), {}, 'overwrite'],
    ['an item of its new owner, overwriting', map, held('m.lee', { newOwner: 'M.Lee' }), {}, 'overwrite'],
    [
      'an item of neither owner, overwriting',
      map,
      held('m.lee', { newOwner: 'a.ito' }),
      {},
      'blocked: belongs to m.lee',
    ],
    ['an item of unknown type and owner, overwriting', map, { ...own, held: {} }, {}, 'overwrite'],
    [
      'an item outside the target group',
      map,
      outside,
      kept,
      'blocked: belongs to sync, outside the target group',
    ],
    [
      'an item of unknown owner outside',
      map,
      { ...outside, held: {} },
      {},
      'blocked: belongs to someone else, outside the target group',
    ],
    [
      'an item of another type',
      map,
      { ...own, held: { type: 'CSV', owner: 'sync' } },
      kept,
      'blocked: exists as CSV',
    ],
    [
      'an item that this account cannot read',
      map,
      unreadable,
      kept,
      'blocked: exists, but this account cannot read it',
    ],
    [
      'an item outside, forced in',
      map,
      outside,
      { take },
      'overwrite: belongs to sync, outside the target group',
    ],
    ['an item outside, forced in without overwriting', map, outside, { ...kept, take }, 'keep: exists'],
    ['an item that a stage holds', map, { ...own, heldBack }, kept, 'keep: exists'],
    ['an item that a stage holds, overwriting', map, { ...own, heldBack }, {}, 'blocked: is held by a stage'],
    [
      'an item outside that a stage holds, forced in',
      map,
      { ...outside, heldBack },
      { take },
      'blocked: is held by a stage',
    ],
  ])('is right for %s', (_, preview, target, chosen, text) => {
    const { action, reason } = planRowFor(preview, target, { ...options, ...chosen });
    expect([action, reason].filter(Boolean).join(': ')).toBe(text);
  });
});

describe('a plan row', () => {
  const full = { type: 'Web Map', modified: 5, size: 7, owner: 'sync', access: 'org' };
  const found: TargetItem = { ...own, held: { ...full, ownerFolder: 'f' }, lastModified: 4 };

  it('shows the item of the package and that of the target', () => {
    const layer = coming('a', { type: 'Feature Service', size: 3, modified: 9 });
    const held = { ...full, ownerFolder: 'f', type: 'Feature Service' };
    const target: TargetItem = { ...found, held, groups: ['g'], driftedSince: 'sync-1' };
    expect(planRowFor(layer, target, options)).toEqual({
      itemId: 'a',
      type: 'Feature Service',
      title: 'a',
      size: 3,
      action: 'keep',
      reason: 'exists; its data is kept (data: keep); changed only on the target since sync-1',
      drifted: true,
      hosted: true,
      packageModified: 9,
      target: { ...full, type: held.type, folder: 'f', inGroup: true, groups: ['g'], changedSince: 5 },
    });
    expect(planRowFor(coming('a'), found, options)).toMatchObject({
      hosted: undefined,
      target: { groups: undefined },
    });
    const isAbsent = { inGroup: false, driftedSince: 'sync-1' };
    expect(planRowFor(coming('a'), isAbsent, options)).toMatchObject({
      drifted: undefined,
      target: undefined,
    });
  });

  it.each([
    [5, 4, 5],
    [5, 5, undefined],
    [4, 5, undefined],
    [undefined, 5, undefined],
    [5, undefined, undefined],
  ])('shows a change to %s after a run that left %s: %s', (modified, lastModified, changedSince) => {
    const { target } = planRowFor(
      coming('a'),
      { ...found, held: { ...full, modified }, lastModified },
      options,
    );
    expect(target?.changedSince).toBe(changedSince);
  });
});

it.each([
  ['comes if it was requested', {}, true],
  ['stays out if it came into the source group after the run began', undefined, false],
  ['stays out if the route excludes it', { excluded: true }, false],
  ['stays out if it is unchanged since an earlier run', { same: settled }, false],
  ['stays out if another package holds it', { packageIndex: 1 }, false],
])('an item of a package %s', (_, more, isComing) => {
  expect(comingRows([coming('a')], new Map(more && [['a', requested('a', more)]]))).toHaveLength(
    Number(isComing),
  );
});
