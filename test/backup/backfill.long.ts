import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScheduleDetail } from '../../src/contract/schedules';
import { type RunRecord, runRecord } from '../../src/model/run/run';
import { transportGroupId, transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { listSnapshots } from '../../src/domain/snapshot/list-snapshots';
import { keys } from '../../src/store/keys';
import { Site } from '../support/site';
import { temporalCli } from '../support/temporal-cli';
import { typedIn } from '../support/typed-in';

/** Over the end of a month. */
const missed = [26, 27, 28, 29, 30, 31, 32, 33, 34, 35].map((day) =>
  new Date(Date.UTC(2026, 2, day, 3)).toISOString(),
);

let at: Site;
const { json, run } = typedIn(() => at.folder);
beforeAll(async () => {
  at = await Site.open({
    // No night is like the one before where layers do not tell of edits; and each export takes its time.
    source: { noEditDates: [transportItems.roads], jobMs: 500 },
    config: {
      routes: {
        transport: {
          source: { portal: 'staging', group: transportGroupId },
          target: { portal: 'production', group: transportTargetGroupId },
          backup: { keep: { last: 4 } },
        },
      },
      schedules: { nightly: { kind: 'backup', route: 'transport', cron: '0 3 * * *', paused: true } },
    },
  });
});
afterAll(() => at?.close());

/** Temporal starts each time in the range. */
const backfill = (until: string) =>
  temporalCli(
    at.config,
    `temporal schedule backfill --schedule-id portolan/${at.config.temporal.taskQueue}/nightly --start-time 2026-03-26T00:00:00Z --end-time ${until} --overlap-policy BufferAll`,
  );

const show = () => json<ScheduleDetail>('schedule show nightly');

describe(`${missed.length} nights that were missed`, () => {
  const records: RunRecord[] = [];

  it('are each started once, in their order, and one after the other', async () => {
    expect((await run('schedule apply --yes')).status).toBe(0);
    await backfill('2026-04-05T00:00:00Z');
    for (;;) {
      const { started, waiting, runs } = await show();
      const isOver = runs.every(({ status }) => status !== 'running' && status !== undefined);
      if (started === missed.length && waiting === 0 && isOver) break;
      await sleep(200);
    }
    const base = `backup-transport--${at.config.temporal.taskQueue}--nightly`;
    let before = 0;
    for (const time of missed) {
      const runId = `${base}-${time.replace('.000Z', 'Z')}`;
      const run = await at.handle(runId).describe();
      expect(run.startTime.getTime()).toBeGreaterThanOrEqual(before);
      before = run.closeTime?.getTime() ?? Infinity;
      const record = await at.store.readJson(keys.record(runId), runRecord);
      expect(record).toMatchObject({ status: 'succeeded', scheduledBy: 'nightly' });
      if (record) records.push(record);
    }
    expect(at.asked('source', 'group.export')).toBe(missed.length);
    expect(at.packages()).toEqual([]);
    expect(await show()).toMatchObject({ started: missed.length, skipped: 0, missed: 0, paused: true });
  });

  it('leave what the policy keeps of them: the last', async () => {
    const { readable, unreadable } = await listSnapshots(at.snapshots);
    expect(unreadable).toEqual([]);
    const last = records.slice(-4).map(({ snapshot }) => snapshot?.id);
    expect(readable.map(({ manifest }) => manifest.id).reverse()).toEqual(last);
  });

  it('are not run again', async () => {
    await backfill('2026-04-06T00:00:00Z');
    // Workers refuse what Temporal starts again. Only the last night is new.
    const started = 2 * missed.length + 1;
    for (let seen = await show(); seen.started < started; seen = await show()) await sleep(200);
    const { runs } = await show();
    await at.handle(runs[0]?.runId ?? '').result();
    expect(at.asked('source', 'group.export')).toBe(missed.length + 1);
  });
});
