import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import type { ScheduleChange } from '../../../src/service/schedule/schedule-difference';
import { readDueRoutes } from '../../../src/service/metrics/due-routes';
import { May } from '../../../src/service/may';
import { readStatus } from '../../../src/service/status/read-status';
import { openControl } from '../../../src/domain/control/control';
import { desiredSchedules } from '../../../src/service/schedule/desired-schedules';
import { applyChanges, readDifference } from '../../../src/service/schedule/schedule-difference';
import { applySchedules } from '../../../src/service/schedule/apply-schedules';
import { readDetail } from '../../../src/service/schedule/schedule-rows';
import { startTimes } from '../../../src/service/schedule/schedule-times';
import type { ScheduleDetail, ScheduleRow } from '../../../src/contract/schedules';
import { findSchedule } from '../../../src/service/schedule/server-schedules';
import { triggerSchedule } from '../../../src/service/schedule/trigger-schedule';
import { loadConfig } from '../../../src/config/load-config';
import type { RunRecord } from '../../../src/model/run/run';
import { scheduleId, watchId } from '../../../src/model/run/run-id';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { Site } from '../../support/site';
import { expectEnd } from '../../support/in-process';
import { temporalCli } from '../../support/temporal-cli';
import { until } from '../../support/until';
import { typedIn } from '../../support/typed-in';

let portals: Site;

const HOUR = 3_600_000;

const nightly = {
  kind: 'sync',
  route: 'transport',
  cron: '30 2 * * *',
  timezone: 'Europe/Berlin',
};

beforeAll(async () => {
  const notify = [{ on: ['overdue'], command: ['tee', 'told.json'] }];
  portals = await Site.open({
    listed: true,
    source: { seed: 'many', seedItems: 1 },
    target: { seed: 'empty' },
    groups: { source: manyGroupId, target: emptyGroupId },
    config: { schedules: { nightly }, notify },
  });
});
afterAll(() => portals.close());

const file = () => path.join(portals.folder, 'portolan.yaml');
const { run, json, expectRun } = typedIn(() => portals.folder);
const show = (name: string): Promise<ScheduleDetail> => json<ScheduleDetail>(`schedule show ${name}`);
const handle = (name: string) =>
  portals.temporal.client.schedule.getHandle(scheduleId(portals.config.temporal.taskQueue, name));

/** Writes other schedules into the file, and other settings of its route. */
function write(schedules: Record<string, object>, route: object = {}) {
  const given = parse(readFileSync(file(), 'utf8')) as { routes: { transport: object } };
  const transport = { ...given.routes.transport, ...route };
  writeFileSync(file(), stringify({ ...given, schedules, routes: { transport } }));
}

/** Writes them, and brings them to the server. */
function apply(...written: Parameters<typeof write>) {
  write(...written);
  return run('schedule apply --yes');
}

/** What functions of the service read, with the file as it is now. */
const sources = () => ({ ...portals, config: loadConfig(file()) });

