import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type AnswerOutcome, outcomeQueryName } from '../../../src/model/run/signature';
import { messageNames, type Resume } from '../../../src/model/run/run-input';
import type { FaultRule } from '../../../src/simulator/faults';
import { transportItems } from '../../../src/simulator/seed/transport';
import { anHourLater } from '../../support/an-hour-later';
import { signed } from '../../support/control';
import { until } from '../../support/until';
import { type Ended, Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { describeLong, itLong } from '../../support/long';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));

const imports = (): Record<string, unknown>[] =>
  rehearsal.target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
    .map(({ params }) => params);

const refusal = { error: { code: 403, message: 'You do not have permissions to perform this operation.' } };

/** The target refuses the first import, as one does that has taken a right away meanwhile. */
const refusesOnce: FaultRule = {
  match: { operation: 'group.import', params: { previewOnly: 'false' } },
  times: 1,
  do: refusal,
};
const refusing = { target: { faults: { rules: [refusesOnce] } } };

const refusedResume = async (handle: WorkflowHandle, set?: Parameters<Rehearsal['resume']>[1]) =>
  await rehearsal.resume(handle, set).then(
    () => 'taken',
    (thrown: Error) => thrown.message,
  );

describe('a run whose import was refused', () => {
  let run: Ended;
  beforeAll(async () => {
    await open(refusing);
    run = await rehearsal.sync();
  });
  afterAll(() => rehearsal.close());

  it('is parked with all that a person needs [P08]', () => {
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
    expect(parked?.evidence[0]).toBe('0 of 8 items on production have changed since the plan');
    expect(record.phases.find(({ name }) => name === 'import')?.status).toBe('parked');
  });

  it('takes no correction that the portal does not bear out, and is as it was', async () => {
    expect(await refusedResume(run.handle, { folderId: 'f0000000000000000000000000000bad' })).toContain(
      'a folder with ID f0000000000000000000000000000bad',
    );
    expect(await rehearsal.state(run.handle)).toMatchObject({
      status: 'parked',
      parked: { count: 1, refusals: 1 },
      actions: [{ what: 'start' }],
    });
  });

  it('goes on to its end, with the correction, when it is resumed', async () => {
    const folder = rehearsal.target.world.folders.put('f0000000000000000000000000000001', {
      id: 'f0000000000000000000000000000001',
      username: 'owner',
      title: 'From staging',
      created: Date.now(),
    });
    const { record } = await rehearsal.resume(run.handle, { folderId: folder.id });
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.parked).toBeUndefined();
    expect(record.error).toBeUndefined();
    expect(record.actions).toMatchObject([
      { what: 'start', identity: 'claimed' },
      {
        what: `resume with target.folder=${folder.id}`,
        who: 'a@b',
        reason: 'mended',
        identity: 'claimed',
      },
    ]);
    expect(imports()).toHaveLength(2);
    expect(imports().at(-1)).toMatchObject({ folderId: folder.id });
    expect(rehearsal.packages()).toEqual([]);
  });
});

describe('a run whose import cannot go on', () => {
  afterEach(() => rehearsal.close());

  it('asks again for a plan that changed meanwhile, and not for one that did not', async () => {
    await open(refusing);
    rehearsal.target.faults.add({ ...refusesOnce, times: undefined, nth: 2 });
    const required = rehearsal.route({ overwrite: true }, { approval: 'required' });
    const handle = await rehearsal.start(required);
    const { plan: first } = await rehearsal.waiting(handle);
    await rehearsal.approve(handle);
    expect((await rehearsal.ended(handle)).record.status).toBe('parked');
    const { resume } = messageNames;
    const message: Resume = await signed(rehearsal.config, handle, resume, { who: 'a@b' });
    await rehearsal.send(handle, resume, message);
    const { record } = await rehearsal.ended(handle, 1);
    expect(record).toMatchObject({ status: 'parked', parked: { count: 2 } });
    await handle.signal(resume, message);
    await handle.signal(resume, { ...message, who: 'eve@desk' });
    const refused = await until(
      'the refusals',
      async () => (await rehearsal.state(handle)).warnings.filter((each) => each.startsWith('resume: ')),
      ({ length }) => length === 2,
    );
    expect(refused.sort()).toEqual([
      'resume: a decision was refused: it is not authentic',
      'resume: a decision was refused: it was used before',
    ]);
    // Neither takes the place of what became of the first.
    const { nonce = '' } = message.proof ?? {};
    const outcome = await handle.query<AnswerOutcome, [string]>(outcomeQueryName, nonce);
    expect(outcome).toMatchObject({ status: 'accepted' });
    rehearsal.target.world.items.change(transportItems.csv, { modified: Date.now() });
    await rehearsal.answer(handle, 'resume', { who: 'a@b' });
    await rehearsal.waiting(handle, first?.hash);
    await rehearsal.approve(handle);
    expect((await rehearsal.over(handle)).record.status).toBe('succeeded');
  });

  itLong('is taken off the target again when somebody cancels it', async () => {
    await open(refusing);
    const { handle } = await rehearsal.sync();
    expect((await rehearsal.cancel(handle)).record).toMatchObject({
      status: 'cancelled',
      target: 'untouched',
      leftRunning: [],
    });
    expect(rehearsal.packages()).toEqual([]);
  });

  it('ends by itself when nobody comes in time', async () => {
    await open(refusing);
    const { handle } = await rehearsal.sync(rehearsal.route({}, { decisionTimeoutMs: 1_000 }));
    const { record } = await rehearsal.over(handle);
    expect(record).toMatchObject({ status: 'failed', target: 'untouched', error: { code: 'PARK_EXPIRED' } });
    expect(record.error?.message).toContain('PERMISSION_DENIED');
    expect(record.parked).toBeUndefined();
    expect(rehearsal.packages()).toEqual([]);
  });

  itLong('ends instead of waiting where nobody can come', async () => {
    await open(refusing);
    const { record } = await rehearsal.sync(undefined, { parks: false });
    expect(record).toMatchObject({ status: 'failed', error: { code: 'PERMISSION_DENIED' } });
  });
});

