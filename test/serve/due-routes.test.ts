import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineSearchAttributeKey } from '@temporalio/common';
import { searchAttributeNames, scheduleId } from '../../src/model/run/run-id';
import { timesNote } from '../../src/model/schedule/schedule';
import { type DueRoute, isOverdue, readDueRoutes } from '../../src/service/metrics/due-routes';
import type { TemporalClient } from '../../src/temporal/connection';
import { connectToTestServer } from '../support/temporal';
import { until } from '../support/until';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const taskQueue = `due-${process.pid}`;
const kept = [
  { name: 'nightly', kind: 'sync', route: 'transport', cron: '30 3 * * *' },
  { name: 'working-days', kind: 'backup', route: 'transport', cron: '0 20 * * 1-5' },
  { name: 'weekly', kind: 'sync', route: 'transport', cron: '0 5 * * 0' },
  { name: 'paused', kind: 'drill', route: 'transport', cron: '0 6 * * *', paused: true },
  { name: 'gone', kind: 'sync', route: 'no route of the file', cron: '0 6 * * *' },
  { name: 'other', kind: 'release', route: 'transport', cron: '0 6 * * *' },
];
const createdAt = Date.parse('2026-11-20T12:00:00Z');
let temporal: TemporalClient;

beforeAll(async () => {
  temporal = await connectToTestServer();
  for (const { name, kind, route, cron, paused } of kept)
    await temporal.client.schedule.create({
      scheduleId: scheduleId(taskQueue, name),
      spec: { cronExpressions: [`${cron} # ${timesNote({ cron, mark: '0'.repeat(16), createdAt })}`] },
      typedSearchAttributes: [
        { key: defineSearchAttributeKey(searchAttributeNames.route, 'KEYWORD'), value: route },
      ],
      action: { type: 'startWorkflow', workflowType: kind, taskQueue },
      state: { paused },
    });
});
afterAll(async () => {
  for (const { name } of kept) await temporal.client.schedule.getHandle(scheduleId(taskQueue, name)).delete();
  await temporal.connection.close();
});

describe('a due route', () => {
  const config = {
    temporal: { taskQueue },
    routes: new Map([['transport', {}]]),
    schedules: new Map(kept.map(({ name }) => [name, {}])),
  };

  it('has the longest pause of its most frequent schedule', async () => {
    // The list is late by a moment.
    const due = await until(
      'both routes to be listed',
      () => readDueRoutes({ config, temporal } as never),
      ({ length }) => length === 2,
    );
    expect(due.map(({ route, kind, everyMs }) => [route, kind, everyMs])).toEqual([
      ['transport', 'sync', DAY_MS],
      // From Friday to Monday.
      ['transport', 'backup', 3 * DAY_MS],
    ]);
    for (const { since } of due) expect(since).toBe(createdAt);
  });

  const now = Date.parse('2026-11-25T12:00:00Z');
  const nightly: DueRoute = { route: 'transport', kind: 'sync', everyMs: DAY_MS, since: now - 30 * DAY_MS };
  it.each([
    ['it has succeeded the night before', nightly, now - DAY_MS, false],
    ['one night failed', nightly, now - 1.5 * DAY_MS, false],
    ['two nights failed', nightly, now - 2 * DAY_MS - 1, true],
    ['it never succeeded in a month', nightly, undefined, true],
    ['it was made this morning', { ...nightly, since: now - HOUR_MS }, undefined, false],
    [
      'it starts each minute, and a run takes half an hour',
      { ...nightly, everyMs: 60_000 },
      now - 1_800_000,
      false,
    ],
    [
      'it starts each minute, and none succeeds for over an hour',
      { ...nightly, everyMs: 60_000 },
      now - HOUR_MS - 1,
      true,
    ],
  ])('is overdue or not if %s', (_what, due, lastAt, overdue) => {
    expect(isOverdue(due, lastAt, now)).toBe(overdue);
  });
});