describe('schedule apply', () => {
  it('changes nothing without a confirmation of the shown changes', async () => {
    const asked = await expectRun(
      'schedule apply',
      2,
      /^nightly +create +sync transport, due 30 2 \* \* \* Europe\/Berlin$/m,
      'This needs confirmation; nothing was changed.\n  To apply: portolan schedule apply --yes\n',
    );
    const dry = await run('schedule apply --dry-run --exit-code');
    expect([dry.status, dry.stdout]).toEqual([20, asked.stdout]);
    const { seen } = await applySchedules(sources(), { dryRun: true });
    write({ nightly: { ...nightly, cron: '45 2 * * *' } });
    await expect(applySchedules(sources(), { seen })).rejects.toMatchObject({
      code: 'PLAN_CHANGED',
    });
    write({ nightly });
    expect(await json<ScheduleRow[]>('schedule list')).toMatchObject([
      { name: 'nightly', standing: 'not applied' },
    ]);
  });

  it('creates the schedules of the file once, signed', async () => {
    await expectRun('schedule apply --yes', 0, 'created  nightly\n');
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
    await expectRun('schedule apply --yes', 0, /^nightly +unchanged$/m, 'No changes.');
  });

  it('describes no schedule if nothing changed', async () => {
    const describeSchedule = jest.spyOn(portals.temporal.connection.workflowService, 'describeSchedule');
    try {
      const { changes } = await applySchedules(sources(), { dryRun: true });
      expect(changes).toMatchObject([{ name: 'nightly', change: 'unchanged' }]);
      expect((await readStatus(sources())).next).toMatchObject([{ schedule: 'nightly', kind: 'sync' }]);
      expect(await readDueRoutes(sources())).toMatchObject([{ route: 'transport', kind: 'sync' }]);
      expect(describeSchedule).not.toHaveBeenCalled();
    } finally {
      describeSchedule.mockRestore();
    }
  });

  it('names each changed field, also of the signed route and of other tools', async () => {
    write({ nightly: { ...nightly, cron: '0 3 * * MON-FRI', overlap: 'buffer-one' } }, { overwrite: true });
    const [change] = await json<ScheduleChange[]>('schedule apply --yes');
    expect(change).toMatchObject({ name: 'nightly', change: 'change', done: true });
    expect(change?.fields).toEqual([
      { field: 'cron', from: '30 2 * * *', to: '0 3 * * MON-FRI' },
      { field: 'overlap', from: 'skip', to: 'buffer-one' },
      { field: 'route.options.overwrite', from: 'no', to: 'yes' },
    ]);
    await handle('nightly').update((before) => ({
      ...before,
      spec: { ...before.spec, calendars: [{ hour: 4 }] },
      policies: { ...before.policies, pauseOnFailure: true },
    }));
    const fields = [{ field: 'cron', from: 'times not set by Portolan', to: '0 3 * * MON-FRI' }];
    await until(
      'Temporal to show the change',
      () => json<ScheduleChange[]>('schedule apply --dry-run'),
      ([seen]) => isDeepStrictEqual(seen?.fields, fields),
    );
    const [mended] = await json<ScheduleChange[]>('schedule apply --yes');
    expect(mended?.fields).toEqual(fields);
    expect((await handle('nightly').describe()).policies.pauseOnFailure).toBe(false);
  });

  it('keeps a pause by hand until the file says otherwise', async () => {
    const paused = await run('schedule pause nightly --reason "the portal is moved"');
    expect([paused.status, paused.stdout]).toEqual([
      0,
      'nightly is paused\nresume   portolan schedule resume nightly\n',
    ]);
    const seen = () => readStatus(sources());
    await until('the status to name the pause', seen, (status) => status.paused.includes('nightly'));
    await expectEnd(
      apply({ nightly }),
      0,
      /stays paused by hand: paused by \S+: the portal is moved; to resume it: portolan schedule resume nightly, or paused: false in the file$/m,
    );
    expect(await show('nightly')).toMatchObject({ paused: true, cron: nightly.cron });
    const applied = async (paused?: boolean): Promise<ScheduleDetail> => {
      await apply({ nightly: { ...nightly, ...(paused !== undefined && { paused }) } });
      return await show('nightly');
    };
    expect(await applied(false)).toMatchObject({ paused: false });
    expect(await applied(true)).toMatchObject({ paused: true, note: 'paused in portolan.yaml' });
    await until('the list to show the pause', seen, (status) => !status.paused.includes('nightly'));
    expect(await applied()).toMatchObject({ paused: false });
  });

  it('deletes what left the file, and what another tool made only with --prune', async () => {
    await portals.temporal.client.schedule.create({
      scheduleId: scheduleId(portals.config.temporal.taskQueue, 'extra'),
      spec: { cronExpressions: ['0 4 * * *'] },
      action: { type: 'startWorkflow', workflowType: 'sync', taskQueue: 'nobody' },
    });
    const listed = () => json<ScheduleRow[]>('schedule list');
    await until('Temporal to list it', listed, (rows) => rows.some(({ name }) => name === 'extra'));
    write({});
    await expectRun(
      'schedule apply --exit-code --dry-run',
      20,
      /^extra +keep: created by another tool; --prune deletes it\nnightly +delete with its start history; its runs stay$/m,
    );
    const changes = await json<ScheduleChange[]>('schedule apply --yes');
    expect(changes).toMatchObject([
      { name: 'extra', change: 'left', done: false },
      { name: 'nightly', change: 'delete', done: true },
    ]);
    expect(await json<ScheduleRow[]>('schedule list')).toMatchObject([
      { name: 'extra', standing: 'not in portolan.yaml', origin: 'elsewhere' },
    ]);
    await expectRun('schedule apply --yes --prune', 0, 'deleted  extra');
    await expectRun('schedule show extra', 10, 'No schedule "extra"; defined: none.');
  });
});

describe('an apply whose schedules another one deletes meanwhile', () => {
  /** Makes the changes to the file's schedules after one was deleted. */
  const late = async (name: string, schedules: Record<string, object>) => {
    await apply({ [name]: nightly });
    write(schedules);
    const config = loadConfig(file());
    const desired = desiredSchedules(config, await openControl(config));
    const changes = await readDifference(portals.temporal, config, desired, {});
    await handle(name).delete();
    await applyChanges(portals.temporal, changes, () => undefined);
  };

  it('has nothing left to delete', async () => {
    await late('gone', {});
  });

  it('changes none of them, and says so', async () => {
    await expect(late('other', { other: { ...nightly, cron: '0 3 * * *' } })).rejects.toMatchObject({
      code: 'PLAN_CHANGED',
      message: expect.stringContaining('"other" was deleted meanwhile'),
    });
  });
});

