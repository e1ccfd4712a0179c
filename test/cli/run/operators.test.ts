import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Client, WorkflowClient } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { findRun } from '../../../src/service/run/find-run';
import { showSheet } from '../../../src/cli/run/commands/show';
import { runTable } from '../../../src/service/run/run-sheet';
import { runPage, withQueues } from '../../../src/service/run/run-rows';
import { examineTemporal } from '../../../src/service/transfer/examination';
import { drawn } from '../../support/drawn';
import { packageState } from '../../../src/service/run/lookup/package-state';
import { readRun } from '../../../src/service/run/read-run';
import { startOptions } from '../../../src/service/run/start-run';
import { resolveRoute } from '../../../src/config/resolve-route';
import type { RunRecord, runRecord } from '../../../src/model/run/run';
import type { RunState } from '../../../src/model/run/run-state';
import { searchAttributeNames } from '../../../src/model/run/run-id';
import { manyGroupId } from '../../../src/simulator/seed/seeds';
import type { Simulator } from '../../../src/simulator/simulator';
import type { Store } from '../../../src/store/store';
import { workersOf } from '../../../src/temporal/task-queue';
import { Site } from '../../support/site';
import { until } from '../../support/until';
import { jsonOf } from '../../support/json';
import { query } from '../../support/query';
import { expectRefused } from '../../support/in-process';
import { typedIn } from '../../support/typed-in';
import { ends, northAndSouth } from '../../support/served-site';

let site: Site;
let source: Simulator;
let target: Simulator;

const { run, recordOf, expectRun } = typedIn(() => site.folder);
const show = (runId: string) => recordOf(`run show ${runId}`);

/** Stops the worker as if its process had ended: one whose process lives counts as up for a while. */
async function endWorker() {
  await site.stopWorker();
  jest.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
  });
}

const handleOf = (runId: string) => site.temporal.client.workflow.getHandle(runId);

/** Events in the run's history once nothing of it is under way; what was refused leaves none. */
async function eventsOf(runId: string) {
  const { historyLength } = await until(
    `${runId} to rest`,
    () => handleOf(runId).describe(),
    ({ raw }) => !raw.pendingWorkflowTask && !raw.pendingActivities?.length,
  );
  return historyLength;
}

const untilRun = (what: string, runId: string, isSo: (state: RunState) => boolean) =>
  until(`${runId} ${what}`, () => query<RunState>(handleOf(runId), 'state'), isSo);

/** What a list comes to: the index of Temporal tells a moment later how a run stands. */
const listedAs = (isSo: (stdout: string) => boolean, options = '') =>
  until(
    `run list ${options}`,
    () => run(`run list ${options}`),
    ({ stdout }) => isSo(stdout),
  );

beforeAll(async () => {
  const routes = { free: { ...ends, approval: 'none' }, asks: { ...ends, overwrite: true } };
  site = await Site.open({ ...northAndSouth, config: { routes } });
  ({ source, target } = site);
});
afterAll(() => site.close());

