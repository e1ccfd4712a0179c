import { expect, it } from '@jest/globals';
import { mayBeFresh, type NotedRule } from '../../../src/domain/protect/rule-state';

const DAY = 24 * 3_600_000;
const now = Date.parse('2026-11-21T12:00:00Z');
const rule = (maxAgeMs: number | undefined) => ({ rule: { backup: { maxAgeMs } } }) as NotedRule;

it.each([
  ['protect-portal.all-2026-11-19T02:30:00Z_001', 'is younger than the maximum age', true],
  ['protect-portal.all-20261119T023000Z-k7q2_001', 'is younger, by a run that was typed', true],
  ['protect-portal.all-2026-11-18T18:00:00Z_001', 'may have waited for a day', true],
  ['protect-portal.all-2026-11-18T02:30:00Z_001', 'is older than both', false],
  ['protect-portal.all-typed_001', 'has no time', true],
  ['backup-roads-2026-01-01T02:30:00Z', 'is of a route', true],
])('reads snapshot %s for the state of rules: %s', (id, _why, isRead) => {
  expect(mayBeFresh([rule(2 * DAY), rule(undefined), rule(DAY)], now)(id)).toBe(isRead);
});

it('reads no snapshots of rules when none has a maximum age', () => {
  expect(mayBeFresh([rule(undefined)], now)('protect-portal.all-2026-11-21T11:00:00Z_001')).toBe(false);
});
