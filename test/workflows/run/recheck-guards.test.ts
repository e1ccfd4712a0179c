import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';

/** An administrator may read free disk space; items of other owners are blocked unless forced in. */
const user = { username: 'admin', password: 'admin-pw' };
const overwriting = { overwrite: true, items: [transportItems.csv], take: [transportItems.csv] };

let rehearsal: Rehearsal;
beforeEach(async () => {
  rehearsal = await Rehearsal.open({ user });
});
afterEach(() => rehearsal.close());

const sent = (operation: string) =>
  rehearsal.target.requests().filter((request) => request.operation === operation);
const started = (): { exports: number; imports: number } => ({
  exports: sent('group.export').length,
  imports: sent('group.import').filter(({ params }) => params['previewOnly'] === 'false').length,
});
const diskReads = (): number => sent('machines.hardware').length;

describe('preflight checks of the target', () => {
  it('park an approved run on a full disk before it writes, until there is room', async () => {
    const handle = await rehearsal.start(rehearsal.route(overwriting, { approval: 'required' }));
    await rehearsal.waiting(handle);
    rehearsal.target.settings.freeGb = 5;
    await rehearsal.approve(handle);
    const { record } = await rehearsal.ended(handle);
    const saw = expect.stringContaining('disk on production: 5 GB free');
    expect(record).toMatchObject({
      status: 'parked',
      target: 'untouched',
      plan: { overwrite: 1 },
      error: { code: 'DISK_FULL', message: saw },
      parked: { phase: 'safeguard', code: 'DISK_FULL', evidence: expect.arrayContaining([saw]) },
    });
    const disk = record.guards?.filter(({ name }) => name === 'disk on production');
    expect(disk).toMatchObject([{ verdict: 'refuse' }]);
    // Room for the portal's own reserve, but not for the safeguard.
    rehearsal.target.settings.freeGb = 10;
    await expect(rehearsal.resume(handle)).rejects.toThrow(
      /10 GB that the portal keeps free, .* for the safeguard/,
    );
    expect(started()).toEqual({ exports: 0, imports: 0 });
    rehearsal.target.settings.freeGb = 200;
    expect((await rehearsal.resume(handle)).record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(started()).toEqual({ exports: 1, imports: 1 });
  });

  it('run once without a wait, then for a resume and before the import after it', async () => {
    rehearsal.target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      times: 1,
      do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
    });
    const { handle } = await rehearsal.sync(rehearsal.route(overwriting));
    // The second was for the evidence of the parked run.
    expect(diskReads()).toBe(2);
    expect((await rehearsal.resume(handle)).record.status).toBe('succeeded');
    expect(diskReads()).toBe(4);
  });

  it('stop an import on a disk that filled while the run waited for its slot', async () => {
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
    expect(started().imports).toBe(1);
    await rehearsal.cancel(second);
  });
});
