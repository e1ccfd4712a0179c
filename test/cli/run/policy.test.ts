import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Identity } from '../../../src/model/run/signature';
import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import type { RunState } from '../../../src/model/run/run-state';
import {
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../src/simulator/seed/transport';
import { approveRun } from '../../../src/service/run/send-decision';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { until } from '../../support/until';
import { recordOf } from '../../support/json';

let at: Rehearsal;
const open = async (options: RehearsalOptions): Promise<Rehearsal> => (at = await Rehearsal.open(options));
afterEach(() => at.close());

const typed = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: at.folder });
const one = { items: [transportItems.pdf] };

/** What a portal was asked to do that a plan does not need. */
const imports = (): number =>
  at.target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
    .length;
/** How often a plan was read from it. */
const readings = (): number =>
  at.target.requests().filter(({ operation }) => operation === 'group.importPreview').length;

const refusalOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'taken',
    (thrown: Error) => thrown.message.replace(/^\[.*\] The run refused it: /, ''),
  );
const approve = async (handle: WorkflowHandle, who: string, identity?: Identity): Promise<string> =>
  await refusalOf(at.approve(handle, { who }, identity));

const ends = {
  source: { portal: 'staging', group: transportGroupId },
  target: { portal: 'production', group: transportTargetGroupId },
};

describe('a worker whose route requires an approval', () => {
  it('lets no run into its group import without one: not ad hoc, by another file, as a restore, or by a starter of its own [P13]', async () => {
    await open({ listed: true, config: { routes: { transport: { ...ends, approval: 'required' } } } });
    // A second portolan.yaml of the same worker's portals, in which the route asks for nothing.
    const file = path.join(at.folder, 'other.yaml');
    const config = parse(readFileSync(path.join(at.folder, 'portolan.yaml'), 'utf8')) as object;
    writeFileSync(file, stringify({ ...config, routes: { transport: { ...ends, approval: 'none' } } }));
    await typed('backup', 'create', 'transport');

    const fromTo = ['--from', 'staging', '--group', transportGroupId, '--to', 'production'];
    const lines = [
      ['sync', ...fromTo, '--into', transportTargetGroupId, '--yes'],
      ['sync', 'transport', '--yes', '--config', file],
      ['restore', 'latest:transport', '--to', 'production', '--into', transportTargetGroupId, '--yes'],
    ];
    const route = at.route(one, { approval: 'none' });
    const [handle, ...all] = await Promise.all([
      at.start(route, { yes: true }),
      ...lines.map((line) => typed(...line, '-o', 'json')),
    ]);
    for (const ended of all) {
      expect([ended.status, recordOf(ended).status]).toEqual([4, 'waiting']);
      expect(recordOf(ended).guards).toContainEqual({
        name: 'policy',
        verdict: 'pass',
        saw: 'approval: required, set by route transport (approval: required)',
      });
    }
    expect(await at.waiting(handle)).toMatchObject({ status: 'waiting', target: 'untouched' });
    expect(imports()).toBe(0);
    expect(await approve(handle, 'a@b')).toBe('taken');
    expect((await at.over(handle)).record).toMatchObject({ status: 'succeeded' });
    expect(imports()).toBe(1);
  });
});

