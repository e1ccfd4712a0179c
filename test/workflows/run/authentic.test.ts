import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageNames } from '../../../src/model/run/run-input';
import type { RouteOptions } from '../../../src/model/transfer/route';
import type { RunState } from '../../../src/model/run/run-state';
import { runRecord } from '../../../src/model/run/run';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Secret } from '../../../src/secrets/secret';
import { keys } from '../../../src/store/keys';
import { approveRun } from '../../../src/service/run/send-decision';
import { signed, signedStart } from '../../support/control';
import { type ForeignCall, callAsForeigner } from './foreign-workflow';
import { scheduledTask } from '../../support/scheduled-task';
import { until } from '../../support/until';
import { type Ended, Site } from '../../support/site';
import { query } from '../../support/query';

let at: Site;
let ended: Ended;
beforeAll(async () => {
  at = await Site.open();
  const { runId, record } = await at.sync(at.route({ items: [transportItems.pdf] }));
  expect(record.status).toBe('succeeded');
  // Foreign workflows will have the same ID.
  const handle = at.temporal.client.workflow.getHandle(runId, record.temporal.runId);
  ended = { runId, record, handle };
});
afterAll(() => at.close());

/** A run that waits for approval to create an item, which is missing on the target. */
async function startWaiting(options: Partial<RouteOptions> = {}) {
  at.target.world.items.remove(transportItems.pdf);
  return await at.start(at.route({ items: [transportItems.pdf] }, { approval: 'required', ...options }));
}

const requests = () => at.source.requests().length + at.target.requests().length;

const call = (activity: string, input: unknown, as: Partial<ForeignCall> = {}) => {
  const { namespace, taskQueue } = at.config.temporal;
  return callAsForeigner(at.temporal, { namespace, taskQueue, activity, input, ...as });
};

/** Starts a sync as any client of Temporal can. @returns the message that it failed with */
const startAsForeigner = (workflowId: string, ...args: unknown[]) =>
  refusalOf(
    at.temporal.client.workflow.execute('sync', {
      workflowId,
      taskQueue: at.config.temporal.taskQueue,
      args,
    }),
  );

/** The message of the innermost cause. */
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (thrown: Error) => {
      let cause = thrown;
      while (cause.cause instanceof Error) cause = cause.cause;
      return cause.message;
    },
  );

describe('activity', () => {
  it.each([
    ['an ID of its own', /^NOT_AUTHENTIC: .* was not accepted by this version with this store$/],
    ['the ID of an ended run', /^NOT_AUTHENTIC: .* ended at .*$/],
  ])('does nothing for a foreign workflow under %s [P14]', async (as, notAccepted) => {
    const { runId } = ended;
    const workflowId = as.includes('run') ? runId : undefined;
    const portal = { name: 'production', username: 'owner', recycleBin: false, addresses: [] };
    const planRef = keys.plan(runId, 1);
    const before = requests();
    for (const [activity, input] of [
      ['removePackages', { runId, portal, known: [transportItems.pdf], parts: 1 }],
      ['takeAway', { runId, route: at.route(), target: portal, planRef }],
      ['tidyStore', { runId, keepMs: 0 }],
      ['notify', { runId, route: { name: 'transport' }, event: 'failed' }],
      ['admitStart', { workflowId: runId, workflowType: 'sync', execution: '', input: {} }],
      ['admitAnswer', { workflowId: runId, name: messageNames.approve, message: {} }],
      ['signPart', { runId: `${runId}.1` }],
      ['saveRecord', ended.record],
      ['getWorkerView', {}],
    ] as const)
      expect(await call(activity, input, { workflowId })).toMatch(notAccepted);
    const watch = { workflowId, workflowType: 'watchAge' };
    expect(await call('notify', { about: 'age' }, watch)).toMatch(/^NOT_AUTHENTIC: .* not signed/);
    const delivery = { workflowId, workflowType: 'delivery' };
    expect(await call('deliver', { receiver: 'notify.0' }, delivery)).toMatch(/^NOT_AUTHENTIC: /);
    expect(at.target.world.items.has(transportItems.pdf)).toBe(true);
    expect(requests()).toBe(before);
  });
});

