import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import type { Delivery } from '../../../src/contract/delivery';
import { messageNames } from '../../../src/model/run/run-input';
import type { RunState } from '../../../src/model/run/run-state';
import type { Route } from '../../../src/model/transfer/route';
import { runRecord } from '../../../src/model/run/run';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Secret } from '../../../src/secrets/secret';
import { keys } from '../../../src/store/keys';
import { approveRun, rejectRun } from '../../../src/service/run/send-decision';
import { findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';
import { signed, signedStart } from '../../support/control';
import { type ForeignCall, callAsForeigner } from '../../support/foreign-workflow';
import { until } from '../../support/until';
import { type Ended, Rehearsal } from '../../support/rehearsal';

let at: Rehearsal;
let ended: Ended;
beforeAll(async () => {
  at = await Rehearsal.open();
  ended = await at.sync(at.route({ items: [transportItems.pdf] }));
  expect(ended.record.status).toBe('succeeded');
});
afterAll(() => at.close());

/** A route whose sync overwrites an item, which was edited on the target, and needs an approval. */
function asked(): Route {
  at.target.world.items.change(transportItems.pdf, { snippet: 'Edited here' });
  return at.route({ items: [transportItems.pdf], overwrite: true }, { approval: 'required' });
}

/** The input of a run as Temporal shows it to everybody. */
async function inputOf(handle: WorkflowHandle): Promise<string> {
  const { events } = await handle.fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return Buffer.from(payload?.data ?? []).toString();
}

const requests = (): number => at.source.requests().length + at.target.requests().length;

const call = (activity: string, input: unknown, as: Partial<ForeignCall> = {}): Promise<string> => {
  const { namespace, taskQueue } = at.config.temporal;
  return callAsForeigner(at.temporal, { namespace, taskQueue, activity, input, ...as });
};
/** A run that Temporal's own command line starts; ends with the words that it failed with. */
async function startedByHand(workflowId: string, input: string): Promise<string> {
  const { address, namespace, taskQueue } = at.config.temporal;
  const where = ['--address', address, '--namespace', namespace];
  const what = ['--type', 'sync', '--task-queue', taskQueue, '--workflow-id', workflowId, '--input', input];
  await promisify(execFile)((await findTemporalCli()).path, ['workflow', 'start', ...where, ...what]);
  const handle = at.temporal.client.workflow.getHandle(workflowId);
  return await refusalOf(handle.result());
}

/** The innermost words, which whoever wrote them meant. */
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (thrown: Error) => {
      let cause = thrown;
      while (cause.cause instanceof Error) cause = cause.cause;
      return cause.message;
    },
  );

describe('a workflow that somebody else makes up', () => {
  it.each([
    ['an id of its own', /^NOT_AUTHENTIC: .* was not accepted by this version with this store$/],
    ['the id of a run that is over', /^NOT_AUTHENTIC: .* ended at .*$/],
  ])(
    'under %s has nothing let in, signed, removed, written or sent by our worker [P14]',
    async (as, notAccepted) => {
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
    },
  );
});

describe('a run that is over', () => {
  it('stays over where its history is begun anew: nothing is imported again [P14]', async () => {
    const { namespace } = at.config.temporal;
    const { workflowId } = ended.handle;
    const before = requests();
    const { events } = await ended.handle.fetchHistory();
    const first = events?.find(({ workflowTaskCompletedEventAttributes: done }) => done);
    const reset = await at.temporal.client.workflowService.resetWorkflowExecution({
      namespace,
      requestId: workflowId,
      reason: 'once more',
      workflowTaskFinishEventId: first?.eventId,
      workflowExecution: { workflowId, runId: ended.record.temporal.runId },
    });
    const again = at.temporal.client.workflow.getHandle(workflowId, reset.runId);
    await expect(again.result()).rejects.toThrow();
    expect(requests()).toBe(before);
    expect(await at.store.readJson(keys.record(workflowId), runRecord)).toMatchObject({
      status: 'succeeded',
      actions: [{ what: 'start' }, { what: 'start refused', reason: 'the start has been used before' }],
    });
  });
});

