import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import type { ScheduleChange } from '../../../src/service/schedule/schedule-difference';
import { readDueRoutes } from '../../../src/service/metrics/due-routes';
import { May } from '../../../src/service/may';
import { readStatus } from '../../../src/service/status/read-status';
import { applySchedules } from '../../../src/service/schedule/apply-schedules';
import { readDetail, scheduleRows } from '../../../src/service/schedule/schedule-rows';
import { startTimes } from '../../../src/service/schedule/schedule-times';
import type { ScheduleDetail, ScheduleRow } from '../../../src/contract/schedules';
import { findSchedule } from '../../../src/service/schedule/server-schedules';
import { triggerSchedule } from '../../../src/service/schedule/trigger-schedule';
import { loadConfig } from '../../../src/config/load-config';
import { findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../../src/temporal/dev-server/temporal-server';
import { type RunRecord, runRecord } from '../../../src/model/run/run';
import { scheduleId, watchId } from '../../../src/model/run/run-id';
import { transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import { openStore } from '../../../src/store/open-store';
import { Rehearsal } from '../../support/rehearsal';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { temporalCli } from '../../support/temporal-cli';
import { until } from '../../support/until';
import { jsonOf } from '../../support/json';

let server: TemporalServer;
let logs: string;
let portals: Rehearsal;

const HOUR = 3_600_000;

const nightly = {
  kind: 'sync',
  route: 'transport',
  cron: '30 2 * * *',
  timezone: 'Europe/Berlin',
};

beforeAll(async () => {
  logs = mkdtempSync(path.join(os.tmpdir(), 'portolan-schedules-'));
  const cli = await findTemporalCli();
  server = await startTemporalServer({
    cli: cli.path,
    address: '127.0.0.1:0',
    logFile: path.join(logs, 'temporal.log'),
  });
  const notify = [{ on: ['overdue'], command: ['tee', 'told.json'] }];
  portals = await Rehearsal.open({ temporal: server.address, config: { schedules: { nightly }, notify } });
});
afterAll(async () => {
  await portals?.close();
  await server?.stop();
  rmSync(logs, { recursive: true, force: true });
});

const file = (): string => path.join(portals.folder, 'portolan.yaml');
const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: portals.folder });
const json = async <T>(...args: string[]): Promise<T> => jsonOf<T>(await run(...args, '-o', 'json'));
const show = (name: string): Promise<ScheduleDetail> => json<ScheduleDetail>('schedule', 'show', name);
const handle = (name: string) =>
  portals.temporal.client.schedule.getHandle(scheduleId(portals.config.temporal.taskQueue, name));

/** Writes other schedules into the file, and other settings of its route. */
function write(schedules: Record<string, object>, route: object = {}): void {
  const given = parse(readFileSync(file(), 'utf8')) as { routes: { transport: object } };
  const transport = { ...given.routes.transport, ...route };
  writeFileSync(file(), stringify({ ...given, schedules, routes: { transport } }));
}

