import fastify from 'fastify';
import { afterEach, expect, it, jest } from '@jest/globals';
import { type Figures, looks, metricTable } from '../../src/serve/metrics/metric-table';
import { metrics } from '../../src/serve/metrics/metrics';

afterEach(() => {
  jest.restoreAllMocks();
});

const success = { route: 'transport', kind: 'sync', at: 5_000, runId: 'a' } as const;
const never = { route: 'transport', kind: 'drill', at: 0 } as const;
const due = { route: 'transport', kind: 'sync', since: 0, everyMs: 60_000 } as const;
const figures = {
  workers: 2,
  store: true,
  open: { starts: [{ status: 'parked', times: [9_000, 7_000] }], held: [], failing: 1, queues: [] },
  ended: [{ kind: 'sync', outcome: 'failed', runs: 3 }],
  receivers: [{ receiver: 'ops', open: 4, lastFailed: true }],
  last: { successes: [success], scheduled: [never], due: [due] },
  routes: [{ route: 'transport', goodAt: 8_000, provenAt: 0, overdue: true }],
  stages: [{ pipeline: 'maps', stage: 'live', lastVerified: 6_000 }],
  coverage: [{ portal: 'gis', state: 'unprotected', items: 7 }],
} satisfies Figures;

const valuesOf = (name: keyof typeof metricTable, known: Partial<Figures>) =>
  metricTable[name]?.values(known) ?? [];

it('metrics keep only figures about the past if none can be read', async () => {
  let isAway = false;
  let reads = 0;
  for (const name of Object.keys(looks) as (keyof Figures)[])
    jest
      .spyOn(looks[name] as unknown as { read: () => Promise<unknown> }, 'read')
      .mockImplementation(async () => {
        reads += 1;
        if (isAway) throw new Error('away');
        return await Promise.resolve(figures[name]);
      });
  const app = fastify();
  await app.register(metrics({} as never).answer);
  const scrape = async () => {
    const { body } = await app.inject('/metrics');
    return body.split('\n').filter((line) => /^portolan_\w+(\{.*\})? \S+$/.test(line));
  };
  const past = [
    'portolan_notifications_undelivered{receiver="ops"} 4',
    'portolan_notification_last_failed{receiver="ops"} 1',
    'portolan_last_good_snapshot_timestamp_seconds{route="transport"} 8',
    'portolan_last_proven_timestamp_seconds{route="transport"} 0',
    'portolan_backup_overdue{route="transport"} 1',
    'portolan_coverage_items{portal="gis",state="unprotected"} 7',
    'portolan_stage_last_verified_timestamp_seconds{pipeline="maps",stage="live"} 6',
    'portolan_last_success_timestamp_seconds{route="transport",kind="sync"} 5',
    'portolan_last_success_timestamp_seconds{route="transport",kind="backup"} 8',
  ];
  const both = await Promise.all([scrape(), scrape()]);
  expect(both[0]).toEqual(both[1]);
  expect(new Set(both[0])).toEqual(
    new Set([
      ...past,
      ...['portolan_temporal_up 1', 'portolan_store_up 1', 'portolan_workers 2', 'portolan_failing_runs 1'],
      'portolan_open_runs{status="parked"} 2',
      'portolan_open_run_oldest_start_timestamp_seconds{status="parked"} 7',
      'portolan_ended_runs{kind="sync",outcome="failed"} 3',
      'portolan_last_success_timestamp_seconds{route="transport",kind="drill"} 0',
      'portolan_schedule_overdue{route="transport",kind="sync"} 1',
    ]),
  );
  expect(reads).toBe(Object.keys(looks).length);

  isAway = true;
  const later = Date.now() + 3_600_000;
  jest.spyOn(Date, 'now').mockReturnValue(later);
  expect(new Set(await scrape())).toEqual(
    new Set([...past, 'portolan_temporal_up 0', 'portolan_store_up 0']),
  );
  isAway = false;
  expect(await scrape()).toContain('portolan_temporal_up 1');
  await app.close();
});

it('metrics say never and overdue only once Temporal and snapshots were read', () => {
  const { last, routes } = figures;
  for (const known of [{ last }, { routes, last: { ...last, due: undefined } }, { routes }]) {
    expect(valuesOf('schedule_overdue', known)).toEqual([]);
    expect(valuesOf('last_success_timestamp_seconds', known)).not.toContainEqual([0, 'transport', 'drill']);
  }
});

it('metrics count runs that wait for a person by age', () => {
  const times = [30, 90, 60 * 30, 60 * 24 * 8].map((minutes) => Date.now() - minutes * 60_000);
  const open = { ...figures.open, held: [{ status: 'waiting', times }] };
  expect(valuesOf('held_runs', { open })).toEqual([
    [1, 'waiting', 'under 1h'],
    [1, 'waiting', '1h to 1d'],
    [1, 'waiting', '1d to 7d'],
    [1, 'waiting', 'over 7d'],
  ]);
});

it('metrics have numbers of the record of the last success', () => {
  const record = {
    kind: 'backup',
    startedAt: '2026-11-27T10:00:00Z',
    finishedAt: '2026-11-27T10:01:30Z',
    phases: [
      {
        name: 'export',
        status: 'done',
        startedAt: '2026-11-27T10:00:00Z',
        finishedAt: '2026-11-27T10:01:00Z',
      },
      { name: 'verify', status: 'skipped' },
    ],
    snapshot: { items: 11, sizeBytes: 1_024 },
  };
  const last = { ...figures.last, successes: [{ ...success, kind: 'backup', record }] } as never;
  const told = (name: string): unknown => valuesOf(name, { last }).filter(([value]) => value !== undefined);
  expect(told('last_success_duration_seconds')).toEqual([[90, 'transport', 'backup']]);
  expect(told('last_success_phase_duration_seconds')).toEqual([[60, 'transport', 'backup', 'export']]);
  expect(told('last_success_items')).toEqual([[11, 'transport', 'backup', 'saved']]);
  expect(told('last_success_bytes')).toEqual([[1_024, 'transport', 'backup']]);
});