describe('start of a run', () => {
  it('is refused before any portal request if repeated, forged or unsigned [P14]', async () => {
    const { runId, handle, record } = ended;
    const before = requests();
    const { events } = await handle.fetchHistory();
    const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const copied = JSON.parse(Buffer.from(payload?.data ?? []).toString()) as Record<string, unknown>;
    const usedBefore = 'the start has been used before';
    const { proof: _proof, ...unsigned } = copied;
    const forged = 'sync-transport-forged';
    for (const [workflowId, input, refusal] of [
      [runId, copied, usedBefore],
      [forged, copied, 'the start belongs to another run'],
      [`${forged}-2`, { ...copied, runId: `${forged}-2` }, /signed .* for another run, or was modified$/],
      [`${forged}-3`, { ...unsigned, runId: undefined }, 'the start is not signed'],
      [`${forged}-4`, [1], 'the start is not signed'],
      [`${forged}-5`, null, 'the start is not signed'],
    ] as const)
      expect(await startAsForeigner(workflowId, input)).toMatch(refusal);

    const first = events?.find(({ workflowTaskCompletedEventAttributes: done }) => done);
    const reset = await at.temporal.client.workflowService.resetWorkflowExecution({
      namespace: at.config.temporal.namespace,
      requestId: runId,
      reason: 'once more',
      workflowTaskFinishEventId: first?.eventId,
      workflowExecution: { workflowId: runId, runId: record.temporal.runId },
    });
    const again = at.temporal.client.workflow.getHandle(runId, reset.runId);
    expect(await refusalOf(again.result())).toBe(usedBefore);
    expect(requests()).toBe(before);

    const refused = { what: 'start refused', identity: 'claimed' };
    expect(await at.store.readJson(keys.record(runId), runRecord)).toMatchObject({
      status: 'succeeded',
      actions: [{ what: 'start' }, ...Array(2).fill(refused)],
    });
    for (const id of [forged, ...[2, 3, 4, 5].map((number) => `${forged}-${number}`)])
      expect(await at.store.readJson(keys.record(id), runRecord)).toMatchObject({
        status: 'failed',
        target: 'untouched',
        error: { code: 'NOT_AUTHENTIC', hint: expect.stringContaining('control.key') },
        actions: [refused],
      });
  });

  it('gives a run no memory of an earlier execution [P14]', async () => {
    const known = await query<RunState>(ended.handle, messageNames.state);
    const state = { ...known, warnings: ['planted'] };
    const runId = 'sync-transport-planted';
    const route = at.route({ items: [transportItems.pdf] });
    const start = await signedStart(at.config, 'sync', { runId, route, startedBy: 'test', yes: false });
    const memory = { state, at: 'verify', facts: {}, answers: {}, heard: [], own: { packages: [] } };
    expect(await startAsForeigner(runId, start, memory)).toBe('taken');
    const { record } = await at.ended(at.handle(runId));
    expect(record).toMatchObject({ runId, status: 'nothing-to-do' });
    expect(record.warnings).not.toContain('planted');
    expect(record.phases[0]).toMatchObject({ name: 'guard', status: 'done', attempts: 1 });
  });
});