describe('a run that was started with an input copied from history', () => {
  it('ends refused under every id, with no request to a portal, and its record says so [P14]', async () => {
    const copied = await inputOf(ended.handle);
    const before = requests();
    expect(await startedByHand(ended.runId, copied)).toBe('the start has been used before');
    const forged = 'sync-transport-forged';
    expect(await startedByHand(forged, copied)).toBe('the start belongs to another run');
    const renamed = copied.replace(ended.runId, `${forged}-2`);
    expect(await startedByHand(`${forged}-2`, renamed)).toMatch(
      /signed .* for another run, or was modified$/,
    );
    const { proof: _proof, ...bare } = JSON.parse(renamed) as Record<string, unknown>;
    const unsigned = JSON.stringify({ ...bare, runId: undefined });
    expect(await startedByHand(`${forged}-3`, unsigned)).toBe('the start is not signed');
    expect(await startedByHand(`${forged}-4`, '[1]')).toBe('the start is not signed');
    expect(await startedByHand(`${forged}-5`, 'null')).toBe('the start is not signed');
    expect(requests()).toBe(before);

    const records = [ended.runId, forged, `${forged}-2`, `${forged}-3`, `${forged}-4`, `${forged}-5`].map(
      (runId) => at.store.readJson(keys.record(runId), runRecord),
    );
    const [own, ...others] = await Promise.all(records);
    const refused = { what: 'start refused', identity: 'claimed' };
    expect(own).toMatchObject({ status: 'succeeded', actions: [{ what: 'start' }, refused, refused] });
    for (const record of others)
      expect(record).toMatchObject({
        status: 'failed',
        target: 'untouched',
        error: { code: 'NOT_AUTHENTIC', hint: expect.stringContaining('control.key') },
        actions: [refused],
      });
  });
});

describe('a run whose starter gives it what only an execution before it could have', () => {
  it('begins at its first phase and knows nothing of it [P14]', async () => {
    const known = await at.temporal.client.workflow
      .getHandle(ended.runId)
      .query<RunState>(messageNames.state);
    const state = { ...known, warnings: ['planted'] };
    const runId = 'sync-transport-planted';
    const route = at.route({ items: [transportItems.pdf] });
    const start = await signedStart(at.config, 'sync', { runId, route, startedBy: 'test', yes: false });
    const handle = await at.temporal.client.workflow.start('sync', {
      workflowId: runId,
      taskQueue: at.config.temporal.taskQueue,
      args: [start, { state, at: 'verify', facts: {}, answers: {}, heard: [], own: { packages: [] } }],
    });
    const { record } = await at.ended(handle);
    expect(record).toMatchObject({ runId, status: 'nothing-to-do' });
    expect(record.warnings).not.toContain('planted');
    expect(record.phases[0]).toMatchObject({ name: 'guard', status: 'done', attempts: 1 });
  });
});