describe('a run that is started regularly', () => {
  afterEach(() => rehearsal.close());

  it('supersedes its predecessor where that is parked, and both say so', async () => {
    await open({ target: { faults: { rules: [refusesOnce] } } });
    const nightly = { scheduledBy: 'nightly' };
    const first = await rehearsal.sync(undefined, nightly);
    expect(first.record.status).toBe('parked');
    const other = await rehearsal.sync(undefined, { scheduledBy: 'weekly' });
    expect(other.record).toMatchObject({ status: 'succeeded' });
    expect((await rehearsal.state(first.handle)).status).toBe('parked');
    const second = await rehearsal.sync(undefined, nightly);
    expect(second.record.warnings).toContain(`replaces ${first.runId}, which was parked`);
    const { record } = await rehearsal.over(first.handle);
    expect(record).toMatchObject({ status: 'failed', error: { code: 'SUPERSEDED' } });
    expect(record.error?.message).toContain(second.runId);
    expect(rehearsal.packages()).toEqual([]);
  });
});

describe('a run whose job on the target does not end in time', () => {
  afterEach(async () => {
    await rehearsal.close();
    jest.restoreAllMocks();
  });

  it('keeps its slot, since the job may still run, and polls it again when it is resumed: one import', async () => {
    await open({ target: { finalStatus: { import: 'pondering' } } });
    const handle = await rehearsal.start(rehearsal.route({}, { jobDeadlineMs: 3_600_000 }));
    await rehearsal.untilPhase(handle, 'wait-import');
    anHourLater();
    const { record } = await rehearsal.ended(handle);
    expect(record).toMatchObject({
      status: 'parked',
      parked: { phase: 'wait-import', code: 'JOB_DEADLINE' },
    });
    expect(record.parked?.held.join()).toMatch(
      /portal-queue\/[^,]+\/production\/import, since a job may still run on the portal/,
    );
    const next = await rehearsal.start(rehearsal.route({ overwrite: true }));
    await rehearsal.untilPhase(next, 'import');
    rehearsal.target.settings.finalStatus.import = 'completed';
    const resumed = await rehearsal.resume(handle, { jobDeadlineMs: 7_200_000 });
    expect(resumed.record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect((await rehearsal.over(next)).record.status).toBe('succeeded');
    expect(imports()).toHaveLength(2);
    expect(rehearsal.packages()).toEqual([]);
  });
});

describeLong('a run whose verification cannot be read', () => {
  afterEach(() => rehearsal.close());

  it('verifies once more when it is resumed, and imports nothing again', async () => {
    await open();
    rehearsal.target.faults.add({
      match: { operation: 'group.content' },
      since: { operation: 'group.import', params: { previewOnly: 'false' } },
      do: refusal,
    });
    const { handle, record } = await rehearsal.sync();
    expect(record).toMatchObject({ status: 'parked', target: expect.stringMatching(/changed|unknown/) });
    rehearsal.target.faults.clear();
    expect((await rehearsal.resume(handle)).record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(imports()).toHaveLength(1);
  });
});

describeLong('a run that is cancelled at once while its job runs', () => {
  afterEach(() => rehearsal.close());

  it('ends without waiting, and says which job it left and that its package stays for it', async () => {
    await open({ target: { jobMs: 60_000 } });
    const handle = await rehearsal.start();
    await rehearsal.untilPhase(handle, 'wait-import');
    await rehearsal.askToEnd(handle, { who: 'a@b', reason: 'wrong group' });
    const { record } = await rehearsal.cancel(handle, true);
    expect(record).toMatchObject({ status: 'cancelled' });
    expect(record.leftRunning).toEqual([expect.stringMatching(/^import job \w+ on production$/)]);
    expect(record.warnings.join('\n')).toMatch(/packages stay on production.*portolan clean production/);
    expect(record.actions.map(({ what }) => what)).toEqual(['start', 'cancel', 'cancel --now']);
    expect(rehearsal.packages()).toHaveLength(1);
    expect(record.items).toBeDefined();
  });
});