describe('the times of a schedule', () => {
  it('are the ones that the server reads from the file', async () => {
    const times = [
      ['30 2 * * *', 'Europe/Berlin'],
      ['*/45 1-3 * * SUN', 'America/New_York'],
      ['15 0 29-31 */2 *', 'Australia/Lord_Howe'],
      ['0 3 1-7 * MON', 'UTC'],
      ['5/15 22-23,3 1,15 JAN-mar/2 fri,sun,7', 'UTC'],
      ['0  3,3 * * 1/2', 'UTC'],
    ].map(([cron = '', timezone]) => ({ ...nightly, cron, timezone, paused: true }));
    await apply(Object.fromEntries(times.map((each, at) => [`timed-${at}`, each])));
    for (const [at, { cron, timezone }] of times.entries()) {
      const { info } = await handle(`timed-${at}`).describe();
      expect(await show(`timed-${at}`)).toMatchObject({
        cron: cron.replace('  ', ' '),
        timezone,
        standing: 'as in portolan.yaml',
        next: info.nextActionTimes.slice(0, 5).map((time) => time.toISOString()),
      });
    }
  });

  it('are refused in a time zone that the server does not know', async () => {
    await expectEnd(
      apply({ far: { ...nightly, timezone: 'us/pacific' } }),
      2,
      /Temporal rejected schedule "far": .*us\/pacific.*\n.*Correct schedules\.far in portolan\.yaml\./,
    );
  });

  it('include the last one that the server left out', async () => {
    await apply({ timed: { ...nightly, cron: '0 * * * *', timezone: 'UTC', paused: true } });
    await handle('timed').update((before) => ({ ...before, spec: { ...before.spec, jitter: 5 * 60_000 } }));
    const { temporal, config } = sources();
    const timed = await findSchedule(temporal, config, 'timed');
    const { description } = timed;
    const now = Date.now();
    const starts = await startTimes(temporal, timed.id, { after: now - 72 * HOUR, until: now });
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
      return (await readDetail(sources(), { ...timed, description: { ...description, info } }, 0))
        .lastLeftOut;
    };
    const [, , earlier = 0, later = 0] = starts;
    const due = new Date(Math.floor(later / HOUR) * HOUR).toISOString();
    expect(await lastLeftOut([earlier, later])).toBe(due);
    expect(await lastLeftOut([])).toBeUndefined();
    expect(await lastLeftOut([later], 0)).toBeUndefined();
  });
});

describe('a parked run of a schedule', () => {
  const recorded = (runId: string, isSo: (record: RunRecord) => boolean): Promise<RunRecord | undefined> =>
    until(
      `the record of ${runId}`,
      () => portals.record(runId),
      (record) => record !== undefined && isSo(record),
    );
  const isOver = ({ finishedAt }: RunRecord) => finishedAt !== undefined;
  const isParked = ({ status }: RunRecord) => status === 'parked';
  const trigger = async () => (await json<{ runId: string }>('schedule trigger parks')).runId;

  beforeAll(async () => {
    await apply({ parks: nightly }, { overwrite: false });
    portals.refuseImports();
  });
  afterAll(() => portals.target.faults.clear());

  it('ends before the next one is due, although schedules skip while a run is open', async () => {
    await handle('parks').update((before) => ({ ...before, spec: { intervals: [{ every: 1_000 }] } }));
    const { info } = await until(
      'two starts',
      () => handle('parks').describe(),
      ({ info: { numActionsTaken } }) => numActionsTaken >= 2,
    );
    await run('schedule pause parks --reason enough');
    const [first] = info.recentActions;
    expect(await recorded(first?.action.workflow.workflowId ?? '', isOver)).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: {
        code: 'SUPERSEDED',
        message: expect.stringMatching(/^ended for the next run, due at .*, parked since /),
      },
    });
    const { runs, skipped } = await show('parks');
    expect(skipped).toBeGreaterThan(0);
    await recorded(runs[0]?.runId ?? '', (record) => isParked(record) || isOver(record));
  });

  it('is superseded by a triggered one, if the caller may end runs', async () => {
    const runId = await trigger();
    await recorded(runId, isParked);
    const starter = { ...sources(), may: new May({ ...portals.asker, rights: ['start'] }) };
    const parks = await findSchedule(starter.temporal, starter.config, 'parks');
    await expect(triggerSchedule(starter, parks, undefined)).rejects.toMatchObject({ code: 'RIGHT_MISSING' });
    expect((await json<RunRecord>(`run show ${runId}`)).status).toBe('parked');

    // The run is still at work when the next one is asked for.
    portals.source.faults.add({ match: { operation: 'group.export' }, times: 1, do: 'hold' });
    const triggered = await trigger();
    await expectRun('schedule trigger parks', 2, `${triggered} of schedule parks is still running.`);
    await until('its export to be held', () => portals.source.faults.holding > 0);
    portals.source.faults.release();
    const superseded = await recorded(runId, isOver);
    expect(superseded?.error?.message).toMatch(/^superseded by a run triggered by \S+, parked since /);
    await recorded(triggered, isParked);
    await run(`run cancel ${triggered} --reason "the test is over"`);
    await recorded(triggered, isOver);
  });
});

