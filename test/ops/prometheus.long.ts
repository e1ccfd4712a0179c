import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import pino from 'pino';
import { loadConfig } from '../../src/config/load-config';
import { startServer } from '../../src/serve/server';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import { inProcess } from '../support/in-process';
import { openServedSite } from '../support/served-site';
import type { Site } from '../support/site';
import { until } from '../support/until';
import { alerts, files, questions } from './observed';
import { programOfPrometheus, Prometheus } from './prometheus';

/** Questions that have an answer only where something is wrong, or if a run holds a slot just now. */
const answeredInTrouble = [
  'max by (route) (portolan_backup_overdue == 1)',
  'max by (route) (portolan_last_proven_timestamp_seconds == 0)',
  'max by (route, kind) (portolan_schedule_overdue == 1)',
  'time() - max by (portal, direction) (portolan_queue_oldest_holder_timestamp_seconds > 0)',
];

let site: Site;
let prometheus: Prometheus;

const typed = async (...args: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await inProcess([...args, '-o', 'json'], { cwd: site.folder })).stdout) as Record<
    string,
    unknown
  >;

beforeAll(async () => {
  // Nobody listens there, so that what is sent is sent again.
  process.env['PORTOLAN_TEST_CHAT'] = 'http://127.0.0.1:9/chat';
  site = await openServedSite({
    serve: { open: true },
    free: { backup: { maxAge: '26h', drill: { portal: 'south', group: emptyGroupId } } },
    schedules: {
      syncs: { kind: 'sync', route: 'asks', cron: '30 3 * * *', paused: true },
      drills: { kind: 'drill', route: 'free', cron: '0 5 1 1 *' },
    },
    config: {
      notify: [{ name: 'chat', on: ['parked'], webhook: { env: 'PORTOLAN_TEST_CHAT' }, insecure: true }],
    },
  });
  expect((await inProcess(['schedule', 'apply', '--yes'], { cwd: site.folder })).status).toBe(0);
  await typed('release', 'create', 'transport');
  await typed('backup', 'create', 'free');
  await typed('backup', 'drill', 'free');
  await typed('coverage', 'north');
  await typed('sync', 'free');
  await inProcess(['sync', '--from', 'north', '--group', 'e0', '--to', 'south', '--into', 'e0', '--yes'], {
    cwd: site.folder,
  });
  site.editSource();
  site.target.faults.add({
    match: { operation: 'group.import', params: { previewOnly: 'false' } },
    do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
  });
  expect(await typed('sync', 'asks', '--full', '--yes')).toMatchObject({ status: 'parked' });
  site.target.faults.clear();
  const waits = async (): Promise<WorkflowHandle> => {
    const { runId } = await typed('sync', 'asks', '--full', '--no-wait');
    const handle = site.temporal.client.workflow.getHandle(String(runId));
    await site.waiting(handle);
    return handle;
  };
  await (await waits()).terminate();
  await waits();
  prometheus = await Prometheus.start(site.server.url);
  // A rate takes two looks.
  await until(
    'a second look',
    () => prometheus.ask('rate(portolan_http_request_duration_seconds_count{route="/metrics"}[5m])'),
    (samples) => samples.length > 0,
  );
});
afterAll(async () => {
  await prometheus?.stop();
  await site.close();
  delete process.env['PORTOLAN_TEST_CHAT'];
});

describe('the dashboard', () => {
  it.each(questions())('has data in Prometheus: $title, $expr', async ({ expr }) => {
    const samples = await prometheus.ask(expr);
    if (!answeredInTrouble.includes(expr)) expect(samples).not.toEqual([]);
  });
});

describe('the alerts', () => {
  it('pass promtool and its tests', async () => {
    const told = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await promisify(execFile)(programOfPrometheus('promtool'), args);
      return `${stdout}${stderr}`;
    };
    expect(await told('check', 'rules', files.rules)).toMatch(`SUCCESS: ${alerts().length} rules found`);
    expect(await told('test', 'rules', files.testsOfRules)).toMatch('SUCCESS');
  });

  it.each(alerts())('are evaluated by Prometheus: $alert', async ({ alert, expr }) => {
    await expect(prometheus.ask(expr)).resolves.toEqual(expect.any(Array));
    const rule = await until(
      `a look at ${alert}`,
      async () => (await prometheus.rules()).find(({ name }) => name === alert),
      (found) => found !== undefined && found.health !== 'unknown',
    );
    expect(rule).toMatchObject({ health: 'ok' });
  });

  it('fire for the one undelivered notification', async () => {
    const rules = await until(
      'a look at each',
      () => prometheus.rules(),
      (all) => all.every(({ health }) => health === 'ok'),
    );
    expect(rules.flatMap(({ name, state }) => (state === 'inactive' ? [] : name))).toEqual([
      'PortolanNotificationsUndelivered',
    ]);
  });
});

describe('the metrics', () => {
  const value = async (expr: string): Promise<number | undefined> => (await prometheus.ask(expr))[0]?.value;

  it('have the values of the site', async () => {
    const now = Date.now() / 1_000;
    expect(await value('portolan_open_runs{status="parked"}')).toBe(1);
    expect(await value('portolan_held_runs{status="waiting",age="under 1h"}')).toBe(1);
    expect(await value('portolan_ended_runs{kind="sync",outcome="failed"}')).toBe(2);
    expect(await value('portolan_ended_runs{kind="sync",outcome="succeeded"}')).toBe(1);
    expect(await value('portolan_notifications_undelivered{receiver="chat"}')).toBe(1);
    expect(await value('portolan_queue_slots{portal="south",direction="import"}')).toBe(1);
    expect(await value('portolan_stage_verified{pipeline="transport",stage="dev"}')).toBe(1);
    expect(await value('portolan_stage_last_verified_timestamp_seconds{stage="live"}')).toBe(0);
    expect(await value('portolan_backup_max_age_seconds{route="free"}')).toBe(26 * 3_600);
    expect(await value('portolan_last_success_items{route="free",kind="sync",list="imported"}')).toBe(3);
    expect(await value('portolan_last_success_items{route="free",kind="backup"}')).toBe(3);
    expect(await value('portolan_last_success_bytes{route="free",kind="backup"}')).toBeGreaterThan(1_000);
    for (const kind of ['sync', 'backup', 'drill'])
      expect(
        now - ((await value(`portolan_last_success_timestamp_seconds{route="free",kind="${kind}"}`)) ?? 0),
      ).toBeLessThan(3_600);
    // Of the three schedules that are applied, the others are paused.
    expect(await prometheus.ask('portolan_schedule_overdue')).toMatchObject([{ value: 0 }]);
    // A schedule starts it, and it never came to an end that is good.
    expect(await value('portolan_last_success_timestamp_seconds{route="asks",kind="sync"}')).toBe(0);
    expect(
      await prometheus.ask('portolan_last_success_phase_duration_seconds{kind="sync",phase="import"}'),
    ).toHaveLength(1);
  });

  it('are equal on a second server, and name no run or item', async () => {
    const config = loadConfig(path.join(site.folder, 'portolan.yaml'));
    const other = await startServer(config, pino({ level: 'silent' }));
    try {
      const linesOf = async (url: string): Promise<string[]> =>
        (await (await fetch(`${url}/metrics`)).text())
          .split('\n')
          .filter((line) => /^portolan_(?!http)/.test(line));
      const [told, again] = [await linesOf(site.server.url), await linesOf(other.url)];
      expect(again).toEqual(told);
      expect(again.join('\n')).not.toMatch(/Count \d|sync-|backup-|\d{8}T\d{6}Z/);
    } finally {
      await other.close();
    }
  });
});
