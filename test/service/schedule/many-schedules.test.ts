import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { loadConfig } from '../../../src/config/load-config';
import { scheduledRunIdBase, scheduleId } from '../../../src/model/run/run-id';
import { scheduleRows } from '../../../src/service/schedule/schedule-rows';
import { LocalStore } from '../../../src/store/local/local-store';
import type { TemporalClient } from '../../../src/temporal/connection';

const SCHEDULES = 500;
const folder = mkdtempSync(path.join(tmpdir(), 'portolan-schedules-'));
afterAll(() => rmSync(folder, { recursive: true }));

function manySchedules() {
  const portal = (port: number) => ({
    url: `http://127.0.0.1:${port}/portal/sharing/rest`,
    auth: { type: 'token', token: { env: 'NOBODY' } },
  });
  const names = Array.from({ length: SCHEDULES }, (_, at) => `group-${at}`);
  const schedule = (route: string) => ({ kind: 'backup', route, cron: '0 3 * * *', timezone: 'UTC' });
  const group = (letter: string, at: number) => letter + at.toString(16).padStart(31, '0');
  const routeOf = (at: number) => ({
    source: { portal: 'staging', group: group('a', at) },
    target: { portal: 'production', group: group('b', at) },
  });
  const settings = {
    portals: { staging: portal(1), production: portal(2) },
    routes: Object.fromEntries(names.map((name, at) => [name, routeOf(at)])),
    schedules: Object.fromEntries(names.map((name) => [name, schedule(name)])),
  };
  const file = path.join(folder, 'portolan.yaml');
  writeFileSync(file, stringify(settings));
  return loadConfig(file);
}

it('500 schedules are read by one list, and their runs by a hundred', async () => {
  const config = manySchedules();
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
  const store = new LocalStore(path.join(folder, 'store'));
  const rows = await scheduleRows({ config, store, temporal }, { runs: 1 });
  expect(rows.filter(({ runs }) => runs.length === 1)).toHaveLength(SCHEDULES);
  expect(asked).toEqual(['list of schedules', ...Array<string>(SCHEDULES / 100).fill('list of runs')]);
});
