import { expect, it } from '@jest/globals';
import { scheduledRunIdBase, scheduleId } from '../../../src/model/run/run-id';
import { scheduleRows } from '../../../src/service/schedule/schedule-rows';
import { openStore } from '../../../src/store/open-store';
import type { TemporalClient } from '../../../src/temporal/connection';
import { aConfig, aPortal } from '../../support/config';

const SCHEDULES = 500;
const names = Array.from({ length: SCHEDULES }, (_, at) => `group-${at}`);

it('500 schedules are read by one list, and their runs by a hundred', async () => {
  const config = aConfig({
    portals: { staging: aPortal('staging'), production: aPortal('production') },
    routes: Object.fromEntries(
      names.map((group) => [
        group,
        { source: { portal: 'staging', group }, target: { portal: 'production', group } },
      ]),
    ),
    schedules: Object.fromEntries(
      names.map((route) => [route, { kind: 'backup', route, cron: '0 3 * * *', timezone: 'UTC' }]),
    ),
  });
  const { taskQueue } = config.temporal;
  const asked: string[] = [];
  const at = new Date('2026-11-22T03:00:00Z');
  const summaryOf = (name: string) => {
    const base = scheduledRunIdBase({ kind: 'backup', subject: name, name }, taskQueue);
    const action = { workflow: { workflowId: `${base}-2026-11-22T03:00:00Z` } };
    return {
      scheduleId: scheduleId(taskQueue, name),
      action: { workflowType: 'backup' },
      spec: {},
      state: { paused: false },
      info: { recentActions: [{ action, takenAt: at, scheduledAt: at }], nextActionTimes: [at] },
      typedSearchAttributes: { get: () => name },
    };
  };
  async function* listOf(names: Iterable<string>, pageSize: number) {
    let read = 0;
    for (const name of names) {
      if (read % pageSize === 0) asked.push('list of schedules');
      read += 1;
      yield await Promise.resolve(summaryOf(name));
    }
  }
  const client = {
    schedule: {
      list: ({ pageSize }: { pageSize: number }) => listOf(config.schedules.keys(), pageSize),
      getHandle: () => ({ describe: () => Promise.reject(new Error('a schedule was described')) }),
    },
    workflow: {
      list: () => {
        asked.push('list of runs');
        return (async function* () {})();
      },
      getHandle: () => ({ describe: () => Promise.reject(new Error('a run was described')) }),
    },
  };
  const temporal = { client } as unknown as TemporalClient;
  const rows = await scheduleRows({ config, store: openStore(config), temporal }, { runs: 1 });
  expect(rows.filter(({ runs }) => runs.length === 1)).toHaveLength(SCHEDULES);
  expect(asked).toEqual(['list of schedules', ...Array(SCHEDULES / 100).fill('list of runs')]);
});
