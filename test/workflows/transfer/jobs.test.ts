import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { useClock } from '../../../src/activities/attempt/clock';
import { anHourLater } from '../../support/an-hour-later';
import { transportItems } from '../../../src/simulator/seed/transport';
import { freeServerPort } from '../../support/free-port';
import { Site, type SiteOptions } from '../../support/site';
import { until } from '../../support/until';
import { itLong } from '../../support/long';

let site: Site;
const open = async (options?: SiteOptions): Promise<Site> => (site = await Site.open(options));
afterEach(async () => {
  jest.restoreAllMocks();
  await site.close();
});

describe('a job on a portal', () => {
  it('parks the run when it fails, with the words of the portal, and the target is looked at', async () => {
    await open({ target: { finalStatus: { import: 'failed' } } });
    const { handle, record } = await site.sync();
    expect(record).toMatchObject({
      status: 'parked',
      // This portal had done the work before it said so.
      target: 'changed',
      error: { code: 'JOB_FAILED', origin: 'target', kind: 'permanent' },
    });
    expect(record.error?.message).toContain('ended the import job as "failed"');
    expect(record.parked?.evidence.join('\n')).toMatch(
      /8 of 8 items on production have changed since the plan/,
    );
    expect((await site.cancel(handle)).record).toMatchObject({ status: 'cancelled', target: 'changed' });
    expect(site.packages()).toEqual([]);
  });

  it('is waited for under a word that nobody knows, until its deadline, and the word is named', async () => {
    await open({ source: { finalStatus: { export: 'pondering' } } });
    const { record } = await site.sync(site.route({}, { jobDeadlineMs: 500 }));
    expect(record).toMatchObject({ status: 'failed', error: { code: 'JOB_DEADLINE', origin: 'source' } });
    expect(record.error?.message).toContain('still "pondering"');
  });

  itLong(
    'is looked at once more when no worker was up at its deadline, and its last word is named',
    async () => {
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
    },
  );
});

describe('a disk that fills', () => {
  const bytesLeft = async (side: 'source' | 'target', bytes: number): Promise<void> => {
    const { settings, world } = site[side];
    settings.diskBytes = (await world.files.used()) + bytes;
  };
  const megabyte = 1024 ** 2;
  const full = "The portal's disk is full. Free space in its content store";

  it('ends a run whose export, or whose upload, has no room, and nothing stays on either portal [P08]', async () => {
    await open();
    await bytesLeft('source', megabyte / 2);
    const { record } = await site.sync();
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
    const { record: next } = await site.sync();
    expect(next).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'DISK_FULL', origin: 'target', hint: expect.stringContaining(full) },
    });
    expect(next.phases.find(({ status }) => status === 'failed')?.name).toBe('upload');
    expect(site.packages()).toEqual([]);
  });

  itLong(
    'parks a run whose parts, their joining or whose import has no room, and each goes on once there is some',
    async () => {
      await open({ fullSize: true, target: { port: await freeServerPort() } });
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
      await bringsTheRest(handle, plan?.hash);
    },
  );
});

/** What an import left out comes once somebody resumes the run and says yes to the plan of the rest. */
async function bringsTheRest(handle: WorkflowHandle, before: string | undefined): Promise<void> {
  await site.answer(handle, 'resume', { who: 'a@b' });
  await site.waiting(handle, before);
  await site.approve(handle);
  const { record } = await site.over(handle);
  expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
  expect(record.items?.imported).toHaveLength(8);
  expect(site.packages()).toEqual([]);
}

describe('a portal that is upgraded in place under a run', () => {
  it('costs an export, is not noticed while somebody is waited for, and parks an import with what came, which a resume completes', async () => {
    const ports = { source: await freeServerPort(), target: await freeServerPort() };
    await open({
      source: { port: ports.source, jobMs: 60_000 },
      target: { port: ports.target },
    });
    const route = site.route({}, { approval: 'required', jobDeadlineMs: 36_000_000 });
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
    await site.upgrade('target', '11.5', { jobMs: 12_000 });
    await site.approve(handle);
    const arrived = () => site.target.world.items.has(transportItems.roads);
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
    expect(record.parked?.evidence[0]).toMatch(
      /^[1-7] of 8 items on production have changed since the plan$/,
    );
    await bringsTheRest(handle, plan?.hash);
  });
});

describe('a run that is cancelled', () => {
  it('waits for the job that it started, takes its packages away and says what is on the target', async () => {
    await open({ target: { jobPolls: Number.MAX_SAFE_INTEGER } });
    const handle = await site.start();
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

  itLong('stops at once while it waits for an approval', async () => {
    await open();
    const handle = await site.start(site.route({}, { approval: 'required' }));
    await site.waiting(handle);
    await handle.cancel();
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(site.packages()).toEqual([]);
  });
});
