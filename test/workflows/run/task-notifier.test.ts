import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskAddress } from '../../../src/model/portal-change/task-run';
import { newRunId } from '../../../src/service/run/start-run';
import type { BannerRecord } from '../../../src/model/run/run';
import { transportItems } from '../../../src/simulator/seed/transport';
import { inProcess } from '../../support/in-process';
import { Rehearsal } from '../../support/rehearsal';
import { scheduledTask } from '../../support/scheduled-task';
import { until } from '../../support/until';
import { itLong } from '../../support/long';

const banner = { text: 'Content is being updated', bgColor: '#ffde00', fontColor: 'black' };
const ofTheHouse: BannerRecord = {
  text: 'Closed on Sunday',
  bgColor: 'red',
  fontColor: 'white',
  enabled: true,
};

/** What a run here carries: enough to have an import. */
const one = { items: [transportItems.csv] };

let at: Rehearsal;
let task: ReturnType<typeof scheduledTask>;
let taskRun: TaskAddress;
beforeAll(async () => {
  at = await Rehearsal.open({ user: { username: 'admin', password: 'admin-pw' } });
});
afterAll(() => at.close());
beforeEach(() => {
  at.target.faults.clear();
  at.target.clearRequests();
  // Something is to be imported each time.
  if (at.target.world.items.get(transportItems.csv)) at.target.world.items.remove(transportItems.csv);
  setBanner(ofTheHouse);
  task = scheduledTask(at.target);
  taskRun = { portal: 'production', url: at.target.url, username: 'owner', taskId: task.id };
});

const setBanner = (informationalBanner: BannerRecord | null): void => {
  const { world } = at.target;
  world.changePortal({ settings: { ...world.portal.settings, informationalBanner } });
};
const bannerNow = (): unknown => at.target.world.portal.settings['informationalBanner'] ?? null;
/** The texts of the banner in the order in which they were sent. */
const bannersSent = (): string[] =>
  at.target
    .requests()
    .filter(({ operation }) => operation === 'settings.update')
    .map(({ params }) => (JSON.parse(params['informationalBanner'] ?? '{}') as { text?: string }).text ?? '');

const taskSays = async (words: RegExp): Promise<void> => {
  await until(
    `the task to say ${words}`,
    () => task.said(task.newest).result ?? '',
    (result) => words.test(result),
  );
};

describe('a run that is bound to a task of the portal', () => {
  it('says there that it goes on, then once how it ended, with counts and what to type next', async () => {
    const { record } = await at.sync(at.route(one, { taskRun }));
    expect(record.status).toBe('succeeded');
    const { status, result } = task.said(task.newest);
    expect(status).toBe('succeeded');
    expect(result).toMatch(/^sync-transport-\w+: succeeded, \d+ imported.*\. portolan run show \w+$/);
    expect(result?.length).toBeLessThanOrEqual(400);
    expect(task.statuses()).toEqual(['executing', 'succeeded']);
    expect(task.said(task.older).status).toBe('scheduled');
    expect(record.taskRun).toMatchObject({ taskRunId: task.newest, said: 'succeeded' });
  });

  it('is skipped there where nothing was to do, and failed where it was rejected', async () => {
    const keep = { items: [transportItems.map] };
    const idle = await at.sync(at.route(keep, { taskRun }));
    expect(idle.record.status).toBe('nothing-to-do');
    expect(task.said(task.newest).status).toBe('skipped');

    task.makeRun(task.newest, Date.now());
    const handle = await at.start(at.route(one, { taskRun, approval: 'required' }));
    const { plan } = await at.waiting(handle);
    // It is told once the run's own state says that it waits.
    await taskSays(new RegExp(`waiting, .*portolan run approve \\w+ --plan ${plan?.hash}$`));
    await at.answer(handle, 'reject', { who: 'a@b' });
    await at.over(handle);
    expect(task.said(task.newest)).toMatchObject({
      status: 'failed',
      result: expect.stringMatching(/cancelled/),
    });
  });
});

