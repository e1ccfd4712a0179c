import { afterEach, it } from '@jest/globals';
import { type Direction, type PortalQueueState } from '../../../src/model/run/portal-queue';
import type { FaultRule } from '../../../src/simulator/faults';
import { transportItems } from '../../../src/simulator/seed/transport';
import { record, recording } from '../../support/recorder';
import { Site, manyItems, type SiteOptions, importPost } from '../../support/site';
import { until } from '../../support/until';
import { query } from '../../support/query';

const refusal = { error: { code: 403, message: 'You do not have permissions to perform this operation.' } };

const refused = (operation: string, params?: Record<string, string>): FaultRule => ({
  match: { operation, params },
  times: 1,
  do: refusal,
});

/** Where a run is parked, and what brings it there. */
const parks: readonly { at: string; options: SiteOptions; overwrite?: boolean }[] = [
  {
    at: 'export',
    options: {
      source: { faults: { rules: [{ match: { operation: 'group.export' }, do: 'reset' }] } },
    },
  },
  {
    at: 'upload',
    options: {
      imageBytes: 64 * 1024 ** 2,
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
          rules: [{ match: importPost, nth: 1, do: 'reset' }],
        },
      },
    },
  },
  { at: 'wait-import', options: { target: { finalStatus: { import: 'failed' } } } },
  { at: 'deadline', options: { target: { finalStatus: { import: 'pondering' } } } },
];

recording('histories of this version', () => {
  let site: Site;
  afterEach(() => site.close());

  /** The portal queue, once one run holds a slot and another one waits. */
  async function queueWithWaiting(direction: Direction, portal = 'production') {
    const queueId = site.queueId(direction, portal);
    await until('a run that waits', async () => (await site.queueState(queueId))?.waiting.length);
    return site.handle(queueId);
  }

  it('overwritten, after somebody has approved', async () => {
    site = await Site.open({ imageBytes: 64 * 1024 ** 2 });
    const route = site.route({ overwrite: true, data: 'replace' }, { approval: 'required' });
    const handle = await site.start(route);
    await site.waiting(handle);
    await site.approve(handle);
    await site.over(handle);
    await record('overwritten', handle);
  });

  it.each(parks)(
    'parked: $at',
    async ({ at, options, overwrite }) => {
      site = await Site.open(options);
      const flags = overwrite ? ({ overwrite, data: 'replace' } as const) : {};
      const route = site.route(flags, at === 'deadline' ? { jobDeadlineMs: 1_500 } : {});
      const { handle } = await site.sync(route);
      // As they stand while they are parked; how one is taken up, and one is given up, is in two that are over.
      if (at !== 'import' && at !== 'wait-import') await record(`parked-at-the-${at}`, handle);
      if (at === 'import') await record('resumed', (await site.resume(handle)).handle);
      else await site.cancel(handle, true);
      if (at === 'wait-import') await record('parked-and-cancelled', handle);
    },
    300_000,
  );

  it('parked until nobody came, and superseded', async () => {
    const refusing = { target: { faults: { rules: [refused('group.import', { previewOnly: 'false' })] } } };
    site = await Site.open(refusing);
    const { handle } = await site.sync(site.route({}, { decisionTimeoutMs: 1_000 }));
    await site.over(handle);
    await record('parked-until-nobody-came', handle);
    site.target.faults.add(refused('group.import', { previewOnly: 'false' }));
    const earlier = await site.sync(undefined, { scheduledBy: 'nightly' });
    await site.sync(undefined, { scheduledBy: 'nightly' });
    await site.over(earlier.handle);
    await record('superseded', earlier.handle);
  });

  it('in the queue for an import, and the portal queue itself', async () => {
    site = await Site.open({ target: { jobMs: 6_000 } });
    const route = site.route();
    const both = [await site.start(route), await site.start(route)];
    const portalQueue = await queueWithWaiting('import');
    const { waiting } = await query<PortalQueueState>(portalQueue, 'state');
    const inQueue = both.find(({ workflowId }) => workflowId === waiting[0]);
    if (!inQueue) throw new Error('nobody is in the queue');
    await record('queue-of-the-import', inQueue);
    await Promise.all(both.map((each) => site.over(each)));
    await record('portal-queue-left', portalQueue);
  });

  it('taken over from an earlier run, and bisected', async () => {
    const failingItem = 'c0000000000000000000000000000003';
    site = await Site.open({
      ...manyItems(4),
      target: { seed: 'empty', failing: [failingItem] },
    });
    const { runId: parent, record: failed } = await site.sync(site.route(), { parks: false });
    const reuse = { runId: parent, sha256: failed.package?.sha256 ?? '' };
    const items = ['1', '2', '3', '4'].map((digit) => `c${digit.padStart(31, '0')}`);
    const route = site.route({ items });
    const bisect = await site.startRun('bisect', { route, parent, reuse, wholeFailed: true });
    await site.ended(bisect);
    await record('bisected', bisect);
    const rest = site.route({ items: items.filter((id) => id !== failingItem) });
    await record('taken-over', (await site.sync(rest, { reuse, parent })).handle);
  });

  it('cancelled at once', async () => {
    site = await Site.open({ target: { jobMs: 60_000 } });
    const handle = await site.start();
    await site.untilPhase(handle, 'wait-import');
    await site.cancel(handle, true);
    await record('cancelled-at-once', handle);
  });
});
