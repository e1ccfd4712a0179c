import { expect, it } from '@jest/globals';
import { partRunId } from '../../../src/model/run/run-id';
import { addWarning, WARNINGS_MAX } from '../../../src/model/run/run-state';
import {
  boundedChanges,
  boundedChild,
  boundedGroup,
  CHANGES_MAX,
  REASONS_MAX,
  RULE_GROUPS_MAX,
} from '../../../src/model/snapshot/rule-bounds';

/** What Temporal takes as the input or result of a workflow. */
const PAYLOAD_MAX = 2 * 1024 ** 2;

/** Names as long as they can be, titles in a script of three bytes, and every group fails. */
const runId = `protect-${'p'.repeat(63)}.${'r'.repeat(63)}-20261128T023000Z-k7q2`;
const groups = Array.from({ length: RULE_GROUPS_MAX }, (_, at) => ({
  id: at.toString(16).padStart(32, '0'),
  title: '図'.repeat(100_000),
  number: at + 1,
}));
const at = '2026-11-28T02:30:00.000Z';

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

it('the memory of a rule of 2,000 groups fits in a payload if all of them fail', () => {
  const warnings: string[] = [];
  const children = groups.map((group, index) => {
    const { id: groupId, title: name } = boundedGroup(group);
    const part = partRunId(runId, group.number);
    const end = { runId: part, items: 10_000, status: 'failed' as const, name, groupId };
    const reason = `UNREACHABLE: ${'図'.repeat(1_000)}`;
    const child = boundedChild(
      { ...end, snapshotId: part, sizeBytes: 10 ** 12, startedAt: at, finishedAt: at, reason },
      index,
    );
    addWarning(warnings, `group "${name}" (${groupId}) is not backed up: ${child.reason}`);
    return child;
  });
  const changes = boundedChanges(
    groups.map(({ id: groupId, title }) => ({
      groupId,
      title,
      change: 'renamed',
      detail: `${title} ${title}`,
    })),
  );
  for (const { detail } of changes) addWarning(warnings, detail);
  expect([warnings.length, changes.length]).toEqual([WARNINGS_MAX + 1, CHANGES_MAX]);
  expect(children[REASONS_MAX - 1]?.reason).toHaveLength(300);
  expect(children.at(-1)?.reason).toBe('UNREACHABLE');
  const total = sizeOf({ state: { children, warnings, groups: { count: groups.length, changes } } });
  expect(total).toBeLessThan(0.97 * PAYLOAD_MAX);
  // At the start none of these is there, but every group.
  expect(sizeOf(groups.map((group) => ({ ...boundedGroup(group), number: group.number })))).toBeLessThan(
    PAYLOAD_MAX / 2,
  );
});

it('the memory of a rule of 500 groups is below 300 KB if its backups succeed', () => {
  const children = groups.slice(0, 500).map(({ id: groupId, number }) => {
    const part = partRunId('protect-production.official-20261128T023000Z-k7q2', number);
    const end = {
      runId: part,
      items: 100,
      status: 'succeeded' as const,
      name: 'Transport and roads',
      groupId,
    };
    return boundedChild(
      { ...end, snapshotId: part, sizeBytes: 10 ** 9, startedAt: at, finishedAt: at, reason: undefined },
      0,
    );
  });
  expect(sizeOf(children)).toBeLessThan(300_000);
});
