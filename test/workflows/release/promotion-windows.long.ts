import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import { appItemId, appsGroupId, openPipeline } from '../../cli/promotion/a-pipeline';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { inProcess } from '../../support/in-process';
import type { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';
import { jsonOf } from '../../support/json';

const opens = Date.UTC(2026, 10, 23, 20);
const window = {
  until: '2026-11-23T20:00:00.000Z',
  why: 'the policy of staging allows imports only within "0 20 * * 1-4" for 8h (UTC)',
};

let rehearsal: Rehearsal;
let isOpen = true;
const run = (...args: string[]) => inProcess(args, { cwd: rehearsal.folder });
async function recordOf(...args: string[]): Promise<RunRecord> {
  return runRecord.parse(jsonOf(await run(...args, '-o', 'json')));
}
const shown = (runId: string): Promise<RunRecord> => recordOf('run', 'show', runId);
const waits = (runId: string): Promise<RunRecord> =>
  until(
    'a run that waits for a window',
    () => shown(runId),
    (record) => record.window !== undefined || record.finishedAt !== undefined || record.status === 'parked',
  );
const ends = (runId: string): Promise<RunRecord> =>
  until(
    `${runId} to end`,
    () => shown(runId),
    ({ finishedAt }) => finishedAt !== undefined,
  );
const importsInto = (groupId: string, portal = rehearsal.target): number =>
  portal
    .requests()
    .filter(
      ({ operation, params, path }) =>
        operation === 'group.import' && params['previewOnly'] === 'false' && path.includes(groupId),
    ).length;
/** The window closes while the import of a group is under way. */
async function closedMeanwhile(groupId: string, ...args: string[]): Promise<RunRecord> {
  const { faults } = args.includes('live') ? rehearsal.third : rehearsal.target;
  isOpen = true;
  faults.add({
    match: { operation: 'group.import', path: groupId, params: { previewOnly: 'false' } },
    ...{ when: 'after', do: 'hold' },
  });
  const { runId } = await recordOf(...args, '--yes', '--no-wait');
  await until('the import', () => faults.holding > 0);
  isOpen = false;
  faults.clear();
  return await waits(runId);
}

beforeAll(async () => {
  rehearsal = await openPipeline(
    { staging: { settings: true }, live: { settings: true, onWindowClose: 'finish' } },
    {
      clock: () => (isOpen ? opens : opens - 3_000),
      portals: { policy: { windows: [{ allow: { cron: '0 20 * * 1-4', for: '8h' } }] } },
    },
    { settings: true },
  );
  const { world } = rehearsal.source;
  const notice = { title: 'Open data', text: 'Roads', buttons: 'okOnly', enabled: true };
  world.changePortal({ settings: { ...world.portal.settings, anonymousAccessNotice: notice } });
  await recordOf('release', 'create', 'transport');
});
afterAll(() => rehearsal.close());

describe('a promotion into a portal whose window closes meanwhile', () => {
  it('ends the group that is under way, begins no other one, says until when it waits, and goes on then [P12][P13]', async () => {
    const waiting = await closedMeanwhile(emptyGroupId, 'promote', 'transport', '--to', 'staging');
    expect(waiting).toMatchObject({ status: 'running', target: 'changed', window });
    expect(waiting.children?.map(({ name, status, does }) => [name, does, status])).toEqual([
      ['apps', 'plan', 'succeeded'],
      ['roads', 'import', 'succeeded'],
    ]);
    const { stdout } = await run('run', 'show', waiting.runId);
    expect(stdout).toContain(`window   waits until 2026-11-23 20:00Z: ${window.why}`);
    expect([importsInto(emptyGroupId), importsInto(appsGroupId)]).toEqual([1, 0]);
    isOpen = true;
    const record = await ends(waiting.runId);
    expect({ status: record.status, error: record.error, window: record.window }).toEqual({
      ...{ status: 'succeeded', error: undefined, window: undefined },
    });
    expect([importsInto(emptyGroupId), importsInto(appsGroupId)]).toEqual([1, 1]);
  });

  it('waits with its settings and categories too, and with each group of its rollback', async () => {
    rehearsal.target.faults.add({
      match: { operation: 'item.delete', path: appItemId },
      ...{ when: 'after', do: 'hold' },
    });
    const { runId } = await recordOf('promote', 'rollback', 'transport', 'staging', '--yes', '--no-wait');
    await until('the removal', () => rehearsal.target.faults.holding > 0);
    isOpen = false;
    rehearsal.target.faults.clear();
    expect(await waits(runId)).toMatchObject({ status: 'running', window });
    const settings = () =>
      rehearsal.target.requests().filter(({ operation }) => operation === 'settings.update');
    expect(settings()).toHaveLength(2);
    isOpen = true;
    expect(await ends(runId)).toMatchObject({ status: 'succeeded' });
    expect([...rehearsal.target.world.items.values()]).toEqual([]);

    rehearsal.target.clearRequests();
    const promoted = await closedMeanwhile(appsGroupId, 'promote', 'transport', '--to', 'staging');
    expect(promoted).toMatchObject({ status: 'running', window });
    expect(promoted.phases.find(({ name }) => name === 'portal')?.status).toBe('running');
    expect(settings()).toEqual([]);
    isOpen = true;
    expect(await ends(promoted.runId)).toMatchObject({ status: 'succeeded' });
    expect(settings()).toHaveLength(1);
  });
});

describe('a promotion into a stage that is to be finished when a window closes', () => {
  it('waits before it writes anything, and then for no other window, and so does its way back', async () => {
    isOpen = false;
    const { third } = rehearsal;
    const { runId } = await recordOf('promote', 'transport', '--to', 'live', '--yes', '--no-wait');
    expect(await waits(runId)).toMatchObject({ status: 'running', target: 'untouched' });
    await run('run', 'cancel', runId);
    expect(await ends(runId)).toMatchObject({ status: 'cancelled', target: 'untouched' });

    const promoted = await closedMeanwhile(emptyGroupId, 'promote', 'transport', '--to', 'live');
    expect([promoted.status, promoted.window]).toEqual(['succeeded', undefined]);
    expect([importsInto(emptyGroupId, third), importsInto(appsGroupId, third)]).toEqual([1, 1]);
    expect(third.requests().filter(({ operation }) => operation === 'settings.update')).toHaveLength(1);

    isOpen = true;
    third.faults.add({
      match: { operation: 'item.delete', path: appItemId },
      ...{ when: 'after', do: 'hold' },
    });
    const back = await recordOf('promote', 'rollback', 'transport', 'live', '--yes', '--no-wait');
    await until('the removal', () => third.faults.holding > 0);
    isOpen = false;
    third.faults.clear();
    const gone = await waits(back.runId);
    expect({ status: gone.status, window: gone.window }).toEqual({ status: 'succeeded', window: undefined });
    expect([...third.world.items.values()]).toEqual([]);
  });
});