describe('decision', () => {
  it('counts only if signed for this run and not used; refusals are noted [P14]', async () => {
    const handle = await startWaiting();
    const { approve, cancel, slotReleased, reject, supersede } = messageNames;
    const early = await signed(at.config, handle, reject, { who: 'ann@desk' });
    await expect(at.send(handle, reject, early)).rejects.toThrow('does not wait for approval');
    const { plan } = await at.waiting(handle);
    const yes = { hash: plan?.hash ?? '', sha256: plan?.sha256, who: 'gislead@desk' };
    const send = (message: object, name: string = approve) => refusalOf(at.send(handle, name, message));
    expect(await send({ ...(await signed(at.config, handle, approve, yes)), who: 'ann@desk' })).toMatch(
      /was modified$/,
    );
    expect(await send(await signed(at.config, ended.handle, approve, yes))).toMatch(/for another run/);
    expect(await send(await signed(at.config, handle, approve, yes), reject)).toMatch(/was signed with/);
    const queueId = 'portal-queue/q/production/import';
    for (const [name, message] of [
      [approve, yes],
      [approve, null],
      [approve, { ...yes, sha256: '0'.repeat(64) }],
      [cancel, { who: 'ann@desk' }],
      [reject, { who: 'ann@desk' }],
      [reject, early],
      [supersede, { by: 'another run' }],
      [slotReleased, { queueId, who: 'ann@desk', reason: 'theirs' }],
    ] as const)
      await handle.signal(name, message);
    const refusals = ({ warnings }: RunState) => warnings.filter((each) => each.includes(' a decision was '));
    const state = await until(
      'the refusals',
      () => at.state(handle),
      (seen) => refusals(seen).length === 8 || seen.status !== 'waiting',
    );
    expect(state).toMatchObject({ status: 'waiting', target: 'untouched' });
    // Signals that come together are heard together.
    expect(refusals(state).sort()).toEqual(
      [
        'approve: a decision was refused: it cannot be read',
        'reject: a decision was refused: it was used before',
        'reject: a decision was refused: the run is running and does not wait for approval',
        ...['approve', 'cancel', 'reject', 'release', 'supersede'].map(
          (name) => `${name}: a decision was refused: it is not authentic`,
        ),
      ].sort(),
    );
    expect(state.actions.map(({ what }) => what)).toEqual(['start']);

    // Repeated after a passing failure, it counts once.
    const { createdFile: file = '' } = at.config.control.key;
    const key = readFileSync(file, 'utf8');
    const copy = `${file}.copy`;
    writeFileSync(copy, key);
    const config = { ...at.config, control: { key: new Secret({ created: copy }) } };
    const as = { config, temporal: at.temporal, asker: { who: 'ann@desk', identity: 'claimed' as const } };
    const decide = () => approveRun(as, handle.workflowId, { hash: yes.hash, sha256: yes.sha256 });
    writeFileSync(file, 'the worker has another key for now');
    try {
      await expect(decide()).rejects.toMatchObject({ code: 'NOT_AUTHENTIC' });
    } finally {
      writeFileSync(file, key);
    }
    const delivered = { taken: true, answer: `plan ${yes.hash} has been approved` };
    expect(await Promise.all([decide(), decide()])).toEqual([delivered, delivered]);
    const { record } = await at.over(handle);
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.actions).toMatchObject([
      { what: 'start' },
      { what: 'approve', who: 'ann@desk', identity: 'claimed' },
    ]);
  });

  it('is refused as a rejection once the plan was approved', async () => {
    const { id: taskId } = scheduledTask(at.target);
    const taskRun = { portal: 'production', url: at.target.url, username: 'owner', taskId };
    const handle = await startWaiting({ taskRun });
    // Until the task was told that the run waits, the run acts upon no answer.
    at.target.faults.add({ match: { operation: 'taskRun.update' }, nth: 2, do: 'hold' });
    await until('the word to the task', () => at.target.faults.holding === 1);
    await at.approve(handle);
    await expect(at.answer(handle, messageNames.reject, { who: 'ann@desk' })).rejects.toThrow(
      'a@b has approved the plan',
    );
    at.target.faults.clear();
    expect((await at.over(handle)).record.status).toBe('succeeded');
  });

  it('is refused as an approval while the run is being cancelled', async () => {
    const handle = await startWaiting();
    await at.waiting(handle);
    at.target.faults.add({ match: { operation: 'item.delete' }, nth: 1, do: 'hold' });
    await at.askToEnd(handle, { who: 'a@b', reason: 'enough' });
    await until('its cleanup', () => at.target.faults.holding === 1);
    await expect(at.approve(handle).finally(() => at.target.faults.clear())).rejects.toThrow(
      'is being cancelled',
    );
    expect((await at.over(handle)).record.status).toBe('cancelled');
  });
});
