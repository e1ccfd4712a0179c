import { describe, expect, it } from '@jest/globals';
import type { RunRow } from '../../../src/contract/run-row';
import type { StatusView } from '../../../src/contract/status';
import { concernsOf, statusSheet } from '../../../src/service/status/status-sheet';
import { drawn } from '../../support/drawn';

const now = Date.parse('2026-11-21T12:00:00Z');
const shown = (view: StatusView) => drawn(statusSheet(view), { now });
const run = (fields: Partial<RunRow>): RunRow => ({
  runId: 'sync-transport-20261121T115848Z-k7q2',
  kind: 'sync',
  route: 'transport',
  status: 'running',
  phase: 'import',
  startedAt: '2026-11-21T11:58:48Z',
  ...fields,
});

const calm: StatusView = {
  temporal: { address: '127.0.0.1:7233', answers: true },
  workers: ['17@gis-app01'],
  running: [],
  waiting: [],
  parked: [],
  failed: [],
  overdue: [],
  unproven: [],
  rules: [],
  frozen: [],
  paused: [],
  next: [],
  unapplied: [],
  notes: [],
};
const overdue: StatusView['overdue'][number] = {
  route: 'basemaps',
  lastGood: { id: 'b1', takenAt: '2026-11-19T19:00:00Z', goodAt: '2026-11-19T19:00:00Z' },
  maxAgeMs: 26 * 3_600_000,
};

const frozen = {
  portal: 'production',
  who: 'anna',
  at: now - 3_600_000,
  reason: 'an audit',
};

const unable: StatusView['unable'] = {
  code: 'SECRET_UNREADABLE',
  message: 'Worker 17@gis-app01 cannot sign in to production: PRODUCTION_PASSWORD is not set.',
  hint: 'Check that the worker can read this secret.',
};

describe('the status of an installation', () => {
  it('names what to type for each concern', () => {
    const view: StatusView = {
      ...calm,
      running: [run({})],
      waiting: [run({ runId: 'sync-roads-20261121T091200Z-8fae', status: 'waiting' })],
      overdue: [overdue],
      next: [{ schedule: 'nightly', kind: 'backup', route: 'transport', at: '2026-11-21T15:00:00Z' }],
      unapplied: ['sunday-drill'],
    };
    const text = shown(view);
    expect(text).toMatch(/^worker +17@gis-app01\n/);
    expect(text).toMatch(/^running +sync-transport-\S+ +import, 1m12s +portolan run watch k7q2$/m);
    expect(text).toMatch(/^waiting for approval +sync-roads-\S+ +started .* portolan run show 8fae$/m);
    expect(text).not.toContain('parked');
    expect(text).toMatch(
      /^overdue +basemaps +last good backup is 1d17h old, maximum age: 26h +portolan backup create basemaps$/m,
    );
    expect(text).toMatch(/^NEXT .*\nnightly +backup transport +2026-11-21 15:00\S*$/m);
    expect(text).toMatch(/^differs from portolan\.yaml +sunday-drill +portolan schedule apply$/m);
    expect(text).toMatch(/\n\nThis needs attention\. Exit status 3\.$/);
  });

  it.each<[string, Partial<StatusView>, number]>([
    ['nobody has to look', { running: [run({})] }, 0],
    ['a run waits', { waiting: [run({})] }, 4],
    ['writes are frozen', { frozen: [frozen] }, 4],
    ['a schedule is paused', { paused: ['nightly'] }, 4],
    ['schedules differ from the file', { unapplied: ['nightly'] }, 4],
    ['a run failed', { failed: [run({ status: 'failed' })], parked: [run({})] }, 3],
    ['a backup was never proven', { unproven: ['transport'] }, 3],
    ['something could not be checked', { notes: ['freezes: the store is away'] }, 3],
    ['a run is parked', { parked: [run({})] }, 4],
    ['a backup is overdue', { overdue: [overdue], parked: [run({})] }, 3],
    ['a worker lacks a secret', { unable, overdue: [overdue] }, 2],
    ['no worker is up', { workers: [], overdue: [overdue] }, 11],
    ['Temporal does not answer', { temporal: { address: 'x:1', answers: false }, workers: [] }, 11],
  ])('exits with the status of the gravest concern: %s', (_what, fields, status) => {
    expect(concernsOf({ ...calm, ...fields })[0]?.exit ?? 0).toBe(status);
  });

  it('names failed, frozen, paused and unproven things', () => {
    const failed = [run({ status: 'partial', finishedAt: '2026-11-21T11:59:00Z' })];
    const view = { ...calm, failed, frozen: [frozen], paused: ['nightly'], unproven: ['basemaps'] };
    const text = shown(view);
    expect(text).toMatch(
      /^failed or partial in the last 24 hours +sync-\S+ +partial 2026\S+ 11:59Z +portolan run show k7q2$/m,
    );
    expect(text).toMatch(/^never proven +basemaps +no drill yet +portolan backup drill basemaps$/m);
    expect(text).toMatch(
      /^frozen +production +by anna, 2026\S+ 11:00Z: an audit +portolan unfreeze production$/m,
    );
    expect(text).toMatch(/^paused +nightly +portolan schedule resume nightly$/m);
  });

  it('shows what a worker lacks', () => {
    const text = shown({ ...calm, unable });
    expect(text).toMatch(/^a worker cannot do its work +SECRET_UNREADABLE +portolan doctor$/m);
    expect(text).toMatch(
      /\n\nSECRET_UNREADABLE\nWorker .* is not set\.\nCheck that the worker can read this secret\./,
    );
    expect(text).toMatch(/\n\nThis needs attention\. Exit status 2\.$/);
  });

  it('names at most five runs of a state, and that all is well', () => {
    const text = shown({ ...calm, running: Array.from({ length: 9 }, () => run({})) });
    expect(text.match(/portolan run watch/g)).toHaveLength(5);
    expect(text).toMatch(/^ +4 more +portolan run list$/m);
    expect(text).toMatch(/Nothing needs attention\. Exit status 0\.$/);
  });
});
