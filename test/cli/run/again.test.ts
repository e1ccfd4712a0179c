import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { seekGroupRun } from '../../../src/service/run/find-run';
import { findParent } from '../../../src/service/run/parent-run';
import type { RunRecord } from '../../../src/model/run/run';
import { shortRunId } from '../../../src/model/run/run-id';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { keys } from '../../../src/store/keys';
import { type Ended as Run, Site } from '../../support/site';
import { jsonOf } from '../../support/json';
import { until } from '../../support/until';
import { expectRefused } from '../../support/in-process';
import { typedIn } from '../../support/typed-in';

const itemId = (number: number) => `c${number.toString(16).padStart(31, '0')}`;
const failing = itemId(2);

let site: Site;
/** A run whose import failed as a whole; its package is in the store. */
let failed: Run;

const { run, json, recordOf, expectRun } = typedIn(() => site.folder);
const idsOf = (list: NonNullable<RunRecord['items']>['failed'] | undefined) =>
  Array.isArray(list) ? list.map((entry) => entry.itemId).sort() : [];
const requests = () => site.source.requests().length + site.target.requests().length;

const exports = () => site.source.requests().filter(({ operation }) => operation === 'group.export').length;

beforeAll(async () => {
  site = await Site.open({
    listed: true,
    source: { seed: 'many', seedItems: 2 },
    target: { seed: 'empty', failing: [failing] },
    groups: { source: manyGroupId, target: emptyGroupId },
  });
  failed = await site.sync(undefined, { parks: false });
  expect(failed.record).toMatchObject({ status: 'failed', target: 'untouched' });
});
afterAll(() => site.close());

describe('run restart', () => {
  it('names reused and repeated work, and starts nothing without --yes', async () => {
    const before = requests();
    const shown = await run(`run restart ${failed.runId} --from upload`);
    const next = `portolan run restart ${shortRunId(failed.runId)} --from upload --yes`;
    expect(shown.status).toBe(2);
    expect(shown.stdout).toContain(`restarts ${failed.runId} (failed; target: unchanged; 2 failed)`);
    expect(shown.stdout).toContain(`reuses   package of ${failed.runId} in the store, `);
    expect(shown.stdout).toContain('redoes   guard, upload, preview, approve, ');
    expect(shown.stdout).toContain(`No run started. To start it: ${next}\n`);
    expect(requests()).toBe(before);
  });

  it('repeats the options of a run that Temporal has forgotten, or is refused', async () => {
    const runId = 'sync-transport-20260101T000000Z-qqqq';
    await site.store.writeJson(keys.record(runId), {
      ...failed.record,
      runId,
      temporal: { workflowId: runId, runId },
      package: { ...failed.record.package, of: failed.runId },
      corrected: { overwrite: true },
    });
    // What it was asked is neither in the store nor in Temporal: a whole group in place of some items is no restart.
    await expectRefused(
      run(`run restart ${runId} --from preview --yes`),
      2,
      `${runId} cannot be started again unchanged: neither the store at `,
    );

    const items = [itemId(1)];
    const input = { runId, startedBy: 'a@b', yes: true, route: site.route({}, { items }) };
    await site.store.writeJson(keys.start(runId), { execution: runId, workflowType: 'sync', input });
    const found = await seekGroupRun(site, runId);
    expect((await findParent(site, found)).route.options).toMatchObject({ items, overwrite: true });
    const given = '--request-id night-7 --reason "a night\'s work" --timeout 90s';
    expect(await json(`run restart ${runId} --from preview ${given}`)).toMatchObject({
      started: false,
      command: `portolan run restart qqqq --from preview --request-id night-7 --reason 'a night'\\''s work' --timeout 90s --yes`,
      reuses: [expect.stringContaining(`package of ${failed.runId} in the store`)],
      notes: [
        'with the corrections made when it was resumed: overwrite',
        'the uploaded item is no longer on production, so it is uploaded again',
      ],
    });

    // One approval would have to do for all imports of a bisect, and the route says that none does.
    const strict = { ...input, route: site.route({}, { approval: 'required' }) };
    await site.store.writeJson(keys.start(runId), { execution: runId, workflowType: 'sync', input: strict });
    await expectRefused(run(`run retry ${runId} --bisect --yes`), 2, 'requires approval of each plan');
    await site.store.remove(`runs/${runId}/`);
  });

  it.each([
    [10, 'restart zzzz --from upload --yes', 'No run "zzzz".'],
    [2, 'restart latest --from import', 'later phases need a fresh preview'],
    [2, 'restart latest --from download', 'Use --from export'],
  ])('exits with %i and starts nothing: %s', async (status, line, words) => {
    await expectRefused(run(`run ${line}`), status, words);
  });

  it('waits for the end in Temporal of a run that has recorded its end', async () => {
    const { config, store, temporal } = site;
    const { client } = temporal;
    const taskQueue = `${config.temporal.taskQueue}-nobody`;
    const runId = 'sync-transport-20260101T000000Z-wwww';
    const input = { runId, startedBy: 'a@b', yes: true, route: site.route() };
    const options = { workflowId: runId, taskQueue, args: [input] };
    const open = await client.workflow.start('sync', options);
    await site.store.writeJson(keys.record(runId), {
      ...failed.record,
      runId,
      temporal: { workflowId: runId, runId: open.firstExecutionRunId },
    });
    await site.store.writeJson(keys.start(runId), { execution: runId, workflowType: 'sync', input });
    const looks = jest.spyOn(client.workflow, 'getHandle');
    const ofNobody = { ...config, temporal: { ...config.temporal, taskQueue } };
    const sources = { config: ofNobody, store, temporal };
    const found = seekGroupRun(sources, runId).then((view) => findParent(sources, view));
    await until('it to be looked at', () => looks.mock.calls.length > 0);
    await open.terminate();
    expect(await found).toMatchObject({ open: false, record: { status: 'failed' } });
    looks.mockRestore();
    await site.store.remove(`runs/${runId}/`);
  });
});

