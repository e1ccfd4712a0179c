import { describe, expect, it } from '@jest/globals';
import {
  countsOf,
  type GroupPlan,
  wholePlanOf,
  type WholePlan,
} from '../../../src/domain/release/whole-plan';
import type { PlanAction, PlanRow } from '../../../src/model/transfer/plan';
import { aPlanRow } from '../transfer/facts';

const row = (itemId: string, action: PlanAction, reason?: string) =>
  aPlanRow(itemId, action, { title: `map ${itemId}`, reason });

const group = (name: string, rows: PlanRow[], more: Partial<GroupPlan['plan']> = {}): GroupPlan => ({
  name,
  groupId: `id of ${name}`,
  sha256: `sha of ${name}`,
  plan: { rows, arrivedLater: 0, ...more },
});

it('counts what happens to the items of each group, and names the group of each row', async () => {
  const { groups, rows, figures } = await wholePlanOf([
    group('roads', [row('a', 'create'), row('b', 'overwrite'), row('c', 'keep')], { arrivedLater: 2 }),
    group('rivers', [row('d', 'overwrite'), row('e', 'extra')], { arrivedLater: 1 }),
  ]);
  expect(groups).toMatchObject([
    { name: 'roads', groupId: 'id of roads', sha256: 'sha of roads', create: 1, overwrite: 1, keep: 1 },
    { name: 'rivers', groupId: 'id of rivers', create: 0, overwrite: 1, same: 0, keep: 0, blocked: 0 },
  ]);
  expect(rows.map(({ itemId, of }) => `${itemId} of ${of}`)).toEqual([
    'a of roads',
    'b of roads',
    'c of roads',
    'd of rivers',
    'e of rivers',
  ]);
  expect(figures).toEqual({ extra: 1, arrivedLater: 3 });
});

it('adds up what the map of the stage changes in all groups', async () => {
  const mapped = (places: number) => ({ items: 1, places, unknown: 0, examples: [], map: 'hash' });
  const { figures } = await wholePlanOf([
    group('roads', [], { mapped: mapped(2) }),
    group('rivers', []),
    group('lakes', [], { mapped: mapped(3) }),
  ]);
  expect(figures.mapped).toEqual({ items: 2, places: 5, unknown: 0, examples: [] });
});

it('lists at most 10,000 rows, and counts all', async () => {
  const many = (from: number) => Array.from({ length: 6_000 }, (_, at) => row(`${from + at}`, 'keep'));
  const { groups, rows } = await wholePlanOf([group('roads', many(0)), group('rivers', many(6_000))]);
  expect(rows).toHaveLength(10_000);
  expect(groups.map(({ keep }) => keep)).toEqual([6_000, 6_000]);
});

describe('a promotion is blocked', () => {
  it.each([
    [
      'by one blocked item, with its reason',
      [group('roads', [row('a', 'create'), row('b', 'blocked', 'owned by another')])],
      '1 items are blocked on the stage: group "roads": map b (b): owned by another',
    ],
    [
      'by an item that two groups would create',
      [group('roads', [row('a', 'create')]), group('rivers', [row('a', 'create')])],
      '1 items are blocked on the stage: group "rivers": map a (a): is new, and group "roads" already contains it',
    ],
    [
      'by many items, of which it names five',
      [
        group(
          'roads',
          ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => row(id, 'blocked', 'no')),
        ),
      ],
      `7 items are blocked on the stage: ${['a', 'b', 'c', 'd', 'e'].map((id) => `group "roads": map ${id} (${id}): no`).join('; ')}; and 2 more`,
    ],
  ])('%s', async (_title, groups, message) => {
    await expect(wholePlanOf(groups)).rejects.toMatchObject({
      code: 'PROMOTION_BLOCKED',
      plainMessage: message,
    });
  });

  it('but not by an item that two groups overwrite, or one creates and one keeps', async () => {
    const { groups } = await wholePlanOf([
      group('roads', [row('a', 'overwrite'), row('b', 'create')]),
      group('rivers', [row('a', 'overwrite'), row('b', 'keep')]),
    ]);
    expect(groups).toHaveLength(2);
  });
});

it('shows items to remove only where a plan has some', () => {
  const one = {
    name: 'roads',
    groupId: 'g',
    sha256: 's',
    create: 1,
    overwrite: 2,
    same: 5,
    keep: 3,
    blocked: 0,
  };
  const whole = (groups: WholePlan['groups']): WholePlan => ({
    pipeline: 'p',
    stage: 's',
    release: 'r',
    groups,
  });
  expect(countsOf(whole([one, one]))).toEqual({ create: 2, overwrite: 4, same: 10, keep: 6, blocked: 0 });
  expect(countsOf(whole([one, { ...one, remove: 4 }])).remove).toBe(4);
});
