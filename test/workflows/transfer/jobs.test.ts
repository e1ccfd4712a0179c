import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { useClock } from '../../../src/activities/attempt/heartbeat';
import { messageNames } from '../../../src/model/run/run-input';
import { anHourLater } from '../../support/an-hour-later';
import { transportItems } from '../../../src/simulator/seed/transport';
import { freeServerPort } from '../../support/free-port';
import { Site, type SiteOptions } from '../../support/site';
import { until } from '../../support/until';
import { itLong } from '../../support/long';

let site: Site;
const open = async (options?: SiteOptions) => (site = await Site.open(options));
afterEach(() => void jest.restoreAllMocks());

const megabyte = 1024 ** 2;
const bytesLeft = async (side: 'source' | 'target', bytes: number) => {
  const { settings, world } = site[side];
  settings.diskBytes = (await world.files.used()) + bytes;
};
const full = "The portal's disk is full. Free space in its content store";

describe('a job', () => {
  beforeAll(() => open());
  afterAll(() => site.close());
  afterEach(() => {
    for (const { settings } of [site.source, site.target])
      Object.assign(settings, {
        finalStatus: { export: 'completed', import: 'completed' },
        diskBytes: Number.POSITIVE_INFINITY,
      });
  });

  it('ends a run when the disk is full, and leaves nothing on either portal [P08]', async () => {
    await bytesLeft('source', megabyte / 2);
    const image = site.route({ items: [transportItems.image] });
    const { record } = await site.sync(image);
    expect(record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: {
        code: 'DISK_FULL',
        origin: 'source',
        message: expect.stringContaining('No space left on device'),
        hint: expect.stringContaining(full),
      },
    });
    expect(record.error?.message).toContain('ended the export job as "failed"');
    site.source.settings.diskBytes = Number.POSITIVE_INFINITY;
    await bytesLeft('target', megabyte / 2);
    const { record: next } = await site.sync(image);
    expect(next).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'DISK_FULL', origin: 'target', hint: expect.stringContaining(full) },
    });
    expect(next.phases.find(({ status }) => status === 'failed')?.name).toBe('upload');
    expect(site.packages()).toEqual([]);
  });

  it('is waited for when its run is cancelled, which removes the packages', async () => {
    site.target.settings.jobPolls = Number.MAX_SAFE_INTEGER;
    const handle = await site.start(site.route({ items: [transportItems.pdf] }));
    await site.untilPhase(handle, 'wait-import');
    // Both are heard in one moment: the run is cancelled while it looks who asked for that.
    await site.stopWorker();
    await site.askToEnd(handle, { who: 'a@b', reason: 'wrong group' });
    await handle.cancel();
    await site.startWorker();
    site.target.settings.jobPolls = 0;
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'changed', error: { code: 'CANCELLED' } });
    expect(record.actions.at(-1)).toMatchObject({ who: 'a@b', what: 'cancel', reason: 'wrong group' });
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    expect(site.packages()).toEqual([]);
  });

  it.each([
    ['accepts', []],
    ['refuses', [{ error: { code: 403, message: 'You do not have permissions.' } }]],
  ])('leaves no package if its run is cancelled before the portal %s it [P08]', async (_, answers) => {
    const { faults } = site.source;
    for (const each of ['hold', ...answers] as const)
      faults.add({ match: { operation: 'group.export' }, when: 'before', do: each });
    const handle = await site.start(site.route({ items: [transportItems.story] }));
    await until('the export to be requested', () => faults.holding > 0);
    await site.answer(handle, messageNames.cancel, { who: 'a@b' });
    faults.clear();
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'untouched', leftRunning: [] });
    expect(site.packages()).toEqual([]);
  });

  it('ends a run at its deadline and names a status that is not known', async () => {
    // Last, since the package of a job that may still run is left.
    site.source.settings.finalStatus.export = 'pondering';
    const { record } = await site.sync(site.route({ items: [transportItems.story] }, { jobDeadlineMs: 500 }));
    expect(record).toMatchObject({ status: 'failed', error: { code: 'JOB_DEADLINE', origin: 'source' } });
    expect(record.error?.message).toContain('still "pondering"');
  });
});

