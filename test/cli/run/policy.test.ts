import path from 'node:path';
import type { Identity } from '../../../src/model/run/signature';
import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../src/simulator/seed/transport';
import { approveRun } from '../../../src/service/run/send-decision';
import { Site, type SiteOptions } from '../../support/site';
import { until } from '../../support/until';
import { recordOf } from '../../support/json';
import { typedIn } from '../../support/typed-in';

let at: Site;
const open = async (options: SiteOptions) => (at = await Site.open(options));
afterEach(() => at.close());

const { run, given, configure, expectRun } = typedIn(() => at.folder);
const one = { items: [transportItems.pdf] };

/** How often a plan was read from it. */
const readings = () =>
  at.target.requests().filter(({ operation }) => operation === 'group.importPreview').length;

const refusalOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'taken',
    (thrown: Error) => thrown.message.replace(/^\[.*\] The run refused it: /, ''),
  );
const approve = async (handle: WorkflowHandle, who: string, identity?: Identity) =>
  await refusalOf(at.approve(handle, { who }, identity));

describe('a portal policy with a second approver', () => {
  it('binds every starter, and holds its approved import while the portal is frozen [P13]', async () => {
    await open({
      listed: true,
      portals: {
        policy: {
          writes: 'required',
          twoPeople: true,
          approvers: { users: ['test', 'gislead'], group: transportTargetGroupId },
        },
      },
    });
    // A second portolan.yaml of the same worker's portals, which has no policy.
    const file = path.join(at.folder, 'other.yaml');
    const strict = Object.entries(given<{ portals: Record<string, object> }>().portals);
    const lax = strict.map(([name, portal]) => [name, { ...portal, policy: undefined }]);
    configure({ portals: Object.fromEntries(lax) }, file);
    const ends = `--from staging --group ${transportGroupId} --to production --into ${transportTargetGroupId}`;
    const others = await Promise.all(
      [ends, `transport --config ${file}`].map((asked) =>
        run(`sync ${asked} --yes --items ${transportItems.pdf} -o json`),
      ),
    );
    for (const ended of others)
      expect([ended.status, recordOf(ended).status, recordOf(ended).target]).toEqual([
        4,
        'waiting',
        'untouched',
      ]);
    const handle = await at.start(at.route(one), { yes: true });
    await at.waiting(handle);
    expect(await approve(handle, 'test')).toMatch(/test started the run, .* a second approver/);
    expect(await approve(handle, 'ann@desk')).toBe(
      'ann@desk is not an approver; approvers: test, gislead, owner@production, viewer@production',
    );
    await expectRun('freeze production --reason "an upgrade"', 0);
    expect(await approve(handle, 'gislead@desk')).toMatch(
      /^the identity of gislead@desk is unverified, .* a key$/,
    );
    // A member of the group, as the portal says now, and not as another portal would.
    expect(await approve(handle, 'owner@staging', 'portal')).toMatch(/^owner@staging is not an approver/);
    const owner = { who: 'owner@production', identity: 'portal' as const };
    const approving = async () => {
      const { plan } = await at.state(handle);
      const { hash = '', sha256 } = plan ?? {};
      const { config, temporal } = at;
      return await refusalOf(
        approveRun({ config, temporal, asker: owner }, handle.workflowId, { hash, sha256 }),
      );
    };
    at.target.faults.add({
      match: { operation: 'group.users' },
      times: 1,
      do: { error: { code: 403, message: 'You do not have permissions.' } },
    });
    expect(await approving()).toMatch(/You do not have permissions/);
    expect(await approving()).toBe('taken');
    const { record } = await at.ended(handle);
    expect(record).toMatchObject({
      status: 'parked',
      target: 'untouched',
      error: { code: 'PORTAL_FROZEN', message: expect.stringContaining('an upgrade') },
    });
    expect(await refusalOf(at.resume(handle))).toMatch(/production has been frozen by .* an upgrade/);
    const refused = await at.sync(at.route(one));
    expect(refused.record).toMatchObject({ status: 'failed', error: { code: 'PORTAL_FROZEN' } });
    expect(at.imports()).toHaveLength(0);
    await expectRun('clean production --yes', 1, 'PORTAL_FROZEN');
    expect(at.packages()).not.toEqual([]);

    await expectRun('unfreeze production', 0, /^unfrozen production; .* an upgrade$/m);
    expect((await at.resume(handle)).record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(at.imports()).toHaveLength(1);
  });
});

describe('a portal policy of routes and windows', () => {
  it('refuses ad hoc runs, and lets a route wait for its window [P13]', async () => {
    const opens = Date.UTC(2026, 10, 23, 20);
    let isEvening = false;
    let closesWith = Infinity;
    await open({
      listed: true,
      clock: () => (isEvening && readings() < closesWith ? opens : opens - 1_000),
      portals: { policy: { adhoc: false, windows: [{ allow: { cron: '0 20 * * 1-4', for: '8h' } }] } },
    });
    const refused = await at.sync({ ...at.route(one), name: 'mine' });
    expect(refused.record).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'POLICY_REFUSED', message: expect.stringContaining('adhoc: false') },
    });
    expect(at.target.requests()).toEqual([]);

    const [handle, other] = await Promise.all([at.start(at.route(one)), at.start(at.route(one))]);
    const waiting = (handle: WorkflowHandle) =>
      until(
        'a run that waits for a window',
        () => at.state(handle),
        (state) => state.window !== undefined,
      );
    const window = {
      until: '2026-11-23T20:00:00.000Z',
      why: 'the policy of production allows imports only within "0 20 * * 1-4" for 8h (UTC)',
    };
    for (const each of [handle, other]) {
      const state = await waiting(each);
      expect(state).toMatchObject({ status: 'running', target: 'untouched', window });
      expect(state.guards).toContainEqual({
        name: 'policy',
        verdict: 'pass',
        saw: `the import waits until ${window.until}: ${window.why}`,
        isNews: true,
      });
    }
    const words = 'waits until 2026-11-23 20:00Z';
    await expectRun(
      `run show ${handle.workflowId}`,
      0,
      `window   ${words}: ${window.why}`,
      /^ok {2}policy +the import waits until 2026-11-23T20:00:00.000Z: /m,
    );
    // Temporal's index tells of it a moment later.
    await until('the window in the list', async () =>
      (await run('run list')).stdout.includes(`import, ${words}`),
    );
    expect((await run('queue list')).stdout).not.toContain(handle.workflowId);
    expect((await at.cancel(other)).record).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(at.imports()).toHaveLength(0);

    await run('freeze production --reason "an upgrade"');
    isEvening = true;
    expect((await at.ended(handle)).record).toMatchObject({
      status: 'parked',
      error: { code: 'PORTAL_FROZEN' },
    });
    await run('unfreeze production');
    // It closes once the plan has been read again, right before the import.
    closesWith = readings() + 2;
    const resumed = at.resume(handle);
    expect(await waiting(handle)).toMatchObject({ status: 'running', target: 'untouched', window });
    expect(at.imports()).toHaveLength(0);
    closesWith = Infinity;
    const { record } = await resumed;
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.window).toBeUndefined();
    expect(at.imports()).toHaveLength(1);
  });
});