describe('what a schedule starts', () => {
  it('is listed as a run of its schedule', async () => {
    await apply({ nightly });
    const triggered = await run('schedule trigger nightly');
    const [, runId = '', short = ''] =
      /^run {6}(\S+)\nwatch {4}portolan run watch (\S+)\n$/.exec(triggered.stdout) ?? [];
    const base = `sync-transport--${portals.config.temporal.taskQueue}--nightly-`;
    expect([triggered.status, runId.slice(0, base.length), runId.endsWith(short)]).toEqual([0, base, true]);
    await portals.temporal.client.workflow.getHandle(runId).result();
    expect(await json<RunRecord>(`run show ${short}`)).toMatchObject({
      runId,
      status: 'succeeded',
      scheduledBy: 'nightly',
      startedBy: 'schedule nightly',
      temporal: { workflowId: runId },
    });
    // The index of Temporal tells its end a moment later.
    const [newest] = await until(
      'the newest run to be listed as over',
      () => json<{ finishedAt?: string }[]>('run list --route transport'),
      ([row]) => row?.finishedAt !== undefined,
    );
    expect(newest).toMatchObject({ runId, kind: 'sync', status: 'succeeded', scheduledBy: 'nightly' });
    expect((await show('nightly')).runs).toMatchObject([{ runId, status: 'succeeded' }]);
    await expectRun(
      'schedule list',
      0,
      /^SCHEDULE +KIND +ROUTE +DUE +STATE +LAST +OUTCOME +NEXT\nnightly +sync +transport +30 2 \* \* \* Europe\/Berlin +on +\S+ \S+ +succeeded +\S+ \S+\n$/,
    );
  });

  it('can be a backup and its drill', async () => {
    const drilled = { portal: 'production', group: emptyGroupId };
    const weekly = { ...nightly, cron: '0 5 * * SUN' };
    await apply(
      {
        nightly,
        keeps: { ...weekly, kind: 'backup' },
        tries: { ...weekly, kind: 'drill' },
      },
      { backup: { keep: { daily: 3 }, drill: drilled } },
    );
    for (const name of ['keeps', 'tries']) {
      const { runId } = await json<{ runId: string }>(`schedule trigger ${name}`);
      await portals.temporal.client.workflow.getHandle(runId).result();
      const record = await json<RunRecord>(`run show ${runId}`);
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

  it("runs each missed night once, in order, when Temporal's CLI backfills it [P14]", async () => {
    await apply({ nightly: { ...nightly, overlap: 'buffer-one' } }, { backup: {} });
    const { taskQueue } = portals.config.temporal;
    const started = (await show('nightly')).started;
    const backfill = (end: string) =>
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
    const ids = due.map((time) => `sync-transport--${taskQueue}--nightly-${time}`);
    const { runs } = await show('nightly');
    expect(runs.slice(0, 2)).toMatchObject([{ runId: ids[1] }, { runId: ids[0] }]);
    const nights = await Promise.all(
      ids.map(async (id) => {
        const { startTime, closeTime, runId } = await portals.temporal.client.workflow
          .getHandle(id)
          .describe();
        const { status, startedBy } = await json<RunRecord>(`run show ${id}`);
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
      const record = await json<RunRecord>(`run show ${runId}`);
      expect(record).toMatchObject({ status: nights[at]?.status, temporal: { runId: nights[at]?.runId } });
    }
  });
});

describe('the watch over the age of snapshots', () => {
  it('is applied beside the schedules of the file, and notifies of overdue routes', async () => {
    await expectEnd(apply({}, { backup: { maxAge: '1ms' } }), 0, /^age of snapshots +create$/m);
    expect(await json<ScheduleRow[]>('schedule list')).toEqual([]);
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

it('a configuration names every error in its schedules', () => {
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
