import { expect, it } from '@jest/globals';
import { groupStates, type NotedRule } from '../../../src/domain/protect/rule-state';

const DAY = 86_400_000;
const now = Date.parse('2026-11-27T12:00:00.000Z');
const ago = (days: number) => new Date(now - days * DAY).toISOString();
const child = (groupId: string, status: 'succeeded' | 'nothing-to-do' | 'failed', snapshotId?: string) => ({
  runId: `protect-gis.all-1_${groupId}`,
  groupId,
  items: 1,
  status,
  snapshotId,
  startedAt: ago(0),
});

const rule = { backup: { maxAgeMs: 2 * DAY } } as NotedRule['rule'];
const groups = [
  { id: 'young', title: 'Young', goodAt: ago(1) },
  { id: 'old', title: 'Old', goodAt: ago(30) },
  { id: 'new', title: 'New' },
];
const known = { runId: 'protect-gis.all-1', at: ago(0), former: [], groups };
const overdue = (noted: Partial<NotedRule>) =>
  [...groupStates({ rule, known, ...noted }, now)].flatMap(([id, state]) => (state.overdue ? [id] : []));

it('a group of a rule is overdue by what the last run noted of it', () => {
  expect(overdue({})).toEqual(['old', 'new']);
});

it('a group that an open run has backed up or confirmed is no longer overdue', () => {
  expect(
    overdue({ children: [child('old', 'nothing-to-do', 'backup-1'), child('new', 'succeeded', 'backup-2')] }),
  ).toEqual([]);
});

it('a group that an open run could not back up stays overdue', () => {
  expect(overdue({ children: [child('old', 'failed'), child('new', 'nothing-to-do')] })).toEqual([
    'old',
    'new',
  ]);
});
