import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { Authority } from '../../../src/domain/control/authority';
import { shortRunId } from '../../../src/model/run/run-id';
import { type Ended, Site, manyItems, idsOf } from '../../support/site';
import { until } from '../../support/until';
import { itLong } from '../../support/long';

let site: Site;
beforeAll(async () => {
  site = await Site.open(manyItems(6));
});
afterAll(() => site.close());

/** Items that no other test has used. */
let last = 0;
const newItems = (count: number) =>
  Array.from({ length: count }, () => `c${(last += 1).toString(16).padStart(31, '0')}`);

/** A run whose import fails as a whole, because of its last item. */
async function failed(items: readonly string[]) {
  site.target.settings.failing = items.slice(-1);
  const parent = await site.sync(site.route({}, { items }), { parks: false });
  expect(parent.record).toMatchObject({ status: 'failed', error: { code: 'JOB_FAILED' } });
  return parent;
}

async function bisect({ runId, record }: Ended, items: readonly string[]) {
  const input = {
    route: site.route({}, { items }),
    parent: runId,
    reuse: { runId, sha256: record.package!.sha256 },
    wholeFailed: true,
  };
  // Temporal hands on what comes during a local activity only after most of this.
  return await site.startRun('bisect', input, { workflowTaskTimeout: '2s' });
}

/** Starts a bisect. @returns it and its first child run, whose import job does not end */
async function importing(parent: Ended, items: readonly string[]): Promise<[WorkflowHandle, WorkflowHandle]> {
  site.target.settings.jobPolls = Number.MAX_SAFE_INTEGER;
  const handle = await bisect(parent, items);
  const first = await until('the first child run', async () => {
    const [child] = (await site.state(handle)).children ?? [];
    if (!child) throw new Error('the bisect has no child run');
    const started = site.handle(child.runId);
    await started.describe();
    return started;
  });
  await site.untilPhase(first, 'wait-import');
  return [handle, first];
}

describe('bisect', () => {
  const items = newItems(4);
  let parent: Ended;
  beforeAll(async () => {
    parent = await failed(items);
  });

  it('starts no child run that it was signing when cancelled', async () => {
    const { signPart } = Authority.prototype;
    const signing = jest.spyOn(Authority.prototype, 'signPart');
    try {
      const { client } = site.temporal;
      signing.mockImplementation(async function (this: Authority, parentId, which) {
        const whole = client.workflow.getHandle(parentId);
        await site.askToEnd(whole, { who: 'a@b' });
        await until(
          'the cancellation',
          () => site.state(whole),
          ({ actions }) => actions.some(({ what }) => what === 'cancel'),
        );
        return await signPart.call(this, parentId, which);
      });
      const { record } = await site.ended(await bisect(parent, items));
      expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
      expect(record.children ?? []).toEqual([]);
    } finally {
      signing.mockRestore();
    }
  });

  it('ends with a failure that every child run would meet', async () => {
    site.target.settings.readOnly = true;
    const before = site.imports().length;
    const { record } = await site.ended(await bisect(parent, items));
    site.target.settings.readOnly = false;
    expect(record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'TARGET_READ_ONLY' },
    });
    expect(record.children).toMatchObject([{ items: 2, status: 'failed' }]);
    expect(site.imports()).toHaveLength(before);
  });

  it('finishes the import in progress when cancelled, and imports no other items', async () => {
    const [handle, first] = await importing(parent, items);
    await site.askToEnd(handle, { who: 'a@b', reason: 'enough' });
    site.target.settings.jobPolls = 0;
    const { runId, record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'changed', error: { code: 'CANCELLED' } });
    expect(record.actions).toMatchObject([
      { what: 'start' },
      { what: 'cancel', who: 'a@b', reason: 'enough' },
    ]);
    expect(record.children).toMatchObject([{ runId: first.workflowId, items: 2, status: 'succeeded' }]);
    const { imported, notImported } = await site.ledger(runId);
    expect(idsOf(imported)).toEqual(items.slice(0, 2));
    expect(idsOf(notImported)).toEqual(items.slice(2));
    expect(site.packages()).toEqual([]);
  });

  itLong('cancels its child run at once if told so, and names it as left running', async () => {
    const rest = newItems(2);
    const [handle, first] = await importing(await failed(rest), rest);
    await site.askToEnd(handle, { who: 'a@b', now: true });
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'unknown' });
    expect(record.children).toMatchObject([{ runId: first.workflowId, status: 'cancelled' }]);
    expect(record.warnings.join()).toContain(`portolan run show ${shortRunId(first.workflowId)}`);
    expect((await site.ended(first)).record.leftRunning).toHaveLength(1);
  });
});