describe('schedule apply', () => {
  it('says what it would create, and does nothing where nobody can be asked', async () => {
    const asked = await run('schedule', 'apply');
    expect(asked.stdout).toMatch(/^nightly +create +sync transport, due 30 2 \* \* \* Europe\/Berlin$/m);
    expect(asked.stderr).toContain(
      'This needs confirmation; nothing was changed.\n  To apply: portolan schedule apply --yes\n',
    );
    expect(asked.status).toBe(2);
    const dry = await run('schedule', 'apply', '--dry-run', '--exit-code');
    expect([dry.status, dry.stdout]).toEqual([20, asked.stdout]);
    expect((await run('schedule', 'apply', '--dry-run')).status).toBe(0);
    // A yes is for what was shown, also of what does not stand there yet.
    const { temporal } = portals;
    const { seen } = await applySchedules({ config: loadConfig(file()), temporal }, { dryRun: true });
    write({ nightly: { ...nightly, cron: '45 2 * * *' } });
    await expect(applySchedules({ config: loadConfig(file()), temporal }, { seen })).rejects.toMatchObject({
      code: 'PLAN_CHANGED',
    });
    write({ nightly });
    expect(await json<ScheduleRow[]>('schedule', 'list')).toMatchObject([
      { name: 'nightly', standing: 'not applied' },
    ]);
  });

  it('makes the server match the file once, and changes nothing the second time', async () => {
    const applied = await run('schedule', 'apply', '--yes');
    expect([applied.status, applied.stderr]).toEqual([0, expect.stringContaining('created  nightly\n')]);
    const { policies, spec, action, state } = await handle('nightly').describe();
    expect(policies).toEqual({ overlap: 'SKIP', catchupWindow: 3_600_000, pauseOnFailure: false });
    expect(spec).toMatchObject({ timezone: 'Europe/Berlin', jitter: 0 });
    expect(state).toMatchObject({ paused: false });
    expect(action.args).toEqual([
      {
        route: JSON.parse(JSON.stringify(portals.route())),
        startedBy: 'schedule nightly',
        yes: false,
        scheduledBy: 'nightly',
        proof: { identity: 'claimed', mac: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
    const again = await run('schedule', 'apply', '--yes');
    expect([again.status, again.stdout, again.stderr]).toEqual([
      0,
      expect.stringMatching(/^nightly +unchanged$/m),
      expect.stringContaining('No changes.'),
    ]);
  });

  it('describes no schedule when nothing changed, and neither does a look at all of them', async () => {
    const { temporal, store, asker } = portals;
    const sources = { temporal, store, asker, config: loadConfig(file()) };
    const describeSchedule = jest.spyOn(temporal.connection.workflowService, 'describeSchedule');
    try {
      const { changes } = await applySchedules(sources, { dryRun: true });
      expect(changes).toMatchObject([{ name: 'nightly', change: 'unchanged' }]);
      expect((await readStatus(sources)).next).toMatchObject([{ schedule: 'nightly', kind: 'sync' }]);
      expect(await readDueRoutes(sources)).toMatchObject([{ route: 'transport', kind: 'sync' }]);
      expect(await scheduleRows(sources, { runs: 1 })).toMatchObject([
        {
          name: 'nightly',
          kind: 'sync',
          route: 'transport',
          standing: 'as in portolan.yaml',
          origin: 'file',
        },
      ]);
      expect(describeSchedule).not.toHaveBeenCalled();
    } finally {
      describeSchedule.mockRestore();
    }
  });

  it('tells each field that changes, also of the route that was frozen into the schedule', async () => {
    write({ nightly: { ...nightly, cron: '0 3 * * MON-FRI', overlap: 'buffer-one' } }, { overwrite: true });
    const [change] = await json<ScheduleChange[]>('schedule', 'apply', '--yes');
    expect(change).toMatchObject({ name: 'nightly', change: 'change', done: true });
    expect(change?.fields).toEqual([
      { field: 'cron', from: '30 2 * * *', to: '0 3 * * MON-FRI' },
      { field: 'overlap', from: 'skip', to: 'buffer-one' },
      { field: 'route.options.overwrite', from: 'no', to: 'yes' },
    ]);
    expect(await show('nightly')).toMatchObject({ cron: '0 3 * * MON-FRI', standing: 'as in portolan.yaml' });
  });

  it('puts right what another tool changed', async () => {
    await handle('nightly').update((before) => ({
      ...before,
      spec: { ...before.spec, calendars: [{ hour: 4 }] },
      policies: { ...before.policies, pauseOnFailure: true },
    }));
    const [change] = await json<ScheduleChange[]>('schedule', 'apply', '--yes');
    expect(change?.fields).toEqual([
      { field: 'cron', from: 'times not set by Portolan', to: '0 3 * * MON-FRI' },
    ]);
    expect((await handle('nightly').describe()).policies.pauseOnFailure).toBe(false);
  });

  it('keeps a pause that somebody made by hand, with its reason, until the file says otherwise', async () => {
    const paused = await run('schedule', 'pause', 'nightly', '--reason', 'the portal is moved');
    expect([paused.status, paused.stdout]).toEqual([
      0,
      'nightly is paused\nresume   portolan schedule resume nightly\n',
    ]);
    const kept = await run('schedule', 'apply', '--yes');
    expect(kept.stdout).toMatch(
      /^nightly +unchanged +stays paused by hand: paused by \S+: the portal is moved; to resume it: portolan schedule resume nightly, or paused: false in the file$/m,
    );
    const seen = () => readStatus({ ...portals, config: loadConfig(file()) });
    await until('the status to name the pause', seen, (status) => status.paused.includes('nightly'));
    write({ nightly });
    await run('schedule', 'apply', '--yes');
    expect(await show('nightly')).toMatchObject({
      paused: true,
      cron: nightly.cron,
      note: expect.stringContaining('the portal is moved'),
    });
    write({ nightly: { ...nightly, paused: false } });
    await run('schedule', 'apply', '--yes');
    expect(await show('nightly')).toMatchObject({ paused: false });
  });

  it('pauses what the file pauses, and resumes it when the file no longer does', async () => {
    write({ nightly: { ...nightly, paused: true } });
    await run('schedule', 'apply', '--yes');
    expect(await show('nightly')).toMatchObject({ paused: true, note: 'paused in portolan.yaml' });
    const listed = () => json<ScheduleRow[]>('schedule', 'list');
    await until('the list to show the pause', listed, ([row]) => row?.paused === true);
    expect((await readStatus({ ...portals, config: loadConfig(file()) })).paused).toEqual([]);
    write({ nightly });
    await run('schedule', 'apply', '--yes');
    expect(await show('nightly')).toMatchObject({ paused: false });
  });

  it('deletes what is gone from the file, and leaves alone what another tool made, unless it is told to', async () => {
    await portals.temporal.client.schedule.create({
      scheduleId: scheduleId(portals.config.temporal.taskQueue, 'extra'),
      spec: { cronExpressions: ['0 4 * * *'] },
      action: { type: 'startWorkflow', workflowType: 'sync', taskQueue: 'nobody' },
    });
    write({});
    const asked = await run('schedule', 'apply', '--exit-code', '--dry-run');
    expect([asked.status, asked.stdout]).toEqual([
      20,
      expect.stringMatching(
        /^extra +keep: created by another tool; --prune deletes it\nnightly +delete with its start history; its runs stay$/m,
      ),
    ]);
    const pruned = await run('schedule', 'apply', '--dry-run', '--prune');
    expect(pruned.stderr).toContain('No changes made. To apply them: portolan schedule apply --prune\n');
    const changes = await json<ScheduleChange[]>('schedule', 'apply', '--yes');
    expect(changes).toMatchObject([
      { name: 'extra', change: 'left', done: false },
      { name: 'nightly', change: 'delete', done: true },
    ]);
    expect(await json<ScheduleRow[]>('schedule', 'list')).toMatchObject([
      { name: 'extra', standing: 'not in portolan.yaml', origin: 'elsewhere' },
    ]);
    expect((await run('schedule', 'apply', '--yes', '--prune')).stderr).toContain('deleted  extra');
    const gone = await run('schedule', 'show', 'extra');
    expect([gone.status, gone.stderr]).toEqual([
      10,
      expect.stringContaining('No schedule "extra"; defined: none.'),
    ]);
  });
});

it('a time zone that the server does not know is an error of the configuration', async () => {
  write({ far: { ...nightly, timezone: 'us/pacific' } });
  const refused = await run('schedule', 'apply', '--yes');
  expect([refused.status, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      /Temporal rejected schedule "far": .*us\/pacific.*\n.*Correct schedules\.far in portolan\.yaml\./,
    ),
  ]);
});

describe('the times of a schedule', () => {
  // What the server makes of a text is what the file was checked for.
  it.each([
    ['30 2 * * *', 'Europe/Berlin'],
    ['*/45 1-3 * * SUN', 'America/New_York'],
    ['15 0 29-31 */2 *', 'Australia/Lord_Howe'],
    ['0 3 1-7 * MON', 'UTC'],
    ['5/15 22-23,3 1,15 JAN-mar/2 fri,sun,7', 'UTC'],
    ['0  3,3 * * 1/2', 'UTC'],
  ])('are those of the file, and nothing is left to apply: %s in %s', async (cron, timezone) => {
    write({ timed: { ...nightly, cron, timezone, paused: true } });
    await run('schedule', 'apply', '--yes');
    expect(await show('timed')).toMatchObject({
      cron: cron.replace('  ', ' '),
      timezone,
      standing: 'as in portolan.yaml',
      next: (await handle('timed').describe()).info.nextActionTimes.slice(0, 5).map((at) => at.toISOString()),
    });
  });

  it('name the last one that has no run where the server left some out, however long ago', async () => {
    write({ timed: { ...nightly, cron: '0 * * * *', timezone: 'UTC', paused: true } });
    await run('schedule', 'apply', '--yes');
    await handle('timed').update((before) => ({ ...before, spec: { ...before.spec, jitter: 5 * 60_000 } }));
    const sources = {
      config: portals.config,
      store: openStore(portals.config),
      temporal: portals.temporal,
    };
    const timed = await findSchedule(sources.temporal, sources.config, 'timed');
    const { description } = timed;
    const now = Date.now();
    const starts = await startTimes(sources.temporal, timed.id, { after: now - 72 * HOUR, until: now });
    const lastLeftOut = async (leftOut: readonly number[], skipped = leftOut.length) => {
      const recentActions = starts
        .filter((at) => !leftOut.includes(at))
        .map((at) => ({
          scheduledAt: new Date(at),
          takenAt: new Date(at + 1_000),
          action: {
            type: 'startWorkflow' as const,
            workflow: { workflowId: `sync-${at}`, firstExecutionRunId: '' },
          },
        }));
      const info = { ...description.info, recentActions, numActionsSkippedOverlap: skipped };
      return (await readDetail(sources, { ...timed, description: { ...description, info } }, 0)).lastLeftOut;
    };
    const [, , earlier = 0, later = 0] = starts;
    const due = new Date(Math.floor(later / HOUR) * HOUR).toISOString();
    expect(await lastLeftOut([earlier, later])).toBe(due);
    expect(await lastLeftOut([])).toBeUndefined();
    expect(await lastLeftOut([later], 0)).toBeUndefined();
  });
});

describe('a run of a schedule that waits for a person', () => {
  const recorded = (runId: string, isSo: (record: RunRecord) => boolean): Promise<RunRecord | undefined> =>
    until(
      `the record of ${runId}`,
      () => portals.store.readJson(keys.record(runId), runRecord),
      (record) => record !== undefined && isSo(record),
    );
  const parked = (runId: string) => recorded(runId, ({ status }) => status === 'parked');

  it('makes room for the next one, although the schedule skips what is due while a run goes on', async () => {
    write({ parks: nightly }, { overwrite: false });
    await run('schedule', 'apply', '--yes');
    portals.target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      do: { error: { code: 403, message: 'No right to import.' } },
    });
    await handle('parks').update((before) => ({ ...before, spec: { intervals: [{ every: 1_000 }] } }));
    await until(
      'two starts',
      () => handle('parks').describe(),
      ({ info }) => info.numActionsTaken >= 2,
    );
    // Of a schedule that is paused there is no next one to make room for: the run that it finds at work stays parked.
    const stays = async (): Promise<string> => {
      for (let taken = 2; ; taken += 1) {
        await run('schedule', 'pause', 'parks', '--reason', 'enough');
        const [{ runId = '' } = {}] = (await show('parks')).runs;
        const isHalted = ({ status, finishedAt }: RunRecord): boolean => status === 'parked' || !!finishedAt;
        if ((await recorded(runId, isHalted))?.status === 'parked') return runId;
        await run('schedule', 'resume', 'parks');
        await until(
          'another start',
          () => handle('parks').describe(),
          ({ info }) => info.numActionsTaken > taken,
        );
      }
    };
    const runId = await stays();
    const { runs, skipped } = await show('parks');
    expect(skipped).toBeGreaterThan(0);
    expect(await json<RunRecord>('run', 'show', runs.at(-1)?.runId ?? '')).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: {
        code: 'SUPERSEDED',
        message: expect.stringMatching(/^ended for the next run, due at .*, parked since /),
      },
    });

    // Whoever may start runs and end none ends this one neither by starting the next.
    const { temporal, store, asker } = portals;
    const may = new May({ ...asker, rights: ['start'] });
    const sources = { temporal, store, asker, may, config: loadConfig(file()) };
    const parks = await findSchedule(temporal, sources.config, 'parks');
    await expect(triggerSchedule(sources, parks, undefined)).rejects.toMatchObject({ code: 'RIGHT_MISSING' });
    expect((await json<RunRecord>('run', 'show', runId)).status).toBe('parked');

    // The run is still at work when the next one is asked for.
    portals.source.faults.add({ match: { operation: 'group.export' }, times: 1, do: 'hold' });
    const triggered = await json<{ runId: string }>('schedule', 'trigger', 'parks');
    const busy = await run('schedule', 'trigger', 'parks');
    expect([busy.status, busy.stderr]).toEqual([
      2,
      expect.stringContaining(`${triggered.runId} of schedule parks is still running.`),
    ]);
    await until('its export to be held', () => portals.source.faults.holding > 0);
    portals.source.faults.release();
    const superseded = await recorded(runId, ({ finishedAt }) => finishedAt !== undefined);
    expect(superseded?.error?.message).toMatch(/^superseded by a run triggered by \S+, parked since /);
    await parked(triggered.runId);
    await run('run', 'cancel', triggered.runId, '--reason', 'the test is over');
    await recorded(triggered.runId, ({ status }) => status === 'cancelled');
    await portals.temporal.client.workflow
      .getHandle(triggered.runId)
      .result()
      .catch(() => undefined);
    portals.target.faults.clear();
    expect((await run('schedule', 'list')).stdout).toMatch(
      /parks .* paused, differs from portolan\.yaml .* cancelled *\n$/,
    );
  });
});

