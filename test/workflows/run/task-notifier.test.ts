import { builtInUsers } from '../../../src/simulator/seed/users';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { BannerRecord } from '../../../src/model/run/run';
import type { RouteOptions } from '../../../src/model/transfer/route';
import { messageNames } from '../../../src/model/run/run-input';
import { newRunId } from '../../../src/service/run/start-run';
import { transportItems } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import { itLong } from '../../support/long';
import { Site, importPost } from '../../support/site';
import { scheduledTask } from '../../support/scheduled-task';
import { until } from '../../support/until';

const banner = { text: 'Content is being updated', bgColor: '#ffde00', fontColor: 'black' };
const shown = { ...banner, enabled: true };
const before: BannerRecord = { ...shown, text: 'Closed on Sunday', bgColor: 'red' };
/** A portal may report what is not set as null. */
const unset = { text: null, bgColor: null, fontColor: null, enabled: null };

let at: Site;
let task: ReturnType<typeof scheduledTask>;
beforeAll(async () => {
  at = await Site.open({ user: builtInUsers.admin });
});
afterAll(() => at.close());
beforeEach(() => {
  at.target.faults.clear();
  at.target.clearRequests();
  finalStatus().import = 'completed';
  // Every run has one item to import.
  if (at.target.world.items.get(transportItems.csv)) at.target.world.items.remove(transportItems.csv);
  setBanner(before);
  task = scheduledTask(at.target);
});

function setBanner(informationalBanner: object | null) {
  const { world } = at.target;
  world.changePortal({ settings: { ...world.portal.settings, informationalBanner } });
}
const bannerNow = (): unknown => at.target.world.portal.settings['informationalBanner'] ?? null;
/** The text of each banner written. */
const bannersSent = () =>
  at.target
    .requests()
    .filter(({ operation }) => operation === 'settings.update')
    .map(({ params }) => (JSON.parse(params['informationalBanner'] ?? '{}') as { text?: string }).text);

/** A route bound to the task. Its item is missing on the target. */
function bound(options: Partial<RouteOptions> = {}, taskRunId?: string) {
  const { url } = at.target;
  const taskRun = { portal: 'production', url, username: 'owner', taskId: task.id, taskRunId };
  return at.route({}, { items: [transportItems.csv], taskRun, ...options });
}
/** Its item is on the target and not overwritten. */
const idle = { items: [transportItems.map] };
const finalStatus = () => at.target.settings.finalStatus;
/** Starts a run with a banner whose import job does not end. */
async function importing() {
  finalStatus().import = 'pondering';
  const handle = await at.start(bound({ banner }));
  await at.untilPhase(handle, 'wait-import');
  return handle;
}
const reported = (text: RegExp) =>
  until(
    `the task to report ${text}`,
    () => task.said(task.newest).result ?? '',
    (result) => text.test(result),
  );

describe('task run', () => {
  it('is skipped if there was nothing to do', async () => {
    expect((await at.sync(bound(idle))).record.status).toBe('nothing-to-do');
    expect(task.said(task.newest).status).toBe('skipped');
  });

  it('keeps the report of last night until the portal has created its own', async () => {
    const lastNight = { status: 'succeeded', result: 'sync-transport-x: succeeded. portolan run show x' };
    task.makeRun(task.newest, Date.now() - 86_400_000, lastNight);
    const handle = await at.start(bound({ approval: 'required' }));
    await at.waiting(handle);
    expect(task.said(task.newest)).toEqual(lastNight);
    const tonight = task.makeRun(`${task.id}-tonight`, Date.now());
    await at.answer(handle, 'reject', { who: 'a@b' });
    const { record } = await at.over(handle);
    expect(task.said(task.newest)).toEqual(lastNight);
    expect(task.said(tonight)).toMatchObject({
      status: 'failed',
      result: expect.stringContaining('cancelled'),
    });
    expect(record.warnings).toContainEqual(
      expect.stringMatching(
        /^task \w+ of owner on production was not set to executing: run .*-2 of .* reports on sync-transport-x; Portolan leaves it unchanged$/,
      ),
    );
  });

  itLong('is that of its due time, or the one named, and is replaced by a restart only', async () => {
    const runId = newRunId('sync', 'transport', new Date(task.olderIsOf));
    await at.sync(bound(), { runId });
    const late = task.said(task.older);
    expect(late.status).toBe('succeeded');

    const named = await at.sync(bound(idle, task.older));
    expect(task.said(task.older)).toEqual(late);
    expect(named.record.warnings).toContainEqual(expect.stringContaining(`reports on ${runId}`));

    await at.sync(bound(idle), { parent: runId });
    expect(task.said(task.older).status).toBe('skipped');
    expect(task.said(task.newest).status).toBe('scheduled');
  });
});