describe('a run', () => {
  /** Parked in its import, and one that waits for an approval. */
  let parked: string;
  let waiting: string;

  it('is found parked, and refuses unfit decisions', async () => {
    expect(await workersOf(site.temporal, site.config.temporal.taskQueue)).toHaveLength(1);
    site.refuseImports({ times: 1 });
    const [ended, asking] = await Promise.all([
      run('sync free --reason "ticket 12" --scheduled-by nightly'),
      recordOf('sync asks --no-wait'),
    ]);
    expect(ended.status).toBe(4);
    expect(ended.stdout).toMatch(
      /^PARKED after .* Target: unchanged\. Exit status 4\.\nwhy {6}PERMISSION_DENIED/,
    );
    const [, short = '?'] = /^resume {3}portolan run resume (\w+)$/m.exec(ended.stdout) ?? [];
    waiting = asking.runId;
    await untilRun('to wait', waiting, ({ status }) => status === 'waiting');
    const listed = jsonOf<{ runId: string }[]>(
      await listedAs((rows) => rows.includes('"import"'), '--route free --parked -o json'),
    );
    expect(listed).toMatchObject([{ route: 'free', status: 'parked', phase: 'import' }]);
    parked = listed[0]?.runId ?? '';
    expect(parked.endsWith(short)).toBe(true);

    const before = await eventsOf(waiting);
    const refusals: [string, number, string][] = [
      ['run cancel nothing-like-it --now', 10, 'No run "nothing-like-it".'],
      [`run resume ${parked} --set target.folder=a/b`, 2, 'target.folder: is not a folder id'],
      [`run resume ${waiting}`, 2, `${waiting} is waiting and is not parked.`],
      [`run reject ${parked}`, 2, 'the run is parked and does not wait for approval'],
      [`run approve ${waiting} --plan 0000`, 2, 'not 0000'],
      [`queue release south/import ${parked} --reason stuck`, 10, 'No run does.'],
    ];
    await Promise.all(refusals.map(([line, status, words]) => expectRefused(run(line), status, words)));
    expect(await eventsOf(waiting)).toBe(before);
  });

  it('is resumed once by two commands, and only if its guards pass', async () => {
    target.settings.readOnly = true;
    const refused = await run(`run resume ${parked}`);
    target.settings.readOnly = false;
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('error TARGET_READ_ONLY  ');
    await untilRun(
      'to have refused',
      parked,
      (state) => state.status === 'parked' && state.parked?.refusals === 1,
    );

    const two = await Promise.all([
      run(`run resume ${parked} --reason "the right is back"`),
      run(`run resume ${parked} --set jobDeadline=2h`),
    ]);
    expect(two.map(({ status }) => status).sort()).toEqual([0, 2]);
    const record = jsonOf<RunRecord>(await expectRun(`run watch ${parked} -o json`, 0));
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed', scheduledBy: 'nightly' });
    expect(record.actions).toMatchObject([
      { what: 'start', reason: 'ticket 12', identity: 'claimed' },
      { what: expect.stringMatching(/^resume/), identity: 'claimed' },
    ]);
    expect(site.imports()).toHaveLength(2);
    const [over] = await Promise.all([
      run(`run resume ${parked}`),
      listedAs((rows) => rows === 'No runs with status parked.\n', '--parked'),
    ]);
    expect(over.stderr).toContain(`${parked} has ended (succeeded) and is not parked.`);
  });

  it('has every decision in its history that it got while no worker was up [P18]', async () => {
    for (const { id } of source.world.items.filter(({ groups }) => groups.includes(manyGroupId)))
      source.world.items.change(id, { snippet: 'Counted again', modified: source.world.now() });
    site.refuseImports({ times: 1 });
    const { runId, status } = await recordOf('sync asks --yes');
    expect(status).toBe('parked');
    const asking = async () => {
      const { runId: asked } = await recordOf('sync asks --no-wait');
      // A run waits for its slots too, without a plan yet.
      return await untilRun(
        'to wait',
        asked,
        ({ status, plan }) => status === 'waiting' && plan !== undefined,
      );
    };
    const [approved, rejected] = await Promise.all([asking(), asking()]);
    await endWorker();
    try {
      await expectRun(
        `run show ${approved.runId}`,
        0,
        /^WAITING sync-asks-/,
        /^note +no worker is running; showing the last recorded state$/m,
      );

      for (const answer of [
        `approve ${approved.runId} --plan ${approved.plan?.hash}`,
        `approve ${approved.runId} --plan ${approved.plan?.hash}`,
        `reject ${rejected.runId} --reason "not tonight"`,
        `reject ${rejected.runId} --reason "not tonight"`,
        `cancel ${waiting}`,
        `resume ${runId} --set target.folder=f0000000000000000000000000000bad`,
      ])
        await expectRun(
          `run ${answer}`,
          0,
          'saved, but not yet received: no worker is running. See: portolan run ',
        );
      for (const [name, of] of [
        ['approve', approved],
        ['reject', rejected],
        ['cancel', { runId: waiting }],
        ['resume', { runId }],
      ] as const) {
        // Where the worker went with a task of the run in its hands, once the server has given that up.
        await until(
          `${name} in the history`,
          () => handleOf(of.runId).fetchHistory(),
          ({ events }) =>
            (events ?? []).some((each) => each.workflowExecutionSignaledEventAttributes?.signalName === name),
        );
      }
      await showsThatNoneHasTaken(approved.runId);
    } finally {
      jest.restoreAllMocks();
      await site.startWorker();
    }
    const over = async (of: string): Promise<RunRecord> => {
      await untilRun('to end', of, ({ finishedAt }) => finishedAt !== undefined);
      return await show(of);
    };
    const yes = await over(approved.runId);
    expect(yes.status).toBe('succeeded');
    expect(yes.warnings.filter((each) => each.includes('answer'))).toEqual([]);
    expect(yes.actions.filter(({ what }) => what === 'approve')).toHaveLength(1);
    const no = await over(rejected.runId);
    expect(no).toMatchObject({ status: 'cancelled', error: { code: 'REJECTED' } });
    expect(no.warnings.filter((each) => each.startsWith('reject: '))).toEqual([]);
    expect(no.actions.map(({ what }) => what)).toEqual(['start', 'reject']);
    expect(await over(waiting)).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } });
    await Promise.all([endsAsCancelled(rejected.runId, 'REJECTED'), endsAsCancelled(waiting, 'CANCELLED')]);
    // Nobody waited any more for the refusal, so the record says it.
    const refused = await untilRun('to refuse', runId, ({ parked: at }) => at?.refusals === 1);
    expect(refused.warnings.filter((each) => each.startsWith('resume: '))).toEqual([
      expect.stringContaining('a decision was refused: '),
    ]);
    expect(refused.actions.map(({ what }) => what)).toEqual(['start', 'approve']);
    await run(`run cancel ${runId}`);
    await untilRun('to end', runId, ({ finishedAt }) => finishedAt !== undefined);
  });

  it('shows its place in a portal queue, and gets a slot that was released', async () => {
    // Longer than the test: only who does not wait for it comes to an end.
    source.settings.jobMs = 600_000;
    const start = async () => (await recordOf('sync free --no-wait')).runId;
    const isWaiting = ({ phases }: RunState) =>
      phases.some(({ name, status }) => name === 'wait-export' && status === 'running');
    const first = await start();
    await untilRun('to wait for its export', first, isWaiting);
    const second = await start();
    await until(
      'the place of the second run in the queue',
      () => show(second),
      ({ queue }) => queue?.position !== undefined,
    );
    const inQueue = new RegExp(
      `^${second} .* running +export, number 1 in the portal queue north/export `,
      'm',
    );
    const [shown, queues] = await Promise.all([
      run(`run show ${second}`),
      run('queue list'),
      listedAs((rows) => inQueue.test(rows)),
    ]);
    expect(shown.stdout).toContain(
      `queue    number 1 in the portal queue north/export, slots held by ${first} for `,
    );
    expect(queues.stdout).toMatch(
      new RegExp(
        `^north/export +0 of 1 free +${first} +holds a slot .*\n +${second} +waiting, number 1$`,
        'm',
      ),
    );

    await expectRun(
      `queue release north/export ${first} --reason "its job hangs"`,
      0,
      `warning  ${first} continues. If its job still runs on north, the next export runs beside it.`,
    );
    await untilRun('to wait for its export', second, isWaiting);
    expect((await show(first)).actions).toContainEqual(
      expect.objectContaining({
        what: expect.stringContaining('release portal-queue'),
        reason: 'its job hangs',
        identity: 'claimed',
      }),
    );

    await expectRun(
      `run cancel ${second}`,
      0,
      'the export on north cannot be stopped; the run waits for it to finish',
    );
    for (const each of [first, second]) {
      await expectRun(
        `run cancel ${each} --now --reason enough`,
        0,
        'the export on north continues on the portal',
      );
      const record = jsonOf<RunRecord>(await expectRun(`run watch ${each} -o json`, 5));
      expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
      expect(record.leftRunning.join()).toContain('north');
    }
    await showsHowItEnded(second);
    await isFoundBeforeItIsListed(second);
  });

  it('shows what fails after an unfit deploy, how often, and what to do', async () => {
    const { temporal, config, store } = site;
    const { client, connection, namespace } = temporal;
    const bad = { ...config, temporal: { ...config.temporal, taskQueue: 'bad-deploy' } };
    const runId = 'sync-free-20991231T000000Z-badd';
    const route = resolveRoute(config, { route: 'free' });
    const options = startOptions('sync', bad, { route, startedBy: 'test' });
    const handle = await client.workflow.start('sync', { workflowId: runId, args: [{}], ...options });
    try {
      // By the configuration of another task queue it is neither shown nor answered, and keeps its packages.
      for (const line of [`run show ${runId}`, `run approve ${runId} --plan 0000`])
        await expectRefused(
          run(line),
          10,
          `${runId} belongs to task queue "bad-deploy", but this configuration`,
        );
      expect(await packageState(site, runId)).toBe('of others');
      const poll = { namespace, taskQueue: { name: 'bad-deploy' }, identity: 'bad@deploy' };
      const { taskToken } = await connection.withDeadline(Date.now() + 60_000, () =>
        client.workflowService.pollWorkflowTaskQueue(poll),
      );
      const message = '[TMPRL1100] Nondeterminism error: no command for the event';
      await client.workflowService.respondWorkflowTaskFailed({ namespace, taskToken, failure: { message } });
      const sources = { config: bad, store, temporal };
      const view = await until(
        'the second attempt',
        () => readRun(sources, runId),
        ({ failing }) => failing !== undefined,
      );
      const words = `workflow task failing (attempt 2): ${message}`;
      const todo = 'Deploy the version that started it';
      expect(view.workers).toEqual(['bad@deploy']);
      const shown = drawn(showSheet(view));
      expect(shown).toMatch(/^note +workflow task failing \(attempt 2\): .* The worker code does not match/m);
      expect(shown).toContain(todo);
      expect(shown).not.toContain('no worker responded');
      const { rows } = await until(
        'the run in the list',
        () => runPage(sources, { open: true }),
        (page) => page.rows.length === 1,
      );
      expect(drawn([runTable(await withQueues(sources, rows), { empty: '' })])).toContain(
        'workflow task failing (attempt 2)',
      );
      expect(await examineTemporal(bad, [])).toContainEqual({
        name: 'open runs',
        verdict: 'refuse',
        saw: `${runId}: ${words}`,
        todo: expect.stringContaining(todo),
      });
    } finally {
      await handle.terminate();
    }
  });

  it('shows why its start was refused', async () => {
    const runId = 'sync-free-20991231T000000Z-fake';
    const { client } = site.temporal;
    const { taskQueue } = site.config.temporal;
    const handle = await client.workflow.start('sync', {
      workflowId: runId,
      taskQueue,
      args: [{ startedBy: 'x' }],
    });
    await expect(handle.result()).rejects.toThrow();
    await expectRun(`run show ${runId}`, 0, /^FAILED /, 'NOT_AUTHENTIC');
  });
});

