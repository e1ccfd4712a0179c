import { builtInUsers } from '../../../src/simulator/seed/users';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Site } from '../../support/site';
import { until } from '../../support/until';

/** An administrator may read free disk space; items of other owners are blocked unless forced in. */
const user = builtInUsers.admin;
const overwriting = { overwrite: true, items: [transportItems.csv], take: [transportItems.csv] };

let site: Site;
beforeAll(async () => {
  site = await Site.open({ user });
});
afterAll(() => site.close());
beforeEach(() => {
  site.editSource();
  site.target.clearRequests();
});

/** How many exports and imports the target started. */
const started = () => [site.asked('target', 'group.export'), site.imports().length];
const diskReads = () => site.asked('target', 'machines.hardware');

describe('preflight checks of the target', () => {
  it('park an approved run on a full disk before it writes, until there is room', async () => {
    const handle = await site.start(site.route(overwriting, { approval: 'required' }));
    await site.waiting(handle);
    site.target.settings.freeGb = 5;
    await site.approve(handle);
    const { record } = await site.ended(handle);
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
    site.target.settings.freeGb = 10;
    await expect(site.resume(handle)).rejects.toThrow(
      /10 GB that the portal keeps free, .* for the safeguard/,
    );
    expect(started()).toEqual([0, 0]);
    site.target.settings.freeGb = 200;
    expect((await site.resume(handle)).record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(started()).toEqual([1, 1]);
  });

  it('run once without a wait, then for a resume and before the import after it', async () => {
    site.refuseImports({ times: 1 });
    const { handle } = await site.sync(site.route({ items: [transportItems.pdf] }));
    // The second was for the evidence of the parked run.
    expect(diskReads()).toBe(2);
    expect((await site.resume(handle)).record.status).toBe('succeeded');
    expect(diskReads()).toBe(4);
  });

  it('stop an import on a disk that filled while the run waited for its slot', async () => {
    site.target.settings.finalStatus.import = 'pondering';
    const holder = await site.start(site.route({ items: [transportItems.story] }));
    await site.untilPhase(holder, 'wait-import');
    const second = await site.start(site.route({ items: [transportItems.scene] }));
    await site.untilPhase(second, 'import');
    await until('the second run in the queue', async () => (await site.state(second)).queue);
    site.target.settings.freeGb = 5;
    await site.cancel(holder, true);
    const { record } = await site.ended(second);
    expect(record).toMatchObject({ status: 'parked', parked: { phase: 'import', code: 'DISK_FULL' } });
    expect(site.imports()).toHaveLength(1);
    await site.cancel(second);
  });
});
