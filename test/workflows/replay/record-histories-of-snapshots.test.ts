import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { watchWorkflow, type WatchInput } from '../../../src/model/snapshot/watch-age';
import { resolveBackup } from '../../../src/config/resolve-route';
import { scheduleId } from '../../../src/model/run/run-id';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import { Site } from '../../support/site';
import { record, recording } from '../../support/recorder';
import { openControl } from '../../../src/domain/control/control';

recording('histories of snapshots, of this version', () => {
  let at: Site;
  afterEach(() => at.close());

  it('a backup, one that finds nothing changed, a restore and its rollback', async () => {
    at = await Site.open({ target: { refuseForeign: false } });
    const backup = await at.backup({ keep: { last: 1 } });
    await record('backup', backup.handle);
    await record('backup-unchanged', (await at.backup()).handle);
    // Outside of the group, so that it is saved as a copy.
    at.target.world.items.change(transportItems.csv, { groups: [], access: 'private' });
    const restore = await at.restore(backup.record.snapshot?.id ?? '', {
      overwrite: true,
      data: 'replace',
      take: [transportItems.csv],
    });
    expect(restore.record.plan?.overwrite).toBe(3);
    await record('restore', restore.handle);
    const undone = { ...restore.record, snapshot: restore.record.safeguard };
    const rollback = await at.rollback(undone, { deleteCreated: true });
    expect(rollback.record).toMatchObject({ status: 'succeeded' });
    await record('rollback', rollback.handle);
    const synced = await at.sync();
    await record('rollback-of-what-only-created', (await at.rollback(synced.record)).handle);
  });

  it('a rule with one group', async () => {
    at = await Site.open();
    const { source, ...options } = resolveBackup(at.config, 'transport');
    const protect = await at.startRun('protect', {
      route: { ...options, name: 'protect/staging/official', source: { ...source, groupId: '' } },
      rule: { groups: `id:${transportGroupId}`, exclude: [], concurrency: 2 },
    });
    expect((await at.ended(protect)).record.status).toBe('succeeded');
    await record('protect', protect);
  });

  it('a drill that imports', async () => {
    at = await Site.open({
      drillGroup: emptyGroupId,
      portals: { role: 'scratch' },
      target: { seed: 'empty' },
    });
    await at.backup();
    const { record: drilled, handle } = await at.drill({ import: true });
    expect(drilled).toMatchObject({ status: 'succeeded', proof: 'imported' });
    await record('drill-with-import', handle);
  });

  it('a scheduled run that makes room for the next one, and a watch over ages', async () => {
    at = await Site.open();
    const { client } = at.temporal;
    const { taskQueue } = at.config.temporal;
    const routes = [{ name: 'transport', groupId: transportGroupId, maxAgeMs: 1 }];
    const workflowId = `watch-${taskQueue}`;
    const input: WatchInput = { routes };
    const control = await openControl(at.config);
    const args = [control.signStart(watchWorkflow, workflowId, input)];
    const watch = await client.workflow.start(watchWorkflow, { workflowId, taskQueue, args });
    await watch.result();
    await record('watch-age', watch);

    const route = at.route({}, { approval: 'required' });
    const scheduled = `sync-transport-${taskQueue}`;
    const start = { route, startedBy: 'test', yes: false, scheduledBy: 'often' };
    const schedule = await client.schedule.create({
      scheduleId: scheduleId(taskQueue, 'often'),
      spec: { intervals: [{ every: '40s' }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'sync',
        workflowId: scheduled,
        taskQueue,
        args: [control.signSchedule('sync', scheduled, start)],
      },
    });
    try {
      await schedule.trigger();
      let runId: string | undefined;
      while (runId === undefined) {
        await sleep(200);
        runId = (await schedule.describe()).info.recentActions[0]?.action.workflow.workflowId;
      }
      const handle = client.workflow.getHandle(runId);
      const { record: left } = await at.ended(handle);
      expect(left.error?.code).toBe('SUPERSEDED');
      await record('makes-room', handle);
    } finally {
      await schedule.delete();
    }
  });
});
