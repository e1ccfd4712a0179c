import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunRecord } from '../../../src/model/run/run';
import { appItemId, appsGroupId, openPipeline } from '../../cli/promotion/a-pipeline';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { importPost, type Site } from '../../support/site';
import { until } from '../../support/until';
import { typedIn } from '../../support/typed-in';

const opens = Date.UTC(2026, 10, 23, 20);
const window = {
  until: '2026-11-23T20:00:00.000Z',
  why: 'the policy of staging allows imports only within "0 20 * * 1-4" for 8h (UTC)',
};

let site: Site;
const { run, recordOf, shown } = typedIn(() => site.folder);
let isOpen = true;
const waits = (runId: string) =>
  shown(
    runId,
    (record) => record.window !== undefined || record.finishedAt !== undefined || record.status === 'parked',
  );
const begin = (...args: string[]) => recordOf('promote', ...args, '--yes', '--no-wait');
const promote = () => begin('transport', '--to', 'staging');
const importsInto = (groupId: string) =>
  site.target
    .requests()
    .filter(
      ({ operation, params, path }) =>
        operation === 'group.import' && params['previewOnly'] === 'false' && path.includes(groupId),
    ).length;
const idsOn = ({ world }: Site['source']) => [...world.items.values()].map(({ id }) => id);
/** The window closes while the import of the first group is under way. */
async function closedMeanwhile(): Promise<RunRecord> {
  const { faults } = site.target;
  isOpen = true;
  faults.add({
    match: { ...importPost, path: emptyGroupId },
    when: 'after',
    do: 'hold',
  });
  const { runId } = await promote();
  await until('the import', () => faults.holding > 0);
  isOpen = false;
  faults.clear();
  return await waits(runId);
}

beforeAll(async () => {
  site = await openPipeline(
    { staging: { settings: true } },
    {
      clock: () => (isOpen ? opens : opens - 3_000),
      portals: { policy: { windows: [{ allow: { cron: '0 20 * * 1-4', for: '8h' } }] } },
    },
    { settings: true },
  );
  const { world } = site.source;
  const notice = { title: 'Open data', text: 'Roads', buttons: 'okOnly', enabled: true };
  world.changePortal({ settings: { ...world.portal.settings, anonymousAccessNotice: notice } });
  await recordOf('release', 'create', 'transport');
});
afterAll(() => site.close());

describe('a promotion whose window closes', () => {
  it('waits for a window only before its first write, as does its rollback [P12][P13]', async () => {
    isOpen = false;
    const { target } = site;
    const { runId } = await promote();
    expect(await waits(runId)).toMatchObject({ status: 'running', target: 'untouched', window });
    const { stdout } = await run('run', 'show', runId);
    expect(stdout).toContain(`window   waits until 2026-11-23 20:00Z: ${window.why}`);
    await run('run', 'cancel', runId);
    expect(await shown(runId)).toMatchObject({ status: 'cancelled', target: 'untouched' });

    const promoted = await closedMeanwhile();
    expect([promoted.status, promoted.window]).toEqual(['succeeded', undefined]);
    expect([importsInto(emptyGroupId), importsInto(appsGroupId)]).toEqual([1, 1]);
    expect(target.requests().filter(({ operation }) => operation === 'settings.update')).toHaveLength(1);

    isOpen = true;
    target.faults.add({
      match: { operation: 'item.delete', path: appItemId },
      when: 'after',
      do: 'hold',
    });
    const back = await begin('rollback', 'transport', 'staging');
    await until('the removal', () => target.faults.holding > 0);
    isOpen = false;
    target.faults.clear();
    const gone = await waits(back.runId);
    expect({ status: gone.status, window: gone.window }).toEqual({ status: 'succeeded', window: undefined });
    expect([...target.world.items.values()]).toEqual([]);
  });

  it('waits for a window again when it is resumed half-way [P13]', async () => {
    isOpen = true;
    const { target, source } = site;
    target.clearRequests();
    target.settings.failImport = idsOn(source)
      .filter((id) => id !== appItemId)
      .slice(0, 1);
    const { runId } = await promote();
    const parked = await waits(runId);
    expect([parked.status, parked.target]).toEqual(['parked', 'changed']);
    target.settings.failImport = [];
    isOpen = false;
    const imports = importsInto(emptyGroupId) + importsInto(appsGroupId);
    await run('run', 'resume', runId);
    // What came in part is taken back first, to be planned again.
    const isUndo = ({ does }: NonNullable<RunRecord['children']>[number]) => does === 'undo';
    const { children } = await shown(runId, ({ children: parts }) => parts?.some(isUndo) ?? false);
    expect(await waits(children?.find(isUndo)?.runId ?? '')).toMatchObject({
      status: 'running',
      target: 'untouched',
      window,
    });
    expect(importsInto(emptyGroupId) + importsInto(appsGroupId)).toBe(imports);
    isOpen = true;
    expect(await shown(runId)).toMatchObject({ status: 'succeeded' });
    expect(idsOn(target).sort()).toEqual(idsOn(source).sort());
  });
});