describe('a job of a restarted portal', () => {
  afterEach(() => site.close());

  it('fails an export and parks an import, which a resume completes', async () => {
    const ports = { source: await freeServerPort(), target: await freeServerPort() };
    await open({
      source: { port: ports.source, jobMs: 60_000 },
      target: { port: ports.target },
    });
    const items = [transportItems.image, transportItems.pdf];
    const route = site.route({ items }, { approval: 'required', jobDeadlineMs: 36_000_000 });
    const lost = await site.start(route);
    await site.untilPhase(lost, 'wait-export');
    await site.upgrade('source', '11.3');
    anHourLater();
    expect((await site.ended(lost)).record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'JOB_LOST', origin: 'source' },
    });
    expect(site.packages()).toEqual([]);

    const handle = await site.start(route);
    const { plan } = await site.waiting(handle);
    await site.upgrade('target', '11.5', { jobMs: 8_000 });
    await site.approve(handle);
    const arrived = () => items.some((id) => site.target.world.items.has(id));
    await until('the first item', arrived);
    await site.upgrade('target', '12.0');
    anHourLater();
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({
      status: 'parked',
      target: 'changed',
      error: { code: 'JOB_LOST', origin: 'target' },
      parked: { phase: 'wait-import' },
    });
    expect(record.parked?.evidence[0]).toBe('1 of 2 items on production have changed since the plan');
    await bringsTheRest(handle, plan?.hash, items);
  });

  itLong('is polled once more when no worker was up at its deadline', async () => {
    await open({ target: { finalStatus: { import: 'pondering' } } });
    const handle = await site.start(site.route({}, { jobDeadlineMs: 3_600_000 }));
    await site.untilPhase(handle, 'wait-import');
    await site.stopWorker();
    anHourLater();
    await site.startWorker();
    // A worker that starts follows Temporal's clock, for which no hour has passed.
    useClock(() => Date.now());
    const { record } = await site.ended(handle);
    expect(record.error).toMatchObject({
      code: 'JOB_DEADLINE',
      message: expect.stringContaining('still "pondering"'),
    });
  });

  itLong('parks a run when parts, their joining or its import find no disk space', async () => {
    await open({ imageBytes: 64 * megabyte, target: { port: await freeServerPort() } });
    await bytesLeft('target', 40 * megabyte);
    const handle = await site.start(site.route({}, { approval: 'required' }));
    const parked = { status: 'parked', error: { code: 'DISK_FULL', hint: expect.stringContaining(full) } };
    const parts = await site.ended(handle);
    expect(parts.record).toMatchObject({ ...parked, target: 'untouched', parked: { phase: 'upload' } });
    expect(parts.record.parked?.held.join()).toMatch(/on production: package \w+/);
    // An upgrade in place takes away the part that had come.
    await site.upgrade('target', '11.5');
    await bytesLeft('target', 70 * megabyte);
    const joining = await site.resume(handle);
    expect(joining.record).toMatchObject({
      ...parked,
      target: 'untouched',
      parked: { phase: 'upload', count: 2 },
    });
    const sent = site.target.requests().filter(({ operation }) => operation === 'item.addPart');
    expect(sent.filter(({ errorCode }) => errorCode === undefined)).toHaveLength(3);
    site.target.settings.diskBytes = Number.POSITIVE_INFINITY;
    await site.answer(handle, 'resume', { who: 'a@b' });
    const { plan } = await site.waiting(handle);
    await bytesLeft('target', 30 * megabyte);
    await site.approve(handle);
    const { record } = await site.ended(handle, 2);
    expect(record).toMatchObject({ ...parked, target: 'changed', parked: { phase: 'wait-import' } });
    expect(record.error?.message).toContain('ended the import job as "failed"');
    // No item is at fault, so none is searched for.
    expect(record.parked?.commands[0]).toMatch(/^portolan run resume \w+$/);
    site.target.settings.diskBytes = Number.POSITIVE_INFINITY;
    await bringsTheRest(handle, plan?.hash, { length: 8 });
  });
});

/** A resumed run imports the rest once its plan is approved. */
async function bringsTheRest(
  handle: WorkflowHandle,
  before: string | undefined,
  { length }: { readonly length: number },
) {
  await site.answer(handle, 'resume', { who: 'a@b' });
  await site.waiting(handle, before);
  await site.approve(handle);
  const { record } = await site.over(handle);
  expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
  expect(record.items?.imported).toHaveLength(length);
  expect(site.packages()).toEqual([]);
}
