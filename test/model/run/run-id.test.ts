import { describe, expect, it } from '@jest/globals';
import type { ScheduledKind } from '../../../src/model/schedule/schedule';
import { ruleRoute } from '../../../src/model/snapshot/rule-route';
import { requestedRunId } from '../../../src/service/run/start-run';
import { isPartOf, partRunId, scheduledRunIdBase, wholeOfPart } from '../../../src/model/run/run-id';

const kinds = ['sync', 'backup', 'restore', 'rollback', 'settings', 'category-schema', 'promotion'];

describe('a run of a person or a schedule', () => {
  it.each([
    'transport-20261121T030000Z-n234',
    'transport-20261121T030000Z-2345',
    'transport-request-abcdefn234',
    'roads_001-20261121T030000Z-k7q2',
    'roads-nightly_001-2026-11-21T03:00:00Z',
  ])('has no parent with the ID %s', (end) => {
    for (const kind of kinds) expect(wholeOfPart(`${kind}-${end}`)).toBeUndefined();
  });

  it.each(['build-n001', 'build_001', '001'])('has no parent with the request ID %s', (requestId) => {
    for (const kind of kinds)
      expect(wholeOfPart(requestedRunId(kind, 'transport', requestId))).toBeUndefined();
  });
});

it.each([
  ['bisect-transport-20261121T030000Z-k7q2', undefined],
  ['release-transport-request-abcdefn234', undefined],
  ['promotion-transport-20261121T030000Z-n234', 'restore'],
  ['promotion-transport-20261121T030000Z-n234', 'rollback'],
  ['promotion-transport-2026-11-21T03:00:00Z', 'category-schema'],
  ['promote-transport-weekly-2026-11-21T03:00:00Z', undefined],
])('a child run leads to its parent %s, %s', (whole, kind) => {
  for (const number of [1, 100, 1000]) {
    const child = partRunId(whole, number, kind);
    expect(wholeOfPart(child)).toBe(whole);
    expect(isPartOf(child, whole)).toBe(true);
    expect(isPartOf(child, whole.slice(0, -1))).toBe(false);
  }
});

const baseOf = (kind: ScheduledKind, subject: string, name: string, taskQueue = 'portolan') =>
  scheduledRunIdBase({ kind, subject, name }, taskQueue);
const ofRule = (portal: string, rule: string, taskQueue?: string) =>
  baseOf('protect', ruleRoute(portal, rule), ruleRoute(portal, rule), taskQueue);

it('the IDs of runs that schedules start differ where names have hyphens', () => {
  expect(baseOf('backup', 'roads', 'east-nightly')).not.toBe(baseOf('backup', 'roads-east', 'nightly'));
  expect(ofRule('a-b', 'c')).not.toBe(ofRule('a', 'b-c'));
  expect(ofRule('a', 'b', 'c')).not.toBe(ofRule('a', 'b-c'));
});
