import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../../src/model/run/run';
import { scheduleId } from '../../../src/model/run/run-id';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import type { Simulator } from '../../../src/simulator/simulator';
import { itLong } from '../../support/long';
import type { Site } from '../../support/site';
import { until } from '../../support/until';
import { appItemId, appsGroupId, commandsIn, importsOn, itemsOn, openPipeline } from './a-pipeline';
import { expectEnd } from '../../support/in-process';

let site: Site;
const { run, json, recordOf, comesTo, entriesOf, configure, expectRun } = commandsIn(() => site);
let release: RunRecord['release'];
/** The run of a schedule, and its promotion that parks. */
let due: string;
let runId: string;

const promote = (stage: string, ...more: string[]) =>
  recordOf(`promote transport --to ${stage} --release latest:transport`, ...more);

const clear = ({ world }: Simulator) => {
  for (const { id } of [...world.items.values()]) world.items.remove(id);
};
const put = async ({ world }: Simulator, item: object) => {
  const app = { id: appItemId, title: 'Closures', type: 'Web Map', ...item };
  await new SeedBuilder(world).file(app, { operationalLayers: [] });
};
const apply = (schedules: object) => {
  configure({ schedules });
  return run('schedule apply --yes');
};
const trigger = async () => (await json<{ runId: string }>('schedule trigger to-staging')).runId;
/** Has the check of staging end with a status. */
const endCheckWith = (status: number) =>
  writeFileSync(
    path.join(site.folder, 'smoke.sh'),
    `#!/bin/sh\necho "$PORTOLAN_STAGE: map of the roads"; echo "password=planted" >&2; exit ${status}\n`,
    { mode: 0o755 },
  );

beforeAll(async () => {
  site = await openPipeline(
    {
      staging: { approval: 'none', checks: [{ command: './smoke.sh' }, { name: 'always', command: 'true' }] },
      live: { onFailure: 'rollback' },
    },
    { portals: { concurrency: { imports: 2 } } },
  );
  ({ release } = await recordOf('release create transport'));
});
afterAll(() => site.close());

