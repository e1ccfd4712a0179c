import { describe, expect, it } from '@jest/globals';
import { type PromotionInput, partOf, type Which } from '../../../src/model/release/promotion-input';

const undone = 'restore-transport-20261121T030000Z-k7q2_002';
const promotion = {
  runId: 'promotion-transport-20261121T030000Z-k7q2',
  startedBy: 'ann@desk',
  yes: true,
  stage: 'live',
  settings: true,
  categories: false,
  placementRules: {},
  groups: [{ name: 'roads', groupId: 'roads-live', from: { portal: 'dev' }, snapshotId: 'roads-1' }],
  route: { name: 'transport', target: { portal: 'live', url: 'https://live' }, options: { approval: 'ask' } },
} as unknown as PromotionInput;

const partOfIt = (which: Which) =>
  JSON.parse(JSON.stringify(partOf('promotion', promotion, which))) as unknown;

describe('a child run of a promotion', () => {
  it('plans and imports a group of its promotion', () => {
    expect(partOfIt({ index: 0, number: 3, plan: 'a'.repeat(64) })).toMatchObject({
      workflow: 'restore',
      input: {
        runId: 'restore-transport-20261121T030000Z-k7q2_003',
        parent: promotion.runId,
        startedBy: 'ann@desk',
        snapshotId: 'roads-1',
        promotion: { stage: 'transport/live', index: 0, number: 3, plan: 'a'.repeat(64) },
        route: { name: 'transport.roads', target: { groupId: 'roads-live' }, options: { planOnly: false } },
      },
    });
    expect(partOfIt({ index: 0, number: 1 })).toMatchObject({
      input: { route: { options: { planOnly: true } } },
    });
  });

  it('changes only the portal of its promotion', () => {
    const change = { expected: 'f00', runId: 'settings-1', startedBy: 'bob', portal: { portal: 'dev' } };
    expect(partOfIt({ kind: 'settings', number: 4, change })).toEqual({
      workflow: 'settings',
      input: {
        runId: 'settings-transport-20261121T030000Z-k7q2_004',
        operation: 'promote',
        expected: 'f00',
        portal: promotion.route.target,
        startedBy: 'ann@desk',
      },
    });
  });

  it.each<[title: string, which: Which]>([
    ['of a group that it does not have', { index: 1, number: 1 }],
    ['that undoes a run of another one', { index: 0, number: 1, undone: 'restore-water-k7q2_002' }],
    ['that puts back what another run has saved', { index: 0, number: 1, undone, snapshotId: 'roads-1' }],
    ['of a document that it does not change', { kind: 'category-schema', number: 1, change: {} }],
  ])('refuses a child run %s [P14]', (_title, which) => {
    expect(() => partOf('promotion', promotion, which)).toThrow(RangeError);
  });

  it('rolls back an import of this or an earlier promotion', () => {
    const snapshotId = `${undone}-safeguard-1`;
    expect(partOfIt({ index: 0, number: 5, undone, snapshotId })).toMatchObject({
      workflow: 'rollback',
      input: { parent: undone, snapshotId, yes: true, route: { source: { groupId: 'roads-live' } } },
    });
  });
});
