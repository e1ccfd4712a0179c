import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../../src/model/run/run';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';
import { itLong } from '../../support/long';

/** Who may read how much is free on a portal; what others own is blocked, unless it is taken. */
const user = { username: 'admin', password: 'admin-pw' };
const overwriting = { overwrite: true, items: [transportItems.csv], take: [transportItems.csv] };

let rehearsal: Rehearsal;
beforeEach(async () => {
  rehearsal = await Rehearsal.open({ user });
});
afterEach(() => rehearsal.close());

const asked = (operation: string, params: Record<string, string> = {}): number =>
  rehearsal.target
    .requests()
    .filter(
      (request) =>
        request.operation === operation &&
        Object.entries(params).every(([name, value]) => request.params[name] === value),
    ).length;
const begun = (): { exports: number; imports: number } => ({
  exports: asked('group.export'),
  imports: asked('group.import', { previewOnly: 'false' }),
});
const looksAtDisk = (): number => asked('machines.hardware');

const yes = async (handle: WorkflowHandle): Promise<void> => {
  await rehearsal.waiting(handle);
  await rehearsal.approve(handle);
};

/** A sync whose target becomes another one while it waits for a yes. */
async function changedWhileItWaits(
  flags: Parameters<Rehearsal['route']>[0],
  change: () => void,
): Promise<{ handle: WorkflowHandle; record: RunRecord }> {
  const handle = await rehearsal.start(rehearsal.route(flags, { approval: 'required' }));
  await rehearsal.waiting(handle);
  change();
  await yes(handle);
  return { handle, record: (await rehearsal.ended(handle)).record };
}

const refusedResume = async (handle: WorkflowHandle): Promise<string> =>
  await rehearsal.resume(handle).then(
    () => 'taken',
    (thrown: Error) => thrown.message,
  );

describe('a run whose target fell short of disk while somebody was waited for', () => {
  it('begins no safeguard and no import, is parked as DISK_FULL, and goes on once there is room for both', async () => {
    const { handle, record } = await changedWhileItWaits(overwriting, () => {
      rehearsal.target.settings.freeGb = 5;
    });
    expect(record).toMatchObject({
      status: 'parked',
      target: 'untouched',
      plan: { overwrite: 1 },
      error: { code: 'DISK_FULL', message: expect.stringContaining('disk on production: 5 GB free') },
      parked: { phase: 'safeguard', code: 'DISK_FULL' },
    });
    expect(record.parked?.evidence.join('\n')).toContain('disk on production: 5 GB free');
    expect(record.guards?.filter(({ name }) => name === 'disk on production')).toMatchObject([
      { verdict: 'refuse' },
    ]);
    expect(begun()).toEqual({ exports: 0, imports: 0 });
    // What the portal wants for a job is free, and the safeguard has no place beside it.
    rehearsal.target.settings.freeGb = 10;
    expect(await refusedResume(handle)).toMatch(/10 GB that the portal keeps free, .* for the safeguard/);
    expect(begun()).toEqual({ exports: 0, imports: 0 });
    rehearsal.target.settings.freeGb = 200;
    expect((await rehearsal.resume(handle)).record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(begun()).toEqual({ exports: 1, imports: 1 });
  });

  itLong('posts no import where there is nothing to save first, and names all that is refused', async () => {
    const { handle, record } = await changedWhileItWaits({}, () => {
      Object.assign(rehearsal.target.settings, { freeGb: 5, readOnly: true });
    });
    expect(record).toMatchObject({
      status: 'parked',
      target: 'untouched',
      error: { code: 'TARGET_READ_ONLY', message: expect.stringContaining('disk on production: 5 GB free') },
      parked: { phase: 'import' },
    });
    expect(begun()).toEqual({ exports: 0, imports: 0 });
    Object.assign(rehearsal.target.settings, { freeGb: 200, readOnly: false });
    expect((await rehearsal.cancel(handle)).record.status).toBe('cancelled');
    expect(rehearsal.packages()).toEqual([]);
  });

  itLong('posts no import when it waited for a slot meanwhile', async () => {
    rehearsal.target.settings.finalStatus.import = 'pondering';
    const holder = await rehearsal.start(rehearsal.route({ items: [transportItems.story] }));
    await rehearsal.untilPhase(holder, 'wait-import');
    const second = await rehearsal.start(rehearsal.route(overwriting));
    await rehearsal.untilPhase(second, 'import');
    await until('the second run in the queue', async () => (await rehearsal.state(second)).queue);
    rehearsal.target.settings.freeGb = 5;
    await rehearsal.cancel(holder, true);
    const { record } = await rehearsal.ended(second);
    expect(record).toMatchObject({ status: 'parked', parked: { phase: 'import', code: 'DISK_FULL' } });
    expect(begun().imports).toBe(1);
    await rehearsal.cancel(second);
  });

  itLong('ends as DISK_FULL where nobody can come, and leaves nothing behind', async () => {
    const handle = await rehearsal.start(rehearsal.route(overwriting, { approval: 'required' }), {
      parks: false,
    });
    await rehearsal.waiting(handle);
    rehearsal.target.settings.freeGb = 5;
    await yes(handle);
    expect((await rehearsal.over(handle)).record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'DISK_FULL' },
    });
    expect(begun()).toEqual({ exports: 0, imports: 0 });
    expect(rehearsal.packages()).toEqual([]);
  });
});

describe('a run that waited for somebody', () => {
  itLong('goes on where there still is room, and was asked once more', async () => {
    const { record } = await changedWhileItWaits(overwriting, () => {
      rehearsal.target.settings.freeGb = 10.5;
    });
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.guards?.filter(({ name }) => name === 'disk on production')).toMatchObject([
      { verdict: 'pass', saw: expect.stringContaining('10.5 GB free') },
    ]);
    expect(looksAtDisk()).toBe(2);
  });

  itLong('goes on with a warning where nobody tells any more how much is free', async () => {
    const { record } = await changedWhileItWaits(overwriting, () => {
      rehearsal.target.faults.add({ match: { operation: 'machines.list' }, do: { status: 404 } });
    });
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.warnings).toContain('disk on production: this account cannot read it on production');
  });

  it('is asked again before the import that follows a resume', async () => {
    rehearsal.target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      times: 1,
      do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
    });
    const { handle } = await rehearsal.sync(rehearsal.route(overwriting));
    const before = looksAtDisk();
    expect((await rehearsal.resume(handle)).record.status).toBe('succeeded');
    // By the resume itself, and before the import.
    expect(looksAtDisk()).toBe(before + 2);
  });
});

itLong('a run for which nobody was waited asks each guard once', async () => {
  expect((await rehearsal.sync(rehearsal.route(overwriting))).record.status).toBe('succeeded');
  expect(looksAtDisk()).toBe(1);
});
