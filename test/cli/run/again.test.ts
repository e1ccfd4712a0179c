import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../../src/model/run/run';
import { shortRunId } from '../../../src/model/run/run-id';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { keys } from '../../../src/store/keys';
import { type Ended as Run, Rehearsal } from '../../support/rehearsal';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';

const itemId = (number: number): string => `c${number.toString(16).padStart(31, '0')}`;
const failing = itemId(2);

let rehearsal: Rehearsal;
/** A run whose import failed as a whole; its package is in the store. */
let failed: Run;

const run = (...args: string[]): Promise<Ended> => inProcess(['run', ...args], { cwd: rehearsal.folder });
const recordOf = ({ stdout }: Ended): RunRecord => JSON.parse(stdout) as RunRecord;
const idsOf = (list: NonNullable<RunRecord['items']>['failed'] | undefined): string[] =>
  Array.isArray(list) ? list.map((entry) => entry.itemId).sort() : [];
const requests = (): number => rehearsal.source.requests().length + rehearsal.target.requests().length;

beforeAll(async () => {
  rehearsal = await Rehearsal.open({
    listed: true,
    source: { seed: 'many', seedItems: 4 },
    target: { seed: 'empty', failing: [failing] },
    groups: { source: manyGroupId, target: emptyGroupId },
  });
  failed = await rehearsal.sync(undefined, { parks: false });
  expect(failed.record).toMatchObject({ status: 'failed', target: 'untouched' });
});
afterAll(() => rehearsal.close());

describe('a run that is to be done again', () => {
  it('is only shown without --yes: what is reused, what is redone, and the command, and no portal is asked', async () => {
    const before = requests();
    const shown = await run('restart', failed.runId, '--from', 'upload');
    const next = `portolan run restart ${shortRunId(failed.runId)} --from upload --yes`;
    expect(shown.status).toBe(2);
    expect(shown.stdout).toContain(`restarts ${failed.runId}  (failed, target: untouched; 4 failed)`);
    expect(shown.stdout).toContain(`reuses   package of ${failed.runId} in the store, `);
    expect(shown.stdout).toContain('redoes   guard, upload, preview, approve, ');
    expect(shown.stdout).toContain(`Nothing was done. To do it: ${next}\n`);
    expect(requests()).toBe(before);
  });

  it('says what is not there any more: the uploaded item, and what Temporal has forgotten', async () => {
    const runId = 'sync-transport-20260101T000000Z-qqqq';
    await rehearsal.store.writeJson(keys.record(runId), {
      ...failed.record,
      runId,
      temporal: { workflowId: runId, runId },
      package: { ...failed.record.package, of: failed.runId },
      corrected: { overwrite: true },
    });
    const shown = await run('restart', runId, '--from', 'preview', '-o', 'json');
    expect(JSON.parse(shown.stdout)).toMatchObject({
      started: false,
      reuses: [expect.stringContaining(`package of ${failed.runId} in the store`)],
      notes: [
        expect.stringContaining('Temporal no longer knows with which options'),
        'with what was corrected when it was resumed: overwrite',
        'the uploaded item is not on production any more: uploaded again',
      ],
    });
    await rehearsal.store.remove(`runs/${runId}/`);
  });

  it.each([
    [10, 'no run', ['restart', 'zzzz', '--from', 'upload', '--yes'], 'There is no run "zzzz"'],
    [10, 'no run', ['retry', 'zzzz'], 'There is no run "zzzz"'],
    [2, 'no phase', ['restart', 'latest', '--from', 'party'], 'There is no phase "party"'],
    [2, 'a later phase', ['restart', 'latest', '--from', 'import'], 'rests on a fresh one'],
    [2, 'the middle of an export', ['restart', 'latest', '--from', 'download'], 'Take --from export'],
    [2, 'nothing', ['restart', 'latest'], "required option '--from <phase>' not specified"],
  ])('ends with %i where it names %s, and starts nothing: %j', async (status, _, args, words) => {
    const before = requests();
    const ended = await run(...args);
    expect(ended).toMatchObject({ status, stdout: '' });
    expect(ended.stderr).toContain(words);
    expect(requests()).toBe(before);
  });

  it('is refused while it is open, with the command that ends it', async () => {
    const handle = await rehearsal.start(rehearsal.route({}, { approval: 'required' }));
    await rehearsal.waiting(handle);
    const before = requests();
    const words = [
      ['restart', handle.workflowId, '--from', 'guard', '--yes'],
      ['retry', handle.workflowId, '--yes'],
    ].map(async (args) => await run(...args));
    for (const ended of await Promise.all(words)) {
      expect(ended).toMatchObject({ status: 2, stdout: '' });
      expect(ended.stderr).toContain(`${handle.workflowId} is waiting and not over`);
      expect(ended.stderr).toContain(`portolan run cancel ${shortRunId(handle.workflowId)}`);
    }
    expect(requests()).toBe(before);
    await rehearsal.askToEnd(handle, { who: 'a@b' });
    await rehearsal.ended(handle);
    // One yes would have to do for all imports of a bisect, and the route says that none does.
    const bisect = await run('retry', handle.workflowId, '--bisect', '--yes');
    expect(bisect).toMatchObject({ status: 2, stdout: '' });
    expect(bisect.stderr).toContain('requires an approval of each plan');
  });
});

