import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { Authority } from '../../../src/domain/control/authority';
import type { BisectInput } from '../../../src/model/run/run-input';
import { shortRunId } from '../../../src/model/run/run-id';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { type Ended, Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';
import { signedStart } from '../../support/control';
import { itLong } from '../../support/long';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

const itemIds = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `c${(at + 1).toString(16).padStart(31, '0')}`);

const open = async (items: number, failing: readonly string[]): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open({
    source: { seed: 'many', seedItems: items },
    target: { seed: 'empty', failing },
    groups: { source: manyGroupId, target: emptyGroupId },
  }));

const logged = (portal: 'source' | 'target', operation: string): number =>
  rehearsal[portal].requests().filter((each) => each.operation === operation).length;

const imports = (): number =>
  rehearsal.target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
    .length;

/** The run whose import fails as a whole, and which a bisect searches. */
async function failed(): Promise<Ended> {
  const parent = await rehearsal.sync(rehearsal.route(), { parks: false });
  expect(parent.record).toMatchObject({ status: 'failed', error: { code: 'JOB_FAILED' } });
  return parent;
}

async function bisect({ runId, record }: Ended, items: readonly string[]): Promise<WorkflowHandle> {
  const { temporal, config } = rehearsal;
  const bisectId = `bisect-transport-${randomBytes(4).toString('hex')}`;
  const route = rehearsal.route();
  const input: BisectInput = {
    runId: bisectId,
    route: { ...route, options: { ...route.options, items } },
    startedBy: 'test',
    yes: true,
    parent: runId,
    reuse: { runId, sha256: record.package!.sha256 },
    wholeFailed: true,
  };
  return await temporal.client.workflow.start('bisect', {
    workflowId: bisectId,
    taskQueue: config.temporal.taskQueue,
    args: [await signedStart(config, 'bisect', input)],
  });
}

/** The run of the first part once there is one: its id is known before it is started. */
async function firstPartOf(handle: WorkflowHandle): Promise<WorkflowHandle> {
  return await until('the run of the first part', async () => {
    const [first] = (await rehearsal.state(handle)).children ?? [];
    if (!first) throw new Error('the bisect has begun no part');
    const child = rehearsal.temporal.client.workflow.getHandle(first.runId);
    await child.describe();
    return child;
  });
}

