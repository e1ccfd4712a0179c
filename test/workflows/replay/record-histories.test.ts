import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, it } from '@jest/globals';
import type { BisectInput } from '../../../src/model/run/run-input';
import {
  type Direction,
  portalQueueId,
  portalQueueMemoKey,
  type PortalQueueState,
} from '../../../src/model/run/portal-queue';
import type { FaultRule } from '../../../src/simulator/faults';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { transportItems } from '../../../src/simulator/seed/transport';
import { record, recording } from '../../support/recorder';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { signedStart } from '../../support/control';

const refusal = { error: { code: 403, message: 'You do not have permissions to perform this operation.' } };

const refused = (operation: string, params?: Record<string, string>): FaultRule => ({
  match: { operation, params },
  times: 1,
  do: refusal,
});

/** Where a run is parked, and what brings it there. */
const parks: readonly { at: string; options: RehearsalOptions; overwrite?: boolean }[] = [
  {
    at: 'export',
    options: {
      source: { faults: { rules: [{ match: { operation: 'group.export' }, do: 'reset' }] } },
    },
  },
  {
    at: 'upload',
    options: {
      fullSize: true,
      // Of the parts that go up while the package comes down, and of those that the upload sends again.
      target: { faults: { rules: [{ match: { operation: 'item.addPart' }, do: refusal }] } },
    },
  },
  {
    at: 'preview',
    options: { target: { faults: { rules: [refused('group.importPreview')] } } },
  },
  {
    at: 'safeguard',
    options: { target: { failExport: [transportItems.boundaries] } },
    overwrite: true,
  },
  {
    at: 'import',
    options: { target: { faults: { rules: [refused('group.import', { previewOnly: 'false' })] } } },
  },
  {
    at: 'import-undecided',
    options: {
      target: {
        faults: {
          rules: [
            { match: { operation: 'group.import', params: { previewOnly: 'false' } }, nth: 1, do: 'reset' },
          ],
        },
      },
    },
  },
  { at: 'wait-import', options: { target: { finalStatus: { import: 'failed' } } } },
  { at: 'deadline', options: { target: { finalStatus: { import: 'pondering' } } } },
];

recording('histories of this version', () => {
  let rehearsal: Rehearsal;
  afterEach(() => rehearsal.close());

  /** The portal queue, once one run holds a slot and another one waits. */
  async function queueWithWaiting(direction: Direction, portal = 'production'): Promise<WorkflowHandle> {
    const { taskQueue } = rehearsal.config.temporal;
    const portalQueue = rehearsal.temporal.client.workflow.getHandle(
      portalQueueId({ taskQueue, portal, direction }),
    );
    for (;;) {
      const memo = await portalQueue.describe().then(
        (described) => described.memo,
        () => undefined,
      );
      if ((memo?.[portalQueueMemoKey] as PortalQueueState | undefined)?.waiting.length) return portalQueue;
      await sleep(100);
    }
  }

  it('overwritten, after somebody has approved', async () => {
    rehearsal = await Rehearsal.open({ fullSize: true });
    const route = rehearsal.route({ overwrite: true, data: 'replace' }, { approval: 'required' });
    const handle = await rehearsal.start(route);
    await rehearsal.waiting(handle);
    await rehearsal.approve(handle);
    await rehearsal.over(handle);
    await record('overwritten', handle);
  });

  it.each(parks)(
    'parked: $at',
    async ({ at, options, overwrite }) => {
      rehearsal = await Rehearsal.open(options);
      const flags = overwrite ? ({ overwrite, data: 'replace' } as const) : {};
      const route = rehearsal.route(flags, at === 'deadline' ? { jobDeadlineMs: 1_500 } : {});
      const { handle } = await rehearsal.sync(route);
      // As they stand while they are parked; how one is taken up, and one is given up, is in two that are over.
      if (at !== 'import' && at !== 'wait-import') await record(`parked-at-the-${at}`, handle);
      if (at === 'import') await record('resumed', (await rehearsal.resume(handle)).handle);
      else await rehearsal.cancel(handle, true);
      if (at === 'wait-import') await record('parked-and-cancelled', handle);
    },
    300_000,
  );

  it('parked until nobody came, and superseded', async () => {
    const refusing = { target: { faults: { rules: [refused('group.import', { previewOnly: 'false' })] } } };
    rehearsal = await Rehearsal.open(refusing);
    const { handle } = await rehearsal.sync(rehearsal.route({}, { decisionTimeoutMs: 1_000 }));
    await rehearsal.over(handle);
    await record('parked-until-nobody-came', handle);
    rehearsal.target.faults.add(refused('group.import', { previewOnly: 'false' }));
    const earlier = await rehearsal.sync(undefined, { scheduledBy: 'nightly' });
    await rehearsal.sync(undefined, { scheduledBy: 'nightly' });
    await rehearsal.over(earlier.handle);
    await record('superseded', earlier.handle);
  });

  it('in the queue for an import, and the portal queue itself', async () => {
    rehearsal = await Rehearsal.open({ target: { jobMs: 6_000 } });
    const route = rehearsal.route();
    const both = [await rehearsal.start(route), await rehearsal.start(route)];
    const portalQueue = await queueWithWaiting('import');
    const { waiting } = await portalQueue.query<PortalQueueState>('state');
    const inQueue = both.find(({ workflowId }) => workflowId === waiting[0]);
    if (!inQueue) throw new Error('nobody is in the queue');
    await record('queue-of-the-import', inQueue);
    await Promise.all(both.map((each) => rehearsal.over(each)));
    await record('portal-queue-left', portalQueue);
  });

  it('taken over from an earlier run, and bisected', async () => {
    const failingItem = 'c0000000000000000000000000000003';
    rehearsal = await Rehearsal.open({
      source: { seed: 'many', seedItems: 4 },
      target: { seed: 'empty', failing: [failingItem] },
      groups: { source: manyGroupId, target: emptyGroupId },
    });
    const { runId: parent, record: failed } = await rehearsal.sync(rehearsal.route(), { parks: false });
    const reuse = { runId: parent, sha256: failed.package?.sha256 ?? '' };
    const items = ['1', '2', '3', '4'].map((digit) => `c${digit.padStart(31, '0')}`);
    const route = rehearsal.route({ items });
    const runId = `bisect-transport-${randomBytes(4).toString('hex')}`;
    const common = { route, startedBy: 'test', yes: true, parent, reuse };
    const input: BisectInput = { runId, ...common, wholeFailed: true };
    const bisect = await rehearsal.temporal.client.workflow.start('bisect', {
      workflowId: runId,
      taskQueue: rehearsal.config.temporal.taskQueue,
      args: [await signedStart(rehearsal.config, 'bisect', input)],
    });
    await rehearsal.ended(bisect);
    await record('bisected', bisect);
    const rest = rehearsal.route({ items: items.filter((id) => id !== failingItem) });
    await record('taken-over', (await rehearsal.sync(rest, { reuse, parent })).handle);
  });

  it('cancelled at once', async () => {
    rehearsal = await Rehearsal.open({ target: { jobMs: 60_000 } });
    const handle = await rehearsal.start();
    await rehearsal.untilPhase(handle, 'wait-import');
    await rehearsal.cancel(handle, true);
    await record('cancelled-at-once', handle);
  });
});