describe('a portal whose policy asks for a second person', () => {
  it('takes the yes of an approver who has not started the run, and nothing at all while it is frozen [P13]', async () => {
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
    const handle = await at.start(at.route(one), { yes: true });
    await at.waiting(handle);
    expect(await approve(handle, 'test')).toMatch(/test started the run, .* a second approver/);
    expect(await approve(handle, 'ann@desk')).toBe(
      'ann@desk is not an approver; approvers: test, gislead, owner@production, viewer@production',
    );
    const frozen = await typed('freeze', 'production', '--reason', 'an upgrade');
    expect(frozen.status).toBe(0);
    expect(await approve(handle, 'gislead@desk')).toMatch(
      /^the identity of gislead@desk is unverified, .* a key$/,
    );
    // A member of the group, as the portal says now, and not as another portal would.
    expect(await approve(handle, 'owner@staging', 'portal')).toMatch(/^owner@staging is not an approver/);
    const owner = { who: 'owner@production', identity: 'portal' as const };
    const approving = async (): Promise<string> => {
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
    expect(imports()).toBe(0);
    const cleaned = await typed('clean', 'production', '--yes');
    expect([cleaned.status, cleaned.stderr]).toEqual([1, expect.stringContaining('PORTAL_FROZEN')]);
    expect(at.packages()).not.toEqual([]);

    expect((await typed('unfreeze', 'production')).stdout).toMatch(/^unfrozen production; .* an upgrade$/m);
    expect((await at.resume(handle)).record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(imports()).toBe(1);
    await requiresApprovalToRemove(handle);
  });
});

/** Undoing it, which imports nothing, waits as the import did, and shows what it would remove. */
async function requiresApprovalToRemove(synced: WorkflowHandle): Promise<void> {
  const yes = ['--yes', '--delete-created', '--yes-delete', 'production', '-o', 'json'];
  const asked = await typed('run', 'rollback', synced.workflowId, ...yes);
  const { runId, plan, status } = recordOf(asked);
  expect([asked.status, status, plan]).toMatchObject([4, 'waiting', { create: 0, overwrite: 0, remove: 1 }]);
  expect((await typed('run', 'show', runId, '--plan')).stdout).toMatch(/^remove .* PDF .* created by sync-/m);
  const rollback = at.temporal.client.workflow.getHandle(runId);
  expect(await approve(rollback, 'ann@desk')).toMatch(/^ann@desk is not an approver/);
  expect(at.target.world.items.get(transportItems.pdf)).toBeDefined();
  expect(await approve(rollback, 'owner@production', 'portal')).toBe('taken');
  expect((await at.over(rollback)).record).toMatchObject({
    status: 'succeeded',
    created: { removed: [transportItems.pdf] },
  });
  expect(at.target.world.items.get(transportItems.pdf)).toBeUndefined();
}

describe('a portal that takes routes only, and these in the evening', () => {
  it('refuses any other run before anything is asked of it; a route of the worker waits for its window, says so, and asks again then [P13]', async () => {
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
    const waiting = (run: WorkflowHandle): Promise<RunState> =>
      until(
        'a run that waits for a window',
        () => at.state(run),
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
    const { stdout: shown } = await typed('run', 'show', handle.workflowId);
    expect(shown).toContain(`window   ${words}: ${window.why}`);
    expect(shown).toMatch(/^ok {2}policy +the import waits until 2026-11-23T20:00:00.000Z: /m);
    // Temporal's index tells of it a moment later.
    await until('the window in the list', async () =>
      (await typed('run', 'list')).stdout.includes(`import, ${words}`),
    );
    expect((await typed('queue', 'list')).stdout).not.toContain(handle.workflowId);
    expect((await at.cancel(other)).record).toMatchObject({ status: 'cancelled', target: 'untouched' });
    expect(imports()).toBe(0);

    await typed('freeze', 'production', '--reason', 'an upgrade');
    isEvening = true;
    expect((await at.ended(handle)).record).toMatchObject({
      status: 'parked',
      error: { code: 'PORTAL_FROZEN' },
    });
    await typed('unfreeze', 'production');
    // It closes once the plan has been read again, right before the import.
    closesWith = readings() + 2;
    const resumed = at.resume(handle);
    expect(await waiting(handle)).toMatchObject({ status: 'running', target: 'untouched', window });
    expect(imports()).toBe(0);
    closesWith = Infinity;
    const { record } = await resumed;
    expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(record.window).toBeUndefined();
    expect(imports()).toBe(1);

    // What removes waits as what imports does.
    isEvening = false;
    const yes = ['--delete-created', '--yes', '--yes-delete', 'production', '--no-wait'];
    const begun = await typed('run', 'rollback', handle.workflowId, ...yes, '-o', 'json');
    const rollback = at.temporal.client.workflow.getHandle(recordOf(begun).runId);
    expect(await waiting(rollback)).toMatchObject({ status: 'running', target: 'untouched', window });
    expect(at.target.world.items.get(transportItems.pdf)).toBeDefined();
    isEvening = true;
    expect((await at.over(rollback)).record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(at.target.world.items.get(transportItems.pdf)).toBeUndefined();
  });
});