describe('an answer', () => {
  it('that is unsigned, altered or for another run is refused and noted, and the signed one counts [P14]', async () => {
    const route = asked();
    const handle = await at.start(route);
    const { plan } = await at.waiting(handle);
    const { approve, cancel, slotReleased, reject, supersede } = messageNames;
    const yes = { hash: plan?.hash ?? '', sha256: plan?.sha256, who: 'gislead@desk' };
    const send = (message: object, name: string = approve): Promise<string> =>
      refusalOf(at.send(handle, name, message));
    await handle.signal(approve, yes);
    await handle.signal(approve, null);
    expect(await send({ ...(await signed(at.config, handle, approve, yes)), who: 'ann@desk' })).toMatch(
      /was modified$/,
    );
    expect(await send(await signed(at.config, ended.handle, approve, yes))).toMatch(/for another run/);
    expect(await send(await signed(at.config, handle, approve, yes), reject)).toMatch(/was signed with/);
    await handle.signal(cancel, { who: 'ann@desk' });
    await handle.signal(reject, { who: 'ann@desk' });
    await handle.signal(approve, { ...yes, sha256: '0'.repeat(64) });
    await handle.signal(supersede, { by: 'a word of somebody else' });
    await handle.signal(slotReleased, {
      queueId: 'portal-queue/q/production/import',
      who: 'ann@desk',
      reason: 'theirs',
    });
    const heard = ({ warnings }: RunState): string[] =>
      warnings.filter((each) => each.includes(' a decision was '));
    const state = await until(
      'the signal',
      () => at.state(handle),
      (seen) => heard(seen).length === 6,
    );
    expect(state).toMatchObject({ status: 'waiting', target: 'untouched' });
    // Signals that come together are heard together.
    expect(heard(state).sort()).toEqual(
      [
        'approve: a decision was refused: it cannot be read',
        ...['approve', 'cancel', 'reject', 'release', 'supersede'].map(
          (name) => `${name}: a decision was refused: it is not authentic`,
        ),
      ].sort(),
    );
    expect(state.actions.map(({ what }) => what)).toEqual(['start']);

    expect(await send(await signed(at.config, handle, approve, yes))).toBe('taken');
    const { record } = await at.over(handle);
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.actions).toMatchObject([
      { what: 'start' },
      { what: 'approve', who: 'gislead@desk', identity: 'claimed' },
    ]);
  });
});

describe('an answer that was refused', () => {
  it('does not count when somebody sends it again once it fits [P14]', async () => {
    const route = asked();
    const handle = await at.start(route);
    const { reject } = messageNames;
    const no = await signed(at.config, handle, reject, { who: 'ann@desk' });
    await expect(at.send(handle, reject, no)).rejects.toThrow('does not wait for approval');
    await at.waiting(handle);
    await handle.signal(reject, no);
    const refused = 'reject: a decision was refused: it was used before';
    await until(
      'the repeat',
      () => at.state(handle),
      ({ warnings, status }) => warnings.includes(refused) || status !== 'waiting',
    );
    expect((await at.state(handle)).status).toBe('waiting');
    await at.cancel(handle);
  });
});

describe('a run that is being cancelled', () => {
  it('takes no approval', async () => {
    const route = asked();
    const handle = await at.start(route);
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

describe('an answer that failed for a reason that has passed', () => {
  it.each([
    ['approve', 'ann@desk', 'succeeded'],
    ['reject', 'ann@desk', 'cancelled'],
    ['reject', 'bob@desk', 'cancelled'],
  ] as const)('counts when it is given again, and once: %s by %s', async (what, who, status) => {
    const route = asked();
    const handle = await at.start(route);
    const { plan } = await at.waiting(handle);
    const { hash = '', sha256 } = plan ?? {};
    const { control } = at.config;
    const { createdFile: file = '' } = control.key;
    const key = readFileSync(file, 'utf8');
    const copy = `${file}.copy`;
    writeFileSync(copy, key);
    const answered = (by: string): Promise<Delivery> => {
      const config = { ...at.config, control: { key: new Secret({ created: copy }) } };
      const as = { config, temporal: at.temporal, asker: { who: by, identity: 'claimed' as const } };
      const { workflowId } = handle;
      return what === 'approve'
        ? approveRun(as, workflowId, { hash, sha256 })
        : rejectRun(as, workflowId, {});
    };
    writeFileSync(file, 'the worker has another key for now');
    try {
      await expect(answered('ann@desk')).rejects.toMatchObject({ code: 'NOT_AUTHENTIC' });
    } finally {
      writeFileSync(file, key);
    }
    const answer = what === 'approve' ? `plan ${hash} has been approved` : 'the plan has been rejected';
    expect(await Promise.all([answered(who), answered(who)])).toEqual([
      { taken: true, answer },
      { taken: true, answer },
    ]);
    const { record } = await at.over(handle);
    expect(record.status).toBe(status);
    expect(record.actions.filter((each) => each.what === what)).toMatchObject([{ who }]);
  });
});
