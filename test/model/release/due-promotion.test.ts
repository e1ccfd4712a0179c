import { expect, it } from '@jest/globals';
import {
  type DuePromotionInput,
  isDuePromotion,
  promotionOf,
} from '../../../src/model/release/due-promotion';
import type { PromotionInput } from '../../../src/model/release/promotion-input';

const route = { name: 'transport', target: { portal: 'staging' } } as PromotionInput['route'];
const due: DuePromotionInput = {
  runId: 'promote-transport-weekly-2026-11-21T03:00:00Z',
  ...{ startedBy: 'schedule weekly', scheduledBy: 'weekly', yes: false, route, stage: 'staging' },
};
const chosen = {
  ...{ route, stage: 'staging', release: { id: 'transport-2026.11.20-1', sha256: 'f00' } },
  ...{
    groups: [],
    settings: false,
    categories: false,
    onFailure: 'park',
    putRight: {},
  },
} as unknown as Parameters<typeof promotionOf>[1];
const promotion = promotionOf(due, chosen);

it('what is started when a promotion is due is the promotion that was signed for', () => {
  expect(isDuePromotion(promotion, due)).toBe(true);
  expect(isDuePromotion(promotion, { ...due, release: '11.20-1' })).toBe(true);
});

it.each<[title: string, change: object]>([
  ['into another stage', { stage: 'production' }],
  ['onto another portal', { route: { ...route, target: { portal: 'production' } } }],
  ['of another pipeline', { route: { ...route, name: 'water' } }],
  ['in the name of somebody else', { startedBy: 'ann@desk' }],
  ['of another schedule', { scheduledBy: 'nightly' }],
  ['of no schedule', { scheduledBy: undefined }],
  ['with a yes that nobody gave', { yes: true }],
  ['past the order of the stages', { hotfix: true }],
  ['that goes back', { undoes: 'promotion-transport-1' }],
  ['of another run', { parent: 'promote-transport-weekly-2026-11-14T03:00:00Z' }],
  ['once more', { runId: 'promotion-transport-weekly-2026-11-21T03:00:00Z_002' }],
])('one %s is none that was signed for', (_, change) => {
  expect(isDuePromotion({ ...promotion, ...change }, due)).toBe(false);
});

it('one of another release is none where the schedule names it', () => {
  expect(isDuePromotion(promotion, { ...due, release: 'transport-2026.11.13-1' })).toBe(false);
});
