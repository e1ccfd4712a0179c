import { describe, expect, it } from '@jest/globals';
import { cancelWords } from '../../../src/cli/run/commands/answers';
import { isUntouchedYet } from '../../../src/service/run/run-record';
import { endingSheet } from '../../../src/service/run/run-sheet';
import { drawn } from '../../support/drawn';
import type { RunRecord } from '../../../src/model/run/run';
import { phasesUpTo, runRecordOf, secondsIn, shownOf } from './records';

const url = 'https://production.example.com/portal/sharing/rest';
const phase = (name: string, status: RunRecord['phases'][number]['status'], detail?: string) => ({
  name,
  status,
  detail,
  attempts: status === 'pending' ? 0 : 1,
});

/** A change of settings that went through; every field can be replaced. */
const changeOf = (changes: Partial<RunRecord> = {}): RunRecord => ({
  runId: 'settings-production-20261121T011200Z-k7q2',
  kind: 'settings',
  operation: 'promote',
  status: 'succeeded',
  target: 'changed',
  route: {
    name: 'production',
    source: { portal: 'staging', url: 'https://staging.example.com/portal/sharing/rest' },
    target: { portal: 'production', url },
  },
  temporal: { workflowId: 'settings-production-20261121T011200Z-k7q2', runId: 'x' },
  startedAt: '2026-11-21T01:12:00.000Z',
  finishedAt: '2026-11-21T01:12:02.000Z',
  startedBy: 'a.brandt@desk',
  phases: [
    phase('read', 'done', '1 of 12 differ'),
    phase('write', 'done', '1 object'),
    phase('check', 'done'),
  ],
  changes: [{ path: 'informationalBanner.text', before: 'Old', after: 'New' }],
  saved: 'runs/settings-production/before.json',
  actions: [],
  warnings: [],
  leftRunning: [],
  ...changes,
});

describe('a change of a portal', () => {
  it('is shown with its changes and its rollback', () => {
    expect(shownOf(changeOf(), secondsIn(60))).toBe(
      `SUCCEEDED settings-production-20261121T011200Z-k7q2
Ended 2026-11-21 01:12Z after 2.0s: 1 change. The target has changed.

what     settings promote production
route    staging -> production
started  2026-11-21 01:12Z by a.brandt@desk
saved    previous values, in the store: runs/settings-production/before.json

ok  read                1 of 12 differ
ok  write               1 object
ok  check

Changes
FIELD                     BEFORE  AFTER
informationalBanner.text  Old     New

rollback  portolan settings apply production --saved k7q2`,
    );
  });

  it('ends with its count of changes and its rollback', () => {
    expect(drawn(endingSheet(changeOf()))).toBe(
      `SUCCEEDED in 2.0s. 1 change. Target: changed. Exit status 0.

rollback  portolan settings apply production --saved k7q2
details   portolan run show k7q2`,
    );
  });

  it.each<[string, Partial<RunRecord>, string | undefined]>([
    [
      'a schema that was not there before',
      { kind: 'category-schema', operation: 'apply', saved: undefined },
      'rollback  portolan category-schema delete production',
    ],
    ['a run of a task', { kind: 'task-run', operation: 'update' }, undefined],
    ['nothing to do', { status: 'nothing-to-do', target: 'untouched' }, undefined],
  ])('names a rollback only if there is one: %s', (_, changes, way) =>
    expect(drawn(endingSheet(changeOf(changes))).match(/^rollback .*/m)?.[0]).toBe(way),
  );

  it('writes nothing after a cancellation, or finishes begun writes', () => {
    const stands = { now: false };
    const reading = [phase('read', 'running'), phase('write', 'pending')];
    expect(cancelWords(changeOf({ phases: reading }), stands)).toBe('nothing is written');
    const writing = [phase('read', 'done'), phase('write', 'running')];
    expect(cancelWords(changeOf({ phases: writing }), stands)).toBe(
      'writes already begun are finished and verified',
    );
  });
});

describe('a run without a recorded end', () => {
  const record = runRecordOf({ phases: phasesUpTo('safeguard') });

  it('has left the target unchanged before a phase that writes', () => {
    expect(isUntouchedYet(record, 'safeguard')).toBe(true);
    expect(
      isUntouchedYet(changeOf({ phases: [phase('read', 'done'), phase('write', 'pending')] }), 'read'),
    ).toBe(true);
  });

  it('may have changed the target from a phase that writes on', () => {
    expect(isUntouchedYet(record, 'import')).toBe(false);
    expect(isUntouchedYet(runRecordOf({ phases: phasesUpTo('import', 'running') }), 'import')).toBe(false);
    expect(
      isUntouchedYet(changeOf({ phases: [phase('read', 'done'), phase('write', 'pending')] }), 'write'),
    ).toBe(false);
  });

  it('has an unknown target if it recorded no phases', () =>
    expect(isUntouchedYet(runRecordOf({ phases: [] }), undefined)).toBe(false));
});