describe('the items that a whole import failed with', () => {
  it('are found from a parked run by the command that it names first, which imports the others', async () => {
    const { record: parked } = await rehearsal.sync();
    const words = expect.stringMatching(/^production ended the import job as "failed"; the portal's words: /);
    expect(parked).toMatchObject({ status: 'parked', importFailure: words });
    const [first] = parked.parked?.commands ?? [];
    expect(first).toBe(`portolan run retry ${shortRunId(parked.runId)} --bisect`);
    const exports = (): number =>
      rehearsal.source.requests().filter(({ operation }) => operation === 'group.export').length;
    const before = exports();
    const bisected = await run('retry', parked.runId, '--bisect', '--reason', 'ticket 7', '-o', 'json');
    const record = recordOf(bisected);
    expect(bisected.status).toBe(3);
    expect(bisected.stderr).toContain(`ends ${parked.runId}, which is parked`);
    expect(bisected.stderr).toContain(`retries 4 items of ${parked.runId}`);
    expect(record).toMatchObject({ kind: 'bisect', status: 'partial', parent: parked.runId });
    // The run that was ended for it keeps the words of the portal, and is not imported as a whole once more.
    const { failed: open, unaccounted } = await rehearsal.ledger(parked.runId);
    expect(open.map(({ reason }) => reason)).toEqual(Array.from({ length: 4 }, () => words));
    expect(unaccounted).toEqual([]);
    expect(record.children?.map(({ items }) => items)).not.toContain(4);
    expect(record.actions[0]).toMatchObject({ what: 'start', reason: 'ticket 7' });
    expect(idsOf(record.items?.failed)).toEqual([failing]);
    expect(idsOf(record.items?.imported)).toEqual([1, 3, 4].map(itemId));
    expect(exports()).toBe(before);

    const shown = await run('show', record.runId);
    expect(shown.stdout).toContain(`RUNS     ${record.children?.length} imports`);
    // A retry of the items at fault would fail again; what is named goes without them.
    expect(shown.stdout).not.toContain('portolan run retry');
    const without = `sync transport --exclude ${failing}`;
    expect(shown.stdout).toContain(`without  portolan ${without}\n`);
    const left = await inProcess([...without.split(' '), '-o', 'json'], { cwd: rehearsal.folder });
    expect(left.status).toBe(0);
    expect(recordOf(left).items).toMatchObject({
      skipped: [{ itemId: failing, reason: 'excluded by its id' }],
      failed: [],
    });

    rehearsal.target.settings.failing = [];
    const retried = await run('retry', record.runId, '-o', 'json');
    expect(retried.status).toBe(0);
    expect(recordOf(retried)).toMatchObject({ kind: 'sync', status: 'succeeded', parent: record.runId });
    expect(idsOf(recordOf(retried).items?.imported)).toEqual([failing]);
    expect(exports()).toBe(before + 1);

    const nothing = await run('retry', recordOf(retried).runId);
    expect(nothing).toMatchObject({ status: 0, stdout: 'nothing to retry\n' });
  });
});