describe('a promotion that fails', () => {
  it('writes nothing into any group if a row of one is blocked [P12]', async () => {
    await put(site.third, { owner: 'viewer', groups: [] });
    const { status, error } = await promote('live', '--yes');
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'PROMOTION_BLOCKED' });
    expect(error?.message).toMatch(/group "apps": Closures .*e7000000000000000000000000000001/);
    expect(itemsOn(site.third)).toEqual([appItemId]);
    clear(site.third);
  });

  it('parks with the state of each group and resumes with the missing one [P12]', async () => {
    endCheckWith(3);
    const [ofRoads = ''] = itemsOn(site.source).filter((id) => id !== appItemId);
    site.target.settings.failImport = [ofRoads];
    const weekly = { kind: 'promote', pipeline: 'transport', cron: '0 6 * * MON', paused: true };
    await expectEnd(
      apply({
        'to-staging': { ...weekly, stage: 'staging' },
        asks: { ...weekly, stage: 'live' },
      }),
      0,
      'promote transport, due 0 6 * * MON',
      'asks: pipelines.transport.stages.live has approval: ask, so each promotion waits for approval of its plan until the next one is due\n',
    );
    due = await trigger();
    runId = `${due.replace('promote', 'promotion')}_001`;
    const { parked, children } = await comesTo(runId, 'parked');
    expect(parked).toMatchObject({
      code: 'PROMOTION_FAILED',
      phase: 'import',
      evidence: [
        expect.stringMatching(/^group roads is neither as in the release nor as before: portolan run show /),
        expect.stringMatching(/^group apps is as in the release: portolan run show /),
      ],
    });
    expect(parked?.commands[0]).toBe('portolan promote rollback transport staging');
    expect(children?.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
      'apps succeeded',
      'roads partial',
    ]);
    site.target.settings.failImport = [];
    site.target.clearRequests();
    await run(`run resume ${runId}`);
    expect((await recordOf(`run watch ${runId}`)).parked?.phase).toBe('checks');
    const imports = importsOn(site.target);
    expect(imports.map(({ path }) => path)).toEqual([expect.stringContaining(emptyGroupId)]);
    expect(itemsOn(site.target)).toEqual(itemsOn(site.source));
  });

  it('stays unverified until every check passes, and records what checks print [P15]', async () => {
    expect(await recordOf(`run show ${runId}`)).toMatchObject({
      parked: {
        code: 'CHECK_FAILED',
        reason: '1 of 2 checks of staging failed: smoke.sh ended with exit status 3',
      },
      checks: [
        {
          name: 'smoke.sh',
          status: 'failed',
          tries: 1,
          output: { stdout: 'staging: map of the roads', stderr: 'password=***' },
        },
        { name: 'always', status: 'passed', output: {} },
      ],
    });
    await expectRun(
      `run show ${runId}`,
      0,
      /^smoke\.sh +failed .* ended with exit status 3$/m,
      /^\| staging: map of the roads$/m,
    );
    endCheckWith(0);
    await run(`run resume ${runId}`);
    expect(await recordOf(`run watch ${runId}`)).toMatchObject({ status: 'succeeded' });
    await expectRun('promote status transport', 0, /verified +ok +ok, 2 checks/);
  });

  it('is started once by a schedule, which then has nothing to do', async () => {
    expect(await comesTo(due, 'its end')).toMatchObject({
      kind: 'promote',
      status: 'succeeded',
      target: 'changed',
      scheduledBy: 'to-staging',
      release: { id: release?.id },
      children: [{ runId }],
    });
    expect(await recordOf(`run show ${runId}`)).toMatchObject({
      kind: 'promotion',
      parent: due,
      startedBy: 'schedule to-staging',
    });
    const again = await comesTo(await trigger(), 'its end');
    expect(again).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(again.phases[0]?.detail).toBe(
      `${release?.id} is the current release of staging, and dev has no later one`,
    );
  });

  it('is rolled back to the state before its first attempt', async () => {
    const { status, warnings } = await recordOf('promote rollback transport staging --yes');
    expect({ status, warnings }).toEqual({ status: 'succeeded', warnings: [] });
    expect(itemsOn(site.target)).toEqual([]);
  });

  itLong('is ended and rolled back by the command that it names first', async () => {
    expect((await promote('staging')).status).toBe('succeeded');
    const before = (await entriesOf('staging'))[0]?.release;
    const { world } = site.source;
    // An item of each group: the first is written, the second fails.
    for (const id of itemsOn(site.source))
      world.items.change(id, { snippet: 'of today', modified: world.now() });
    await recordOf('release create transport');
    site.target.settings.failImport = [appItemId];
    const { runId: failed, parked } = await promote('staging');
    site.target.settings.failImport = [];
    const ways = (await run(`run show ${failed}`)).stdout
      .split('\n\n')
      .find((part) => /^What you can do/.test(part));
    expect(ways?.replaceAll(failed.slice(-4), 'RUN').split('\n')).toEqual([
      'What you can do',
      'next     portolan promote rollback transport staging',
      '         ends this run and rolls back its changes',
      'or       portolan run resume RUN',
      '         continues with plan, approve, import, portal, checks, stage',
      'or       portolan run cancel RUN',
      '         ends the run; its changes stay',
    ]);
    const way = parked?.commands[0]?.replace('portolan ', '');
    expect(await recordOf(`${way} --yes`)).toMatchObject({ status: 'succeeded' });
    expect((await recordOf(`run show ${failed}`)).status).toBe('cancelled');
    expect((await entriesOf('staging'))[0]).toMatchObject({
      kind: 'rolled-back',
      status: 'verified',
      undoes: failed,
    });
    await expectRun('promote status transport --no-drift', 0, new RegExp(`release +\\S+ +${before} +-`));
    expect(itemsOn(site.target)).toEqual(itemsOn(site.source));
  });

  it('is rolled back at once if the stage says onFailure: rollback [P12]', async () => {
    site.third.settings.failImport = [appItemId];
    const { status, error, children } = await promote('live', '--yes');
    site.third.settings.failImport = [];
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'PROMOTION_FAILED' });
    expect(error?.message).toMatch(
      /^group "apps" on the stage differs from the release: 1 of its items not imported, 0 findings .*; the stage was rolled back/,
    );
    expect(children?.map(({ name, does }) => [name, does])).toContainEqual(['roads', 'undo']);
    await expectRun(
      'promote status transport --no-drift',
      0,
      /^next .* transport-\S+-\w{4} \(rolled back before\)$/m,
    );
    expect(itemsOn(site.third)).toEqual([]);
  });
});