describe('what an earlier night said of a task', () => {
  const DAY_MS = 86_400_000;

  it('stays where a run begins before the portal has made the run of its night, which has the last word once it is there', async () => {
    const lastNight = {
      status: 'succeeded',
      result: 'sync-transport-x: succeeded, 12 imported. portolan run show x',
    };
    task.makeRun(task.newest, Date.now() - DAY_MS, lastNight);
    const handle = await at.start(at.route(one, { taskRun, approval: 'required' }));
    await at.waiting(handle);
    expect(task.said(task.newest)).toEqual(lastNight);
    const tonight = task.makeRun(`${task.id}-tonight`, Date.now());
    await at.answer(handle, 'reject', { who: 'a@b' });
    const { record } = await at.over(handle);
    expect(task.said(task.newest)).toEqual(lastNight);
    expect(task.said(tonight).status).toBe('failed');
    expect(record.warnings).toContainEqual(
      expect.stringMatching(
        /^task \w+ of owner on production was not set to executing: run .*-2 of .* reports on sync-transport-x; Portolan leaves it unchanged$/,
      ),
    );
  });

  itLong(
    'stays where a run comes late or is bound to that run of it by name, and is replaced by whoever begins its run again',
    async () => {
      const runId = newRunId('sync', 'transport', new Date(task.olderIsOf));
      const late = await at.sync(at.route(one, { taskRun }), { runId });
      expect(late.record.status).toBe('succeeded');
      const said = task.said(task.older);
      expect(said.status).toBe('succeeded');
      expect(task.said(task.newest).status).toBe('scheduled');

      const keep = { items: [transportItems.map] };
      const named = await at.sync(at.route(keep, { taskRun: { ...taskRun, taskRunId: task.older } }));
      expect(task.said(task.older)).toEqual(said);
      expect(named.record.warnings).toContainEqual(expect.stringContaining(`reports on ${runId}`));

      await at.sync(at.route(keep, { taskRun }), { parent: runId });
      expect(task.said(task.older).status).toBe('skipped');
      expect(task.said(task.newest).status).toBe('scheduled');
    },
  );
});

