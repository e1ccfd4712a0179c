import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runRecord } from '../../../src/model/run/run';
import { transportItems } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import { type ForeignCall, callAsForeigner } from '../../support/foreign-workflow';
import { type Ended, Rehearsal } from '../../support/rehearsal';

let at: Rehearsal;
let ended: Ended;
beforeAll(async () => {
  at = await Rehearsal.open();
  ended = await at.sync(at.route({ items: [transportItems.pdf] }));
  expect(ended.record.status).toBe('succeeded');
});
afterAll(() => at.close());

const call = (activity: string, input: unknown, as: Partial<ForeignCall> = {}): Promise<string> => {
  const { namespace, taskQueue } = at.config.temporal;
  return callAsForeigner(at.temporal, { namespace, taskQueue, activity, input, ...as });
};
const requests = (): number => [...at.source.requests(), ...at.target.requests()].length;

describe('a workflow that somebody else makes up', () => {
  it.each(['an id of its own', 'the id of a run that is over'])(
    'under %s has nothing removed, written or sent by our worker',
    async (as) => {
      const { runId } = ended;
      const workflowId = as.includes('run') ? runId : undefined;
      const portal = { name: 'production', username: 'owner', recycleBin: false, addresses: [] };
      const planRef = keys.plan(runId, 1);
      const before = requests();
      for (const [activity, input] of [
        ['removePackages', { runId, portal, known: [transportItems.pdf] }],
        ['takeAway', { runId, route: at.route(), target: portal, planRef }],
        ['tidyStore', { runId, keepMs: 0 }],
        ['notify', { runId, route: { name: 'transport' }, event: 'failed' }],
      ] as const)
        expect(await call(activity, input, { workflowId })).toMatch(/^NOT_AUTHENTIC: .* was not let in/);
      const watch = { workflowId, workflowType: 'watchAge' };
      expect(await call('notify', { about: 'age' }, watch)).toMatch(/^NOT_AUTHENTIC: .* not signed/);
      expect(at.target.world.items.has(transportItems.pdf)).toBe(true);
      expect(requests()).toBe(before);
    },
  );
});

describe('a run that is over', () => {
  it('stays over where its history is begun anew: nothing is imported again', async () => {
    const { namespace } = at.config.temporal;
    const { workflowId } = ended.handle;
    const before = requests();
    const { events } = await ended.handle.fetchHistory();
    const first = events?.find(({ workflowTaskCompletedEventAttributes: done }) => done);
    const reset = await at.temporal.client.workflowService.resetWorkflowExecution({
      ...{ namespace, requestId: workflowId, reason: 'once more' },
      workflowTaskFinishEventId: first?.eventId,
      workflowExecution: { workflowId, runId: ended.record.temporal.runId },
    });
    const again = at.temporal.client.workflow.getHandle(workflowId, reset.runId);
    await expect(again.result()).rejects.toThrow();
    expect(requests()).toBe(before);
    expect(await at.store.readJson(keys.record(workflowId), runRecord)).toMatchObject({
      status: 'succeeded',
      actions: [{ what: 'start' }, { what: 'start refused', reason: 'the start was used before' }],
    });
  });
});
