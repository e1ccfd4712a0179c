import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, it } from '@jest/globals';
import type { BisectInput } from '../../../src/model/run/bisect';
import { type Direction, gateId, gateMemoKey, type GateState } from '../../../src/model/run/gate';
import type { FaultRule } from '../../../src/simulator/faults';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { transportItems } from '../../../src/simulator/seed/transport';
import { record, recording } from '../../support/recorder';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';

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
    options: { fullSize: true, target: { faults: { rules: [refused('item.addPart')] } } },
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

  /** The gate, once it holds a run and another one stands in line. */
  async function gateWithLine(direction: Direction, portal = 'production'): Promise<WorkflowHandle> {
    const { taskQueue } = rehearsal.config.temporal;
    const gate = rehearsal.temporal.client.workflow.getHandle(gateId({ taskQueue, portal, direction }));
    for (;;) {
      const memo = await gate.describe().then(
        (described) => described.memo,
        () => undefined,
      );
      if ((memo?.[gateMemoKey] as GateState | undefined)?.line.length) return gate;
      await sleep(100);
    }
  }

  it('succeeded and overwritten, past the gates', async () => {
    rehearsal = await Rehearsal.open({ fullSize: true });
    await record('succeeded-past-gates', (await rehearsal.sync()).handle);
    const again = rehearsal.route({ overwrite: true, data: 'replace' });
    await record('overwritten-past-gates', (await rehearsal.sync(again)).handle);
  });

  it.each(parks)(
    'parked: $at',
    async ({ at, options, overwrite }) => {
      rehearsal = await Rehearsal.open(options);
      const flags = overwrite ? ({ overwrite, data: 'replace' } as const) : {};
      const route = rehearsal.route(flags, at === 'deadline' ? { jobDeadlineMs: 1_500 } : {});
      const { handle } = await rehearsal.sync(route);
      await record(`parked-at-the-${at}`, handle);
      if (at === 'import') await record('resumed', (await rehearsal.resume(handle)).handle);
      else await rehearsal.cancel(handle, true);
      if (at === 'wait-import') await record('parked-and-cancelled', handle);
    },
    300_000,
  );

  it('parked until nobody came, and superseded', async () => {
    const refusing = { target: { faults: { rules: [refused('group.import', { previewOnly: 'false' })] } } };
    rehearsal = await Rehearsal.open(refusing);
    const { handle } = await rehearsal.sync(rehearsal.route({}, { answerWithinMs: 1_000 }));
    await rehearsal.over(handle);
    await record('parked-until-nobody-came', handle);
    rehearsal.target.faults.add(refused('group.import', { previewOnly: 'false' }));
    const earlier = await rehearsal.sync(undefined, { scheduledBy: 'nightly' });
    const later = await rehearsal.sync(undefined, { scheduledBy: 'nightly' });
    await rehearsal.over(earlier.handle);
    await record('superseded', earlier.handle);
    await record('supersedes', later.handle);
  });

  it.each([
    { direction: 'export', portal: 'staging', way: { source: { jobMs: 6_000 } } },
    { direction: 'import', portal: 'production', way: { target: { jobMs: 6_000 } } },
  ] as const)('in line for an $direction, and its gate', async ({ direction, portal, way }) => {
    rehearsal = await Rehearsal.open(way);
    const route = rehearsal.route();
    const first = await rehearsal.start(route);
    const second = await rehearsal.start(route);
    const gate = await gateWithLine(direction, portal);
    const state = await gate.query<GateState>('state');
    const inQueue = [first, second].find(({ workflowId }) => workflowId === state.line[0]);
    if (inQueue) await record(`line-of-the-${direction}`, inQueue);
    if (direction === 'import') await record('gate', gate);
    await Promise.all([rehearsal.over(first), rehearsal.over(second)]);
    if (direction === 'import') await record('gate-left', gate);
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
    const bisect = await rehearsal.temporal.client.workflow.start('bisect', {
      workflowId: runId,
      taskQueue: rehearsal.config.temporal.taskQueue,
      args: [
        {
          runId,
          route,
          startedBy: 'test',
          yes: true,
          parent,
          reuse,
          wholeFailed: true,
        } satisfies BisectInput,
      ],
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
