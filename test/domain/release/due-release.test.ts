import { expect, it } from '@jest/globals';
import type { PipelineConfig, StageConfig } from '../../../src/config/config';
import { dueRelease } from '../../../src/domain/release/promotion-eligibility';
import { type PromotionEntry, type StagedRelease, wentBack } from '../../../src/model/release/promotion';

const HOUR = 3_600_000;
const now = Date.UTC(2026, 10, 22);

const live = { name: 'live', after: 'staging', soakMs: 24 * HOUR } as StageConfig;
const pipeline = { name: 'transport', stages: [{ name: 'staging' }, live] } as unknown as PipelineConfig;

/** A release that came so many hours ago, verified or not. */
const came = (release: string, hours: number, until?: number, isVerified = true): StagedRelease => ({
  release,
  sha256: release,
  ...(isVerified && { verifiedAt: now - hours * HOUR }),
  ...(until !== undefined && { until: now - until * HOUR }),
});

const chosen = (
  staging: StagedRelease[],
  here: StagedRelease[] = [],
  undone = new Set<string>(),
  blocked: string[] = [],
) =>
  dueRelease(
    pipeline,
    live,
    new Map([
      ['staging', staging],
      ['live', here],
    ]),
    {
      now,
      undone,
      blocks: new Map(
        blocked.map((release) => [release, { release, who: 'ana@desk', reason: 'wrong sums' }]),
      ),
    },
  );

it.each([
  ['what stands there, once it has soaked', [came('a', 25)], [], { release: 'a' }],
  ['the one before, where the latest has not soaked', [came('a', 50, 2), came('b', 2)], [], { release: 'a' }],
  [
    'the one before, where the latest is not verified',
    [came('a', 50, 2), came('b', 2, undefined, false)],
    [],
    { release: 'a' },
  ],
  [
    'no earlier one than what is here',
    [came('a', 90, 60), came('b', 60, 2), came('c', 2)],
    [came('b', 30)],
    { why: 'c has been verified on staging for 2 hours; live needs a soak time of 1 day' },
  ],
  ['what is here only half, once more', [came('a', 25)], [came('a', 1, undefined, false)], { release: 'a' }],
  [
    'nothing, where nothing later is there',
    [came('a', 25)],
    [came('a', 1)],
    { why: 'a is the current release of live, and staging has no later one' },
  ],
  ['nothing, where nothing is there', [], [], { why: 'staging has no release' }],
])('what comes into a stage by itself is %s', (_, staging, here, is) => {
  expect(chosen(staging, here)).toEqual(is);
});

it('what comes into a stage by itself is no release that was rolled back there', () => {
  const entry = (kind: PromotionEntry['kind'], sha256: string, at = '2026-11-22T10:00:00.000Z') =>
    ({ kind, sha256, at, runId: sha256, status: 'verified' }) as PromotionEntry;
  const undone = wentBack([entry('promoted', 'b'), entry('rolled-back', 'b'), entry('rolled-back', 'c')]);
  const staging = [came('a', 90, 60), came('b', 60, 30), came('c', 30)];
  expect(chosen(staging, [came('a', 50)], new Set(undone))).toEqual({
    why: 'c was rolled back on live; to promote it again: portolan promote transport --to live --release c',
  });
  expect(chosen([...staging, came('d', 29)], [came('a', 50)], new Set(undone))).toEqual({ release: 'd' });
  const again = wentBack([entry('rolled-back', 'b'), entry('promoted', 'b', '2026-11-22T11:00:00.000Z')]);
  expect([...again]).toEqual([]);
});

it('what comes into a stage by itself is no blocked release, but the one before it', () => {
  const staging = [came('a', 60, 30), came('b', 30)];
  expect(chosen(staging, [], undefined, ['b'])).toEqual({ release: 'a' });
  expect(chosen(staging, [came('a', 29)], undefined, ['b'])).toEqual({
    why: 'b is blocked by ana@desk: wrong sums; to allow it again: portolan release unblock b',
  });
});
