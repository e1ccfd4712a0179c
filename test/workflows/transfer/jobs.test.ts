import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { anHourLater } from '../../support/an-hour-later';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(async () => {
  jest.restoreAllMocks();
  await rehearsal.close();
});

describe('a job on a portal', () => {
  it('parks the run when it fails, with the words of the portal, and the target is looked at', async () => {
    await open({ target: { finalStatus: { import: 'failed' } } });
    const { handle, record } = await rehearsal.sync();
    expect(record).toMatchObject({
      status: 'parked',
      // This portal had done the work before it said so.
      target: 'changed',
      error: { code: 'JOB_FAILED', origin: 'target', kind: 'permanent' },
    });
    expect(record.error?.message).toContain('ended the import job as "failed"');
    expect(record.parked?.evidence.join('\n')).toMatch(/8 of 8 items on production are newer than the plan/);
    expect((await rehearsal.cancel(handle)).record).toMatchObject({ status: 'cancelled', target: 'changed' });
    expect(rehearsal.packages()).toEqual([]);
  });

  it('is waited for under a word that nobody knows, until its deadline, and the word is named', async () => {
    await open({ source: { finalStatus: { export: 'pondering' } } });
    const { record } = await rehearsal.sync(rehearsal.route({}, { jobDeadlineMs: 500 }));
    expect(record).toMatchObject({ status: 'failed', error: { code: 'JOB_DEADLINE', origin: 'source' } });
    expect(record.error?.message).toContain('still "pondering"');
  });

  it('is looked at once more when no worker was up at its deadline, and its last word is named', async () => {
    await open({ target: { finalStatus: { import: 'pondering' } } });
    const handle = await rehearsal.start(rehearsal.route({}, { jobDeadlineMs: 3_600_000 }));
    await rehearsal.untilPhase(handle, 'wait-import');
    await rehearsal.stopWorker();
    anHourLater();
    await rehearsal.startWorker();
    const { record } = await rehearsal.ended(handle);
    expect(record.error).toMatchObject({
      code: 'JOB_DEADLINE',
      message: expect.stringContaining('still "pondering"'),
    });
  });
});

describe('a disk that fills', () => {
  const bytesLeft = async (side: 'source' | 'target', bytes: number): Promise<void> => {
    const { settings, world } = rehearsal[side];
    settings.diskBytes = (await world.files.used()) + bytes;
  };
  const megabyte = 1024 ** 2;
  const full = 'make room in its content store';

  it('ends a run whose export, or whose upload, has no room, and nothing stays on either portal', async () => {
    await open();
    await bytesLeft('source', megabyte / 2);
    const { record } = await rehearsal.sync();
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
    rehearsal.source.settings.diskBytes = Number.POSITIVE_INFINITY;
    await bytesLeft('target', megabyte / 2);
    const { record: next } = await rehearsal.sync();
    expect(next).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'DISK_FULL', origin: 'target', hint: expect.stringContaining(full) },
    });
    expect(next.phases.find(({ status }) => status === 'failed')?.name).toBe('upload');
    expect(rehearsal.packages()).toEqual([]);
  });

  it('parks a run whose parts, their joining or whose import has no room, and each goes on once there is some', async () => {
    await open({ fullSize: true });
    await bytesLeft('target', 40 * megabyte);
    const handle = await rehearsal.start(rehearsal.route({}, { approval: 'required' }));
    const parked = { status: 'parked', error: { code: 'DISK_FULL', hint: expect.stringContaining(full) } };
    const parts = await rehearsal.ended(handle);
    expect(parts.record).toMatchObject({ ...parked, target: 'untouched', parked: { phase: 'upload' } });
    expect(parts.record.parked?.held.join()).toMatch(/on production: package \w+/);
    await bytesLeft('target', 70 * megabyte);
    const joining = await rehearsal.resume(handle);
    expect(joining.record).toMatchObject({
      ...parked,
      target: 'untouched',
      parked: { phase: 'upload', count: 2 },
    });
    rehearsal.target.settings.diskBytes = Number.POSITIVE_INFINITY;
    await rehearsal.answer(handle, 'resume', { who: 'a@b' });
    const { plan } = await rehearsal.waiting(handle);
    await bytesLeft('target', 30 * megabyte);
    await rehearsal.approve(handle);
    const { record } = await rehearsal.ended(handle, 2);
    expect(record).toMatchObject({ ...parked, target: 'changed', parked: { phase: 'wait-import' } });
    expect(record.error?.message).toContain('ended the import job as "failed"');
    // No item is at fault, so none is searched for.
    expect(record.parked?.commands[0]).toMatch(/^portolan run resume \w+$/);
    rehearsal.target.settings.diskBytes = Number.POSITIVE_INFINITY;
    await rehearsal.answer(handle, 'resume', { who: 'a@b' });
    await rehearsal.waiting(handle, plan?.hash);
    await rehearsal.approve(handle);
    const ended = await rehearsal.over(handle);
    expect(ended.record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(ended.record.items?.imported).toHaveLength(8);
    expect(rehearsal.packages()).toEqual([]);
  });
});

describe('a run that is cancelled', () => {
  it('waits for the job that it started, takes its packages away and says what is on the target', async () => {
    await open({ target: { jobPolls: Number.MAX_SAFE_INTEGER } });
    const handle = await rehearsal.start();
    await rehearsal.untilPhase(handle, 'wait-import');
    // Both are heard in one moment: the run is cancelled while it looks who asked for that.
    await rehearsal.stopWorker();
    await rehearsal.askToEnd(handle, { who: 'a@b', reason: 'wrong group' });
    await handle.cancel();
    await rehearsal.startWorker();
    rehearsal.target.settings.jobPolls = 0;
    const { record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'changed', error: { code: 'CANCELLED' } });
    expect(record.actions.at(-1)).toMatchObject({ who: 'a@b', what: 'cancel', reason: 'wrong group' });
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    expect(rehearsal.packages()).toEqual([]);
  });

  it('stops at once while it waits for an approval', async () => {
    await open();
    const handle = await rehearsal.start(rehearsal.route({}, { approval: 'required' }));
    await rehearsal.waiting(handle);
    await handle.cancel();
    const { record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(rehearsal.packages()).toEqual([]);
  });
});