/** A run that was started as the given one was, while no worker is up. */
async function showsThatNoneHasTaken(like: string) {
  const { client } = site.temporal;
  const { memo, taskQueue } = await client.workflow.getHandle(like).describe();
  const kind = { key: defineSearchAttributeKey(searchAttributeNames.kind, 'KEYWORD'), value: 'sync' };
  const workflowId = 'sync-asks-20261121T011200Z-n0ne';
  const start = { workflowId, taskQueue, memo, typedSearchAttributes: [kind], args: [{}] };
  const started = await client.workflow.start('sync', start);
  try {
    const shown = await run(`run show ${workflowId}`);
    const note = 'waiting for a worker; no phase has started. Start one: portolan worker';
    expect(shown.stdout).toMatch(/^RUNNING /);
    expect(shown.stdout).toContain('\nworkers  none running; the run waits for one\n');
    expect(shown.stdout).toContain(`\nnote     ${note}\n`);
    expect(shown.stdout).toContain('The target is unchanged.');
  } finally {
    await started.terminate('test');
  }
}

/** A run that writes its end between the look at its record and the look at Temporal is not shown by Temporal's word. */
async function showsHowItEnded(runId: string) {
  const { config, store, temporal } = site;
  let looks = 0;
  const late: Store = Object.create(store, {
    readJson: {
      value: async (key: string, schema: typeof runRecord) => {
        const record = await store.readJson(key, schema);
        return (looks += 1) === 1 && record
          ? { ...record, status: 'running', finishedAt: undefined }
          : record;
      },
    },
  });
  const { record } = await readRun({ config, store: late, temporal }, runId);
  expect(record.status).toBe('cancelled');
}