describe('a bisect', () => {
  it('names the items at fault and imports all others, with no more imports than halving takes', async () => {
    const items = itemIds(8);
    const failing = [items[2]!, items[3]!];
    await open(8, failing);
    const parent = await failed();
    const before = imports();
    const { runId, record } = await rehearsal.ended(await bisect(parent, items));
    expect(record).toMatchObject({
      kind: 'bisect',
      status: 'partial',
      target: 'changed',
      parent: parent.runId,
    });
    const ledger = await rehearsal.ledger(runId);
    expect(ledger.failed.map(({ itemId }) => itemId).sort()).toEqual([...failing].sort());
    expect(ledger.failed[0]?.reason).toContain('could not be imported');
    expect(ledger.imported.map(({ itemId }) => itemId).sort()).toEqual(
      items.filter((itemId) => !failing.includes(itemId)).sort(),
    );
    expect(imports() - before).toBe(record.children?.length);
    expect(imports() - before).toBeLessThanOrEqual(2 * failing.length * (Math.log2(8) + 1));
    expect(logged('source', 'group.export')).toBe(1);
    expect(rehearsal.packages()).toEqual([]);
  });

  itLong(
    'goes on with another worker where its own goes away in mid-import, and imports nothing twice',
    async () => {
      const items = itemIds(3);
      const failing = [items[1]!];
      await open(3, failing);
      const parent = await failed();
      const before = imports();
      rehearsal.target.settings.jobPolls = Number.MAX_SAFE_INTEGER;
      const handle = await bisect(parent, items);
      const first = await firstPartOf(handle);
      await rehearsal.untilPhase(first, 'wait-import');
      await rehearsal.stopWorker();
      rehearsal.target.settings.jobPolls = 0;
      await rehearsal.startWorker();
      const { runId, record } = await rehearsal.ended(handle);
      expect(record).toMatchObject({ status: 'partial', target: 'changed' });
      const { failed: atFault, imported } = await rehearsal.ledger(runId);
      expect(atFault.map(({ itemId }) => itemId)).toEqual(failing);
      expect(imported.map(({ itemId }) => itemId)).toEqual(
        items.filter((itemId) => !failing.includes(itemId)),
      );
      expect(imports() - before).toBe(record.children?.length);
      expect(rehearsal.packages()).toEqual([]);
    },
  );

  it('that is cancelled lets the import that is under way end, and does not import the rest', async () => {
    const items = itemIds(4);
    await open(4, [items[3]!]);
    const parent = await failed();
    rehearsal.target.settings.jobPolls = Number.MAX_SAFE_INTEGER;
    const handle = await bisect(parent, items);
    const first = await firstPartOf(handle);
    await rehearsal.untilPhase(first, 'wait-import');
    await rehearsal.askToEnd(handle, { who: 'a@b', reason: 'enough' });
    rehearsal.target.settings.jobPolls = 0;
    const { runId, record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'changed', error: { code: 'CANCELLED' } });
    expect(record.actions).toMatchObject([
      { what: 'start' },
      { what: 'cancel', who: 'a@b', reason: 'enough' },
    ]);
    expect(record.children).toMatchObject([{ runId: first.workflowId, items: 2, status: 'succeeded' }]);
    const { imported, notImported } = await rehearsal.ledger(runId);
    expect(imported.map(({ itemId }) => itemId).sort()).toEqual(items.slice(0, 2));
    expect(notImported.map(({ itemId }) => itemId)).toEqual(items.slice(2));
    expect(rehearsal.packages()).toEqual([]);
  });

  it('that is cancelled while it signs a part does not start it', async () => {
    const items = itemIds(2);
    await open(2, [items[1]!]);
    const parent = await failed();
    const { signPart } = Authority.prototype;
    const signing = jest.spyOn(Authority.prototype, 'signPart');
    try {
      const { client } = rehearsal.temporal;
      signing.mockImplementation(async function (this: Authority, parentId, which) {
        const whole = client.workflow.getHandle(parentId);
        await rehearsal.askToEnd(whole, { who: 'a@b' });
        // Temporal hands on what comes during a local activity only after some seconds.
        await until(
          'the cancellation',
          () => rehearsal.state(whole),
          ({ actions }) => actions.some(({ what }) => what === 'cancel'),
        );
        return await signPart.call(this, parentId, which);
      });
      const handle = await bisect(parent, items);
      const { record } = await rehearsal.ended(handle);
      expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
      expect(record.children ?? []).toEqual([]);
    } finally {
      signing.mockRestore();
    }
  });

  itLong('that is cancelled in a hurry hands that on, and says where to look for what is left', async () => {
    const items = itemIds(2);
    await open(2, [items[1]!]);
    const parent = await failed();
    rehearsal.target.settings.jobPolls = Number.MAX_SAFE_INTEGER;
    const handle = await bisect(parent, items);
    const first = await firstPartOf(handle);
    await rehearsal.untilPhase(first, 'wait-import');
    await rehearsal.askToEnd(handle, { who: 'a@b', now: true });
    const { record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'unknown' });
    expect(record.children).toMatchObject([{ runId: first.workflowId, status: 'cancelled' }]);
    expect(record.warnings.join()).toContain(`portolan run show ${shortRunId(first.workflowId)}`);
    expect((await rehearsal.ended(first)).record.leftRunning).toHaveLength(1);
  });

  itLong('ends with a failure of another kind, which the next part would meet as well', async () => {
    const items = itemIds(4);
    await open(4, [items[0]!]);
    const parent = await failed();
    rehearsal.target.settings.readOnly = true;
    const before = imports();
    const { record } = await rehearsal.ended(await bisect(parent, items));
    expect(record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'TARGET_READ_ONLY' },
    });
    expect(record.children).toMatchObject([{ items: 2, status: 'failed' }]);
    expect(imports()).toBe(before);
  });
});