describe('what a schedule starts', () => {
  it('is a run like any other, listed under its schedule', async () => {
    write({ nightly });
    await run('schedule', 'apply', '--yes');
    const triggered = await run('schedule', 'trigger', 'nightly');
    const [, runId = '', short = ''] =
      /^run {6}(\S+)\nwatch {4}portolan run watch (\S+)\n$/.exec(triggered.stdout) ?? [];
    const base = `sync-transport-${portals.config.temporal.taskQueue}-nightly-`;
    expect([triggered.status, runId.slice(0, base.length), runId.endsWith(short)]).toEqual([0, base, true]);
    await portals.temporal.client.workflow.getHandle(runId).result();
    expect(await json<RunRecord>('run', 'show', short)).toMatchObject({
      runId,
      status: 'succeeded',
      scheduledBy: 'nightly',
      startedBy: 'schedule nightly',
      temporal: { workflowId: runId },
    });
    // The index of Temporal tells its end a moment later.
    const [newest] = await until(
      'the newest run to be listed as over',
      () => json<{ finishedAt?: string }[]>('run', 'list', '--route', 'transport'),
      ([row]) => row?.finishedAt !== undefined,
    );
    expect(newest).toMatchObject({ runId, kind: 'sync', status: 'succeeded', scheduledBy: 'nightly' });
    expect((await show('nightly')).runs).toMatchObject([{ runId, status: 'succeeded' }]);
    const { stdout } = await run('schedule', 'list');
    expect(stdout).toMatch(
      /^SCHEDULE +KIND +ROUTE +DUE +STATE +LAST +OUTCOME +NEXT\nnightly +sync +transport +30 2 \* \* \* Europe\/Berlin +on +\S+ \S+ +succeeded +\S+ \S+\n$/,
    );
  });

  it('is a backup, and what it took can be drilled on the clock as well', async () => {
    const drilled = { portal: 'production', group: transportTargetGroupId };
    const weekly = { ...nightly, cron: '0 5 * * SUN' };
    write(
      {
        nightly,
        keeps: { ...weekly, kind: 'backup' },
        tries: { ...weekly, kind: 'drill' },
      },
      { backup: { keep: { daily: 3 }, drill: drilled } },
    );
    await run('schedule', 'apply', '--yes');
    for (const name of ['keeps', 'tries']) {
      const { runId } = await json<{ runId: string }>('schedule', 'trigger', name);
      await portals.temporal.client.workflow.getHandle(runId).result();
      const record = await json<RunRecord>('run', 'show', runId);
      expect([record.kind, record.status, record.scheduledBy]).toEqual([
        name === 'keeps' ? 'backup' : 'drill',
        'succeeded',
        name,
      ]);
      expect(record.snapshot?.id).toMatch(/^backup-transport-.*-keeps-.*Z$/);
      const retention = record.phases.find((phase) => phase.name === 'retention');
      expect(retention?.detail).toBe(name === 'keeps' ? '1 kept, 0 forgotten' : undefined);
    }
    expect(portals.packages()).toEqual([]);
  });

  it("starts each missed night once and in order when Temporal's CLI backfills it, and refuses to run one twice [P14]", async () => {
    write({ nightly: { ...nightly, overlap: 'buffer-one' } }, { backup: {} });
    await run('schedule', 'apply', '--yes');
    const { taskQueue } = portals.config.temporal;
    const started = (await show('nightly')).started;
    const backfill = (end: string): Promise<string> =>
      temporalCli(
        portals.config,
        `temporal schedule backfill --schedule-id portolan/${taskQueue}/nightly --start-time 2025-07-01T00:00:00+02:00 --end-time ${end} --overlap-policy BufferAll`,
      );
    const untilStarted = (count: number) =>
      until(
        `${count} nights to have ended`,
        () => handle('nightly').describe(),
        ({ info }) => info.numActionsTaken === started + count && info.runningActions.length === 0,
      );
    await backfill('2025-07-03T00:00:00+02:00');
    await untilStarted(2);
    const due = ['2025-07-01T00:30:00Z', '2025-07-02T00:30:00Z'];
    const ids = due.map((time) => `sync-transport-${taskQueue}-nightly-${time}`);
    const { runs } = await show('nightly');
    expect(runs.slice(0, 2)).toMatchObject([{ runId: ids[1] }, { runId: ids[0] }]);
    const nights = await Promise.all(
      ids.map(async (id) => {
        const { startTime, closeTime, runId } = await portals.temporal.client.workflow
          .getHandle(id)
          .describe();
        const { status, startedBy } = await json<RunRecord>('run', 'show', id);
        return { startTime, closeTime, runId, status, startedBy };
      }),
    );
    // Workers accept these starts: the schedule has signed them.
    expect(nights.map(({ status, startedBy }) => [status, startedBy])).toEqual(
      due.map(() => [expect.stringMatching(/^(succeeded|nothing-to-do)$/), 'schedule nightly']),
    );
    expect(nights[1]?.startTime.getTime()).toBeGreaterThanOrEqual(
      nights[0]?.closeTime?.getTime() ?? Infinity,
    );
    await backfill('2025-07-04T00:00:00+02:00');
    // Temporal starts the first two again, and workers refuse.
    await untilStarted(5);
    for (const [at, runId] of ids.entries()) {
      const { client } = portals.temporal;
      await expect(client.workflow.getHandle(runId).result()).rejects.toMatchObject({
        cause: { type: 'NOT_AUTHENTIC' },
      });
      const record = await json<RunRecord>('run', 'show', runId);
      expect(record).toMatchObject({ status: nights[at]?.status, temporal: { runId: nights[at]?.runId } });
    }
  });
});