/** In Temporal's own list too; what the run came to goes along, for whoever does not see its store. */
async function endsAsCancelled(runId: string, code: string) {
  const { config, store, temporal } = site;
  await until(
    `the end of ${runId}`,
    async () => (await handleOf(runId).describe()).status.name,
    (status) => status === 'CANCELLED',
  );
  const unseen: Store = Object.create(store, { readJson: { value: () => Promise.resolve(undefined) } });
  const { record, notes } = await readRun({ config, store: unseen, temporal }, runId);
  expect({ record, notes }).toMatchObject({
    record: { status: 'cancelled', target: 'untouched', error: { code } },
    notes: [],
  });
}

/** Whoever has the id of a run that was started this moment can go on with it: no list has it yet. */
async function isFoundBeforeItIsListed(runId: string) {
  const { config, store, temporal } = site;
  const list = { value: async function* () {} };
  const workflow: WorkflowClient = Object.create(temporal.client.workflow, { list });
  const client: Client = Object.create(temporal.client, { workflow: { value: workflow } });
  const unlisted = {
    config,
    store: Object.create(store, { list }) as Store,
    temporal: { ...temporal, client },
  };
  expect(await findRun(unlisted, runId)).toBe(runId);
  await expect(findRun(unlisted, 'nothing-like-it')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
}
