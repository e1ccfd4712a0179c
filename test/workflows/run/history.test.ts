import { partBytes } from '../../support/small-parts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { actionsWithPortalQueues, billedOf, sumOf } from '../../../bench/billed-actions';
import { transportItems } from '../../../src/simulator/seed/transport';
import { itLong } from '../../support/long';
import { keys } from '../../../src/store/keys';
import { type Ended, Site, manyItems } from '../../support/site';

/** As many as groups have. Several packages are in history-of-packages.long.ts. */
const many = 2_000;

/**
 * Each portal queue costs the signal of its slot, a task for that, and a timer. On a busy machine, results that
 * otherwise come together cost a task of three events each.
 */
const eventsMax = 260;
/** Most events describe the worker they come from. */
const bytesMax = 98_000;

let site: Site;
let ofOne: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events'];

const sizeOf = async (items: number) => {
  site = await Site.open(manyItems(items));
  const { record, handle } = await site.sync();
  expect(record.error).toBeUndefined();
  expect(record.status).toBe('succeeded');
  const { historyLength, historySize } = await handle.describe();
  return { events: historyLength, bytes: historySize ?? 0 };
};

describe('history of an undisturbed sync', () => {
  afterEach(() => site.close());

  it('stays small with a safeguard and an upload in parts [P19]', async () => {
    site = await Site.open({ imageBytes: 2 * partBytes });
    const { record, handle } = await site.sync(
      site.route({ overwrite: true, data: 'replace', items: [transportItems.image, transportItems.csv] }),
    );
    expect(record.status).toBe('succeeded');
    ({ events: ofOne } = await handle.fetchHistory());
    const { historyLength, historySize } = await handle.describe();
    expect(historyLength).toBeLessThan(eventsMax);
    expect(historySize).toBeLessThan(bytesMax);
  });

  it('gives each activity more than three days without a worker', () => {
    const scheduled = (ofOne ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    expect(scheduled.length).toBeGreaterThan(20);
    const soon = scheduled.filter((call) => tsToMs(call.scheduleToCloseTimeout) <= 3 * 86_400_000);
    expect(soon.map(({ activityType }) => activityType?.name)).toEqual([]);
  });

  it('names the portal of each activity, so that portals take turns', () => {
    const portals = new Map<string, Set<string>>();
    for (const { activityTaskScheduledEventAttributes: call } of ofOne ?? []) {
      if (!call) continue;
      const portal = call.priority?.fairnessKey || 'none';
      portals.set(portal, (portals.get(portal) ?? new Set()).add(call.activityType?.name ?? ''));
    }
    const { none, staging, production } = Object.fromEntries(portals);
    expect(none).toEqual(new Set(['checkStore', 'tidyStore']));
    expect([...(staging ?? [])]).toEqual(
      expect.arrayContaining(['listRequested', 'startExport', 'pollJob', 'relayPackage', 'removePackages']),
    );
    expect([...(production ?? [])]).toEqual(
      expect.arrayContaining(['requestPreviews', 'startExport', 'startImport', 'pollJob', 'removePackages']),
    );
  });

  itLong(`stays small, and as small for ${many} items as for 10`, async () => {
    const ofFew = await sizeOf(10);
    await site.close();
    const ofMany = await sizeOf(many);
    expect(ofFew.events).toBeLessThan(eventsMax);
    expect(ofFew.bytes).toBeLessThan(bytesMax);
    expect(ofMany.events).toBeLessThanOrEqual(ofFew.events * 1.1);
    expect(ofMany.bytes).toBeLessThanOrEqual(ofFew.bytes * 1.1);
  });
});

describe('an undisturbed sync', () => {
  let ended: Ended;
  beforeAll(async () => {
    site = await Site.open({ listed: true });
    ended = await site.sync(site.route({ items: [transportItems.pdf] }));
    expect(ended.record.status).toBe('succeeded');
  });
  afterAll(() => site.close());

  it('costs at most 55 actions of Temporal Cloud, with those of its portal queues', async () => {
    const actions = await actionsWithPortalQueues(site.temporal.client, ended.runId);
    // Polls of a slow portal are retries.
    expect(sumOf(actions) - actions.retries).toBeLessThanOrEqual(55);
    expect(actions.signals).toBeGreaterThanOrEqual(4);
    // Portal queues in which no run waits check nothing.
    const own = await billedOf(site.temporal.client, ended.runId);
    expect(actions.activities).toBe(own.activities);
  });

  it('leaves only its records in the store, and reads no folder of the accounts', async () => {
    expect([site.packages(), await site.store.names(keys.packages)]).toEqual([[], []]);
    expect((await site.store.names(keys.run(ended.runId))).sort()).toEqual([
      'created.json',
      'ledger.json',
      'plan-1.json',
      'plan-2.json',
      'record.json',
      'start.json',
      'verification.json',
    ]);
    const read = [site.source, site.target].flatMap((portal) => portal.requests().map(({ path }) => path));
    expect(read.filter((path) => /\/content\/users\/[^/]+\/[0-9a-f]{32}$/.test(path))).toEqual([]);
  });
});