describe('a banner of the route', () => {
  it('stands on the target while the run imports, and what was there before comes back', async () => {
    const { record } = await at.sync(at.route(one, { banner }));
    expect(record.banner).toMatchObject({ before: ofTheHouse, ours: banner, status: 'back' });
    expect(bannersSent()).toEqual([banner.text, ofTheHouse.text]);
    const operations = at.target.requests().map(({ operation }) => operation);
    expect(operations.indexOf('settings.update')).toBeLessThan(operations.lastIndexOf('group.import'));
    expect(operations.lastIndexOf('settings.update')).toBeGreaterThan(operations.lastIndexOf('group.import'));
    expect(bannerNow()).toEqual(ofTheHouse);
  });

  itLong(
    'is taken away where none was there before, and the last word is said once, also where each answer is lost',
    async () => {
      setBanner(null);
      const last = { operation: 'taskRun.update', params: { status: 'succeeded' } };
      at.target.faults.add({ match: last, when: 'after', do: 'reset' });
      at.target.faults.add({ match: { operation: 'settings.update' }, times: 2, when: 'after', do: 'reset' });
      const { record } = await at.sync(at.route(one, { banner, taskRun }));
      expect(record).toMatchObject({
        status: 'succeeded',
        banner: { before: null, status: 'back' },
      });
      expect(bannersSent()).toHaveLength(2);
      expect(bannerNow()).toBeNull();
      expect(record.warnings).not.toContainEqual(expect.stringMatching(/^task /));
      expect(task.statuses()).toEqual(['executing', 'succeeded']);
    },
  );

  itLong('is taken away where a portal tells what is not set as null', async () => {
    setBanner({ text: null, bgColor: null, fontColor: null, enabled: null } as unknown as BannerRecord);
    const { record } = await at.sync(at.route(one, { banner }));
    expect(record.banner).toMatchObject({ before: null, status: 'back' });
    expect(bannerNow()).toBeNull();
  });

  itLong('of somebody who changed it meanwhile stays, with a warning', async () => {
    const theirs = { ...ofTheHouse, text: 'Alarm' };
    const change = setInterval(() => {
      if ((bannerNow() as BannerRecord | null)?.text === banner.text) setBanner(theirs);
    }, 5);
    const { record } = await at.sync(at.route(one, { banner })).finally(() => clearInterval(change));
    expect(record.banner?.status).toBe('theirs');
    expect(record.warnings).toContainEqual(
      expect.stringMatching(/the banner on production was changed during the import/),
    );
    expect(bannerNow()).toEqual(theirs);
  });

  it('is put back where the import fails and the run waits for a person', async () => {
    at.target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      do: { error: { code: 400, message: 'Not today' } },
    });
    const { handle, record } = await at.sync(at.route(one, { banner, taskRun }));
    expect(record.status).toBe('parked');
    expect(bannersSent()).toEqual([banner.text, ofTheHouse.text]);
    expect(bannerNow()).toEqual(ofTheHouse);
    await taskSays(/parked, in import with .*portolan run resume \w+$/);
    expect(task.said(task.newest).status).toBe('executing');
    await at.cancel(handle);
    expect(task.said(task.newest).status).toBe('failed');
    expect(bannerNow()).toEqual(ofTheHouse);
  });

  itLong(
    'comes down, and nothing is imported, where the run is cancelled while it is being shown',
    async () => {
      at.target.faults.add({
        match: { operation: 'settings.update' },
        nth: 1,
        when: 'after',
        do: 'hold',
      });
      const handle = await at.start(at.route(one, { banner }));
      await until('the banner to be held', () => at.target.faults.holding > 0);
      expect(bannerNow()).toMatchObject({ text: banner.text });
      await at.askToEnd(handle, { who: 'a@b' });
      at.target.faults.release();
      const { record } = await at.over(handle);
      expect(record).toMatchObject({
        status: 'cancelled',
        target: 'untouched',
        banner: { status: 'back' },
      });
      expect(at.target.requests().filter(({ params }) => params['previewOnly'] === 'false').length).toBe(0);
      expect(bannerNow()).toEqual(ofTheHouse);
    },
  );

  itLong('that a terminated run left is not taken for the portal’s own', async () => {
    at.target.faults.add({ match: { operation: 'job' }, times: 40, do: { status: 503 } });
    const handle = await at.start(at.route(one, { banner }));
    await at.untilPhase(handle, 'wait-import');
    await handle.terminate();
    at.target.faults.clear();
    // Else the portal queue would check its holder within a minute only.
    const reason = ['--reason', 'terminated', '--config', at.config.path];
    const { status } = await inProcess([
      'queue',
      'release',
      'production/import',
      handle.workflowId,
      ...reason,
    ]);
    expect(status).toBe(0);
    expect((bannerNow() as BannerRecord).text).toBe(banner.text);
    const { record } = await at.sync(at.route({ items: [transportItems.csv], overwrite: true }, { banner }));
    expect(record.banner).toMatchObject({ before: ofTheHouse, status: 'back' });
    expect(bannerNow()).toEqual(ofTheHouse);
  });

  itLong('that the portal refuses is a warning, as is a task, and the import goes on', async () => {
    at.target.faults.add({ match: { operation: 'settings.update' }, do: { error: { code: 403 } } });
    const gone = { ...taskRun, taskId: 'gone' };
    const { record } = await at.sync(at.route(one, { banner, taskRun: gone }));
    expect(record.status).toBe('succeeded');
    expect(record.warnings).toContainEqual(
      expect.stringMatching(/^the banner was not shown on production: /),
    );
    expect(record.warnings).toContainEqual(
      expect.stringMatching(/^task gone of owner on production was not set to succeeded: /),
    );
  });
});