describe('banner and task run of a route', () => {
  it('last from import to end, even if the worker is replaced meanwhile', async () => {
    // A terminated run has left its banner.
    setBanner(shown);
    const left = { runId: 'sync-transport-terminated', ours: shown, before };
    await at.store.writeJson(keys.banner('production'), left);
    const handle = await importing();
    expect(bannerNow()).toEqual(shown);
    expect(await at.store.readJson(keys.banner('production'), z.unknown())).toEqual({
      ...left,
      runId: handle.workflowId,
    });
    await at.stopWorker();
    await at.startWorker();
    finalStatus().import = 'completed';
    const { record } = await at.ended(handle);
    expect(record).toMatchObject({
      status: 'succeeded',
      banner: { before, ours: shown, status: 'back' },
      taskRun: { taskRunId: task.newest, said: 'succeeded' },
    });
    expect(bannerNow()).toEqual(before);
    expect(task.statuses()).toEqual(['executing', 'succeeded']);
    const { result = '' } = task.said(task.newest);
    expect(result).toMatch(/^sync-transport-\w+: succeeded, 1 imported.*\. portolan run show \w+$/);
    expect(result.length).toBeLessThanOrEqual(400);
    expect(task.said(task.older).status).toBe('scheduled');
  });

  it('show that the run waits when approval or a parked import holds it up', async () => {
    setBanner(unset);
    at.target.faults.add({
      match: importPost,
      do: { error: { code: 400, message: 'Not today' } },
    });
    const handle = await at.start(bound({ banner, approval: 'required' }));
    const { plan } = await at.waiting(handle);
    await reported(new RegExp(`waiting, .*portolan run approve \\w+ --plan ${plan?.hash}$`));
    expect(bannersSent()).toEqual([]);
    await at.approve(handle);
    expect((await at.ended(handle)).record.status).toBe('parked');
    expect(bannersSent()).toEqual([banner.text, undefined]);
    expect(bannerNow()).toBeNull();
    await reported(/parked, in import with .*portolan run resume \w+$/);
    expect(task.said(task.newest).status).toBe('executing');
    await at.cancel(handle);
    expect(task.said(task.newest).status).toBe('failed');
    expect(bannersSent()).toHaveLength(2);
  });

  it('come down without an import if the run is cancelled while its banner is shown', async () => {
    at.target.faults.add({ match: { operation: 'settings.update' }, nth: 1, when: 'after', do: 'hold' });
    const handle = await at.start(bound({ banner }));
    await until('the banner', () => at.target.faults.holding > 0);
    expect(bannerNow()).toEqual(shown);
    await at.answer(handle, messageNames.cancel, { who: 'a@b' });
    at.target.faults.release();
    const { record } = await at.over(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'untouched', banner: { status: 'back' } });
    expect(at.imports()).toEqual([]);
    expect(bannerNow()).toEqual(before);
  });

  it('leave a banner that somebody else showed during the import', async () => {
    const handle = await importing();
    const theirs = { ...before, text: 'Alarm' };
    setBanner(theirs);
    finalStatus().import = 'completed';
    const { record } = await at.ended(handle);
    expect(record.banner?.status).toBe('theirs');
    expect(record.warnings).toContainEqual(
      expect.stringMatching(/the banner on production was changed during the import/),
    );
    expect(bannerNow()).toEqual(theirs);
  });

  it('become warnings if the portal refuses them', async () => {
    at.target.faults.add({ match: { operation: 'settings.update' }, do: { error: { code: 403 } } });
    at.target.world.tasks.remove(task.id);
    const { record } = await at.sync(bound({ banner }));
    expect(record.status).toBe('succeeded');
    expect(record.warnings).toContainEqual(
      expect.stringMatching(/^the banner was not shown on production: /),
    );
    expect(record.warnings).toContainEqual(
      expect.stringMatching(/^task \w+ of owner on production was not set to succeeded: /),
    );
  });
});
