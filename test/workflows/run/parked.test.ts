import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { messageNames, type Resume } from '../../../src/model/run/run-input';
import { type AnswerOutcome, outcomeQueryName } from '../../../src/model/run/signature';
import type { RouteOptions } from '../../../src/model/transfer/route';
import { transportItems } from '../../../src/simulator/seed/transport';
import { anHourLater } from '../../support/an-hour-later';
import { signed } from '../../support/control';
import { type Ended, Site } from '../../support/site';
import { until } from '../../support/until';
import { query } from '../../support/query';

let site: Site;
beforeAll(async () => {
  site = await Site.open();
});
beforeEach(() => site.target.clearRequests());
afterEach(() => site.target.faults.clear());
afterAll(async () => {
  await site.close();
  jest.restoreAllMocks();
});

const { pdf, image } = transportItems;
/** A route that creates one item, which the target lacks. */
function creating(options: Partial<RouteOptions> = {}, item: string = pdf) {
  const { items } = site.target.world;
  if (items.has(item)) items.remove(item);
  return site.route({ items: [item] }, options);
}

describe('parked run', () => {
  let run: Ended;

  it('names its cause, what it holds and how to resume [P08]', async () => {
    site.refuseImports({ times: 1 });
    run = await site.sync(creating());
    const { record } = run;
    expect(record).toMatchObject({
      status: 'parked',
      target: 'untouched',
      error: { code: 'PERMISSION_DENIED', origin: 'target' },
      parked: { phase: 'import', code: 'PERMISSION_DENIED', count: 1, refusals: 0 },
    });
    const { parked } = record;
    expect(parked?.commands[0]).toMatch(/^portolan run resume \w+$/);
    expect(parked?.held.join('\n')).toMatch(/on production: package \w+\nin the store: the package/);
    expect(parked?.reuses.join('\n')).toMatch(/package in the store.*\nuploaded item/);
    expect(parked?.redoes[0]).toMatch(/^preview/);
    expect(parked?.evidence[0]).toBe('0 of 1 items on production have changed since the plan');
    expect(record.phases.find(({ name }) => name === 'import')?.status).toBe('parked');
  });

  it('resumes with a correction that the portal confirms, and stays parked without', async () => {
    const id = 'f0000000000000000000000000000001';
    await expect(site.resume(run.handle, { folderId: id })).rejects.toThrow(`a folder with ID ${id}`);
    expect(await site.state(run.handle)).toMatchObject({
      status: 'parked',
      parked: { count: 1, refusals: 1 },
      actions: [{ what: 'start' }],
    });
    const folder = { id, username: 'owner', title: 'From staging', created: Date.now() };
    site.target.world.folders.put(id, folder);
    const { record } = await site.resume(run.handle, { folderId: id });
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect([record.parked, record.error]).toEqual([undefined, undefined]);
    const resumed = {
      what: `resume with target.folder=${id}`,
      who: 'a@b',
      reason: 'mended',
      identity: 'claimed',
    };
    expect(record.actions).toMatchObject([{ what: 'start', identity: 'claimed' }, resumed]);
    expect(site.imports()).toMatchObject([{ folderId: id }]);
    expect(site.packages()).toEqual([]);
  });

  it('needs a new approval only if its plan changed; used answers are refused', async () => {
    site.refuseImports({ times: 2 });
    site.target.world.items.change(pdf, { snippet: 'Edited here', modified: site.target.world.now() });
    const handle = await site.start(site.route({ overwrite: true, items: [pdf] }, { approval: 'required' }));
    const { plan: first } = await site.waiting(handle);
    await site.approve(handle);
    expect((await site.ended(handle)).record.status).toBe('parked');
    const { resume } = messageNames;
    const message: Resume = await signed(site.config, handle, resume, { who: 'a@b' });
    await site.send(handle, resume, message);
    const { record } = await site.ended(handle, 1);
    expect(record).toMatchObject({ status: 'parked', parked: { count: 2 } });
    await handle.signal(resume, message);
    await handle.signal(resume, { ...message, who: 'eve@desk' });
    const refused = await until(
      'the refusals',
      async () => (await site.state(handle)).warnings.filter((each) => each.startsWith('resume: ')),
      ({ length }) => length === 2,
    );
    expect(refused.sort()).toEqual([
      'resume: a decision was refused: it is not authentic',
      'resume: a decision was refused: it was used before',
    ]);
    // The outcome of the first stays.
    const { nonce = '' } = message.proof ?? {};
    const outcome = await query<AnswerOutcome>(handle, outcomeQueryName, nonce);
    expect(outcome).toMatchObject({ status: 'accepted' });
    site.target.world.items.change(pdf, { modified: Date.now() + 1 });
    await site.answer(handle, 'resume', { who: 'a@b' });
    await site.waiting(handle, first?.hash);
    await site.approve(handle);
    expect((await site.over(handle)).record.status).toBe('succeeded');
  });

  it('fails and removes its packages when its decision timeout ends', async () => {
    site.refuseImports({ times: 1 });
    const { handle } = await site.sync(creating({ decisionTimeoutMs: 1_000 }));
    const { record } = await site.over(handle);
    expect(record).toMatchObject({ status: 'failed', target: 'untouched', error: { code: 'PARK_EXPIRED' } });
    expect(record.error?.message).toContain('PERMISSION_DENIED');
    expect(record.parked).toBeUndefined();
    expect(site.packages()).toEqual([]);
  });

  it('is superseded by the next run of its schedule', async () => {
    site.refuseImports({ times: 1 });
    const nightly = { scheduledBy: 'nightly' };
    const first = await site.sync(creating(), nightly);
    expect(first.record.status).toBe('parked');
    const other = await site.sync(creating(), { scheduledBy: 'weekly' });
    expect(other.record).toMatchObject({ status: 'succeeded' });
    expect((await site.state(first.handle)).status).toBe('parked');
    const second = await site.sync(site.route({ items: [pdf] }), nightly);
    expect(second.record.warnings).toContain(`replaces ${first.runId}, which was parked`);
    const { record } = await site.over(first.handle);
    expect(record).toMatchObject({ status: 'failed', error: { code: 'SUPERSEDED' } });
    expect(record.error?.message).toContain(second.runId);
    expect(site.packages()).toEqual([]);
  });

  it('keeps its slot while its job may run, and polls the job again when resumed', async () => {
    const { finalStatus } = site.target.settings;
    finalStatus.import = 'pondering';
    const handle = await site.start(creating({ jobDeadlineMs: 3_600_000 }));
    await site.untilPhase(handle, 'wait-import');
    anHourLater();
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({
      status: 'parked',
      parked: { phase: 'wait-import', code: 'JOB_DEADLINE' },
    });
    expect(record.parked?.held.join()).toMatch(
      /portal-queue\/[^,]+\/production\/import, since a job may still run on the portal/,
    );
    const next = await site.start(creating({}, image));
    await site.untilPhase(next, 'import');
    finalStatus.import = 'completed';
    const resumed = await site.resume(handle, { jobDeadlineMs: 7_200_000 });
    expect(resumed.record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect((await site.over(next)).record.status).toBe('succeeded');
    expect(site.imports()).toHaveLength(2);
    expect(site.packages()).toEqual([]);
  });
});