describe('the watch over the age of snapshots', () => {
  it('is kept by apply beside the schedules of the file, and tells what is overdue', async () => {
    write({}, { backup: { maxAge: '1ms' } });
    const applied = await run('schedule', 'apply', '--yes');
    expect(applied.stdout).toMatch(/^age of snapshots +create$/m);
    expect(await json<ScheduleRow[]>('schedule', 'list')).toEqual([]);
    const { client } = portals.temporal;
    const { action } = await client.schedule.getHandle(watchId(portals.config.temporal.taskQueue)).describe();
    let minute = 0;
    const look = (): Promise<unknown> =>
      client.workflow.execute(action.workflowType, {
        workflowId: `${action.workflowId}-2026-11-22T03:${String((minute += 15))}:00Z`,
        taskQueue: action.taskQueue,
        args: action.args,
      });
    await look();
    await look();
    expect(JSON.parse(readFileSync(path.join(portals.folder, 'told.json'), 'utf8'))).toMatchObject({
      event: 'overdue',
      route: 'transport',
      text: expect.stringMatching(
        /^transport has no good snapshot within its maximum age: the last one, \S+, was good 0m ago; the maximum age is 1ms {2}portolan schedule list$/,
      ),
    });
  });
});

it('a configuration says all that is wrong with its schedules', () => {
  write({
    a: { route: 'nowhere', cron: '0 3 * *', timezone: 'europe/berlin' },
    b: { kind: 'drill', route: 'transport', cron: '61 3 * * *' },
    c: { kind: 'sync', route: 'transport', cron: '0 3 30 2 *', import: true },
    d: { kind: 'release', pipeline: 'transport', route: 'transport', cron: '0 3 * * *' },
    e: { cron: '0 3 * * *', reason: 'each night' },
    f: { kind: 'promote', pipeline: 'transport', cron: '0 3 * * *' },
  });
  expect(() => loadConfig(file())).toThrow(
    [
      '  schedules.a.cron: has five fields: minute, hour, day of month, month, day of week',
      '  schedules.a.timezone: is not a time zone; write one such as Europe/Berlin',
      '  schedules.b.cron: "61" is not a valid minute; write 0 to 59, a list, a range or a step',
      '  schedules.c.cron: is never due: no such month has such a day',
      '  schedules.a.route: unknown route "nowhere"; defined: transport',
      '  schedules.b.route: routes.transport.backup.drill is not set',
      '  schedules.c.import: needs kind: drill',
      '  schedules.d.pipeline: unknown pipeline "transport"; defined: none',
      '  schedules.d.route: needs kind: backup or sync or drill',
      '  schedules.e.route: is missing',
      '  schedules.e.reason: needs kind: release or promote',
      '  schedules.f.stage: is missing',
      '  schedules.f.pipeline: unknown pipeline "transport"; defined: none',
    ].join('\n'),
  );
});