describe('two promotions into one stage', () => {
  let first: RunRecord;
  let second: string;

  it('are queued, and the second waits for the first', async () => {
    first = await promote('live');
    expect(first.status).toBe('waiting');
    ({ runId: second } = await promote('live', '--no-wait'));
    const { queue } = await until(
      'the second to be queued',
      () => recordOf(`run show ${second}`),
      ({ queue: place }) => place?.position !== undefined,
    );
    expect(queue).toMatchObject({
      id: expect.stringMatching(/\/stage:transport\.live\/import$/),
      position: 1,
    });
    await expectRun(
      'promote status transport',
      0,
      new RegExp(`in progress .*${first.runId.slice(-4)} waiting`),
    );
  });

  it('ask again if the stage changed after the plan, and import no blocked release', async () => {
    const { runId: asked, plan } = first;
    await put(site.third, { groups: [appsGroupId], owner: 'admin', title: 'Closed' });
    await run(`run approve ${asked} --plan ${plan?.hash ?? ''}`);
    const again = await until(
      'another plan to wait for approval',
      () => site.record(asked),
      (record) => record?.status === 'waiting' && record.plan?.hash !== plan?.hash,
    );
    expect(again?.plan).toMatchObject({ create: 2, overwrite: 1 });
    await run('release block latest:transport --reason "wrong sums"');
    await run(`run approve ${asked} --plan ${again?.plan?.hash ?? ''}`);
    for (const blocked of [asked, second])
      expect(await comesTo(blocked, 'its end')).toMatchObject({
        status: 'failed',
        target: 'untouched',
        error: { code: 'RELEASE_BLOCKED', message: expect.stringMatching(/is blocked by .*: wrong sums$/) },
      });
    await run('release unblock latest:transport');
    expect(itemsOn(site.third)).toEqual([appItemId]);
  });
});

it('a frozen stage refuses promotions until it is unfrozen', async () => {
  await run('freeze transport/live --reason holidays');
  expect((await promote('live')).error).toMatchObject({
    code: 'PORTAL_FROZEN',
    message: expect.stringMatching(/stage transport\/live has been frozen by .*: holidays/),
  });
  await expectRun('promote status transport', 0, /frozen +- +- +by .*: holidays/);
  await expectRun('unfreeze transport/live', 0, /^unfrozen transport\/live; /);
  await expectRun('freeze transport/dev --reason x', 2);
});

describe('a schedule that promotes', () => {
  itLong('ends a promotion that nobody approved when the next one is due', async () => {
    const asks = { kind: 'promote', pipeline: 'transport', stage: 'live', cron: '0 6 * * MON' };
    await apply({ asks });
    const { client } = site.temporal;
    const schedule = client.schedule.getHandle(scheduleId(site.config.temporal.taskQueue, 'asks'));
    await schedule.update((before) => ({ ...before, spec: { intervals: [{ every: 1_000 }] } }));
    const { info } = await until(
      'two starts',
      () => schedule.describe(),
      ({ info: { numActionsTaken } }) => numActionsTaken >= 2,
    );
    await run('schedule pause asks --reason enough');
    const due = await comesTo(info.recentActions[0]?.action.workflow.workflowId ?? '', 'its end');
    expect(await recordOf(`run show ${due.children?.[0]?.runId ?? ''}`)).toMatchObject({
      kind: 'promotion',
      status: 'failed',
      target: 'untouched',
      error: {
        code: 'SUPERSEDED',
        message: expect.stringMatching(/^nobody approved plan \S+ before the next run, due at /),
      },
    });
  });
});