describe('a parked run', () => {
  let parked: RunRecord;
  beforeAll(async () => {
    ({ record: parked } = await site.sync());
  });

  it('is not restarted while it is open, and the command that ends it is named', async () => {
    const { runId } = parked;
    await expectRefused(
      run(`run restart ${runId} --from guard --yes`),
      2,
      `${runId} is parked and has not ended`,
      `portolan run cancel ${shortRunId(runId)}`,
    );
  });

  it('is bisected if its import failed, and what failed is retried later', async () => {
    const words = expect.stringMatching(/^production ended the import job as "failed"; portal message: /);
    expect(parked).toMatchObject({ status: 'parked', importFailure: words });
    const [first] = parked.parked?.commands ?? [];
    expect(first).toBe(`portolan run retry ${shortRunId(parked.runId)} --bisect`);
    const before = exports();
    const bisected = await expectRun(
      `run retry ${parked.runId} --bisect --reason "ticket 7" -o json`,
      3,
      `ends ${parked.runId}, which is parked`,
      `retries 2 items of ${parked.runId}`,
    );
    const record = jsonOf<RunRecord>(bisected);
    expect(record).toMatchObject({ kind: 'bisect', status: 'partial', parent: parked.runId });
    // The run that was ended for it keeps the words of the portal, and is not imported as a whole once more.
    const { failed: open, unaccounted } = await site.ledger(parked.runId);
    expect(open.map(({ reason }) => reason)).toEqual([words, words]);
    expect(unaccounted).toEqual([]);
    expect(record.children?.map(({ items }) => items)).not.toContain(2);
    expect(record.actions[0]).toMatchObject({ what: 'start', reason: 'ticket 7' });
    expect(idsOf(record.items?.failed)).toEqual([failing]);
    expect(idsOf(record.items?.imported)).toEqual([itemId(1)]);
    expect(exports()).toBe(before);

    const shown = await expectRun(
      `run show ${record.runId}`,
      0,
      `${record.children?.length} child runs\n`,
      `exclude  portolan sync transport --exclude ${failing}\n`,
    );
    // A retry of the items at fault would fail again; what is named goes without them.
    expect(shown.stdout).not.toContain('portolan run retry');
    site.target.settings.failing = [];
    const retry = (of: string) => recordOf(`run retry ${of} --request-id night-1`);
    const [retried, same] = await Promise.all([retry(record.runId), retry(record.runId)]);
    // By then it is the latest one itself.
    const later = await retry('latest');
    expect([same.runId, later.runId]).toEqual([retried.runId, retried.runId]);
    expect(retried).toMatchObject({ kind: 'sync', status: 'succeeded', parent: record.runId });
    expect(idsOf(retried.items?.imported)).toEqual([failing]);
    expect(exports()).toBe(before);

    const nothing = await run(`run retry ${retried.runId}`);
    expect(nothing).toMatchObject({ status: 0, stdout: 'Nothing to retry.\n' });
  });
});

it('a failed run leaves its package to a restart, which exports nothing', async () => {
  const before = exports();
  for (const number of [1, 2]) site.target.world.items.remove(itemId(number));
  const restarted = await recordOf(`run restart ${failed.runId} --from preview --yes --reason again`);
  expect(restarted).toMatchObject({
    status: 'succeeded',
    parent: failed.runId,
    package: { of: failed.runId },
    actions: [{ what: 'start', reason: 'again' }],
  });
  expect(exports()).toBe(before);
});
