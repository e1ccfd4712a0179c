import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { INLINE_LIST_MAX } from '../../../src/model/run/run-state';
import type { CreatedItem, CreatedItems } from '../../../src/model/transfer/plan';
import { transportExtraItems, transportItems } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import { runRecordOf } from '../../cli/run/records';
import { aPlan } from '../a-plan';
import { AWorker } from '../a-worker';

let at: AWorker;
beforeAll(async () => {
  at = await AWorker.open();
  await at.letIn('rollback', { runId, route: at.route, parent: of, yes: true });
});
afterAll(() => at.close());

const of = 'sync-transport-20261121T030000Z-aaaa';
const runId = 'rollback-transport-20261122T030000Z-aaaa';
const since = 1_800_000_000_000;
/** On the portal, as the run noted it. */
const { csv } = transportItems;
const { notes, contacts } = transportExtraItems;
const notAbsent = 'the run did not confirm that it was missing right before the import';

function put(itemId: string, now: { owner: string; created: number }): CreatedItem {
  at.target.world.items.change(itemId, { ...now, groups: [], modified: since + 5 });
  return { owner: now.owner, modified: since + 5, wasAbsent: true, isListed: true };
}

const undo = (run = runId, created = of) => ({
  runId: run,
  of: created,
  target: at.facts,
  route: at.route,
  remove: true,
  hasBegun: false,
  planRef: keys.plan(run, 1),
});
/** Undoes a run that created these, by a plan that removes them. */
async function created(items: CreatedItems['items'], planned: readonly string[] = Object.keys(items)) {
  await at.store.writeJson(keys.created(of), { accounts: ['admin'], since, items });
  await removing(planned);
  return await at.call('handleCreated', undo());
}
const removing = (itemIds: readonly string[], run = runId) =>
  at.plan(
    run,
    itemIds.map((itemId) => ({ itemId, title: itemId, action: 'remove' })),
  );

const titled = (...itemIds: string[]) =>
  itemIds.map((itemId) => ({ itemId, title: 'A', action: 'create' as const }));

describe('a rollback', () => {
  it.each([
    [
      'that belongs to another account [P06]',
      'owner',
      [csv],
      'it belongs to owner, but the run created its items as admin',
    ],
    ['that the approved plan does not list', 'admin', [], 'the plan does not list it'],
  ])('keeps a created item %s', async (_how, owner, planned, reason) => {
    const item = put(csv, { owner, created: since + 1 });
    expect(await created({ [csv]: item }, planned)).toEqual({
      removed: [],
      there: [{ itemId: csv, title: csv, reason }],
    });
    expect(at.target.world.items.get(csv)).toBeDefined();
  });

  it('keeps an item that someone put there between plan and import', async () => {
    const [sync, rollback] = [`${of}cc`, `${runId}cc`];
    const [absent, packageItemId] = ['d'.repeat(32), 'p'.repeat(32)];
    const ids = [csv, absent];
    const packages = [{ sha256: 'a', itemId: packageItemId }];
    const { rows } = aPlan(ids.map((itemId) => ({ itemId, action: 'create', packageIndex: 0 })));
    const planRef = await at.plan(sync, rows, { packages, packageAdded: since });
    await at.letIn('sync', { runId: sync, route: at.route, yes: true });
    const on = { runId: sync, route: at.route, target: at.facts, planRef };
    // The portal has no such package: what counts here is what was noted before that was found out.
    await expect(
      at.call('startImport', { ...on, packageItemId, round: 1, packageIndex: 0 }),
    ).rejects.toThrow();
    await at.store.writeJson(`${keys.requested(sync)}000000001.json`, rows);
    const done = ids.map((itemId) => ({ itemId }));
    await at.store.writeJson(keys.jobLists(sync, 'import', 0), { done, skipped: [], failed: [] });
    put(csv, { owner: 'admin', created: since + 1 });
    const { items } = at.target.world;
    items.change(csv, { groups: [at.route.target.groupId] });
    items.put(absent, { ...items.get(csv)!, id: absent });
    await at.call('closeLedger', { ...on, nothingExported: false, posted: 1 });
    await at.letIn('rollback', { runId: rollback, route: at.route, parent: sync, yes: true });
    await removing(ids, rollback);
    expect(await at.call('handleCreated', undo(rollback, sync))).toMatchObject({
      removed: [absent],
      there: [{ itemId: csv, reason: notAbsent }],
    });
  });

  it('undoes no other run than the requested one, and none before its plan is approved', async () => {
    await removing([csv]);
    const other = { ...undo(), of: `${of}bb` };
    await expect(at.call('handleCreated', other)).rejects.toMatchObject({
      code: 'NOT_AUTHENTIC',
    });
    const unapproved = `${runId}b`;
    await at.letIn('rollback', { runId: unapproved, route: at.route, parent: of });
    await removing([csv], unapproved);
    put(csv, { owner: 'admin', created: since });
    await expect(at.call('handleCreated', undo(unapproved))).rejects.toMatchObject({
      code: 'POLICY_REFUSED',
      message: expect.stringContaining('its plan has no approval'),
    });
    expect(at.target.world.items.get(csv)).toBeDefined();
  });

  it('keeps and names the items of a run that ended before it recorded them', async () => {
    const [sync, rollback] = [`${of}dd`, `${runId}dd`];
    const ref = await at.plan(sync, titled(csv, 'd'.repeat(32)));
    const none = { overwrite: 0, keep: 0, blocked: 0, extra: 0, arrivedLater: 0 };
    const plan = { create: 2, ...none, hash: 'a', sha256: 'a'.repeat(64), ref };
    await at.store.writeJson(
      keys.record(sync),
      runRecordOf({ runId: sync, plan, status: 'failed', target: 'unknown', items: undefined }),
    );
    await at.letIn('rollback', { runId: rollback, route: at.route, parent: sync });
    await removing([], rollback);
    const reason = `${sync} ended before it recorded what it created`;
    expect(await at.call('handleCreated', undo(rollback, sync))).toEqual({
      removed: [],
      there: [{ itemId: csv, title: 'A', reason }],
      isUnknown: true,
    });
    expect(at.target.world.items.get(csv)).toBeDefined();
  });

  it('removes many items, returns the first of them, and stores the whole list', async () => {
    const { items } = at.target.world;
    const one = items.get(csv)!;
    const ids = Array.from({ length: INLINE_LIST_MAX + 1 }, (_, number) => String(number).padStart(32, 'e'));
    for (const id of ids) items.put(id, { ...one, id });
    // However a portal dates them.
    const own = ids.map((id) => [id, put(id, { owner: 'admin', created: since - 1_000_000 })]);
    const stranger = put(csv, { owner: 'owner', created: since + 1 });
    const ref = keys.undone(runId);
    expect(await created({ ...Object.fromEntries(own), [csv]: stranger }, ids)).toEqual({
      removed: ids.slice(0, INLINE_LIST_MAX),
      there: [expect.objectContaining({ itemId: csv })],
      whole: { removed: ids.length, there: 1, failed: 0, ref },
    });
    const whole = await at.store.readJson(ref, z.object({ removed: z.array(z.string()) }));
    expect(whole?.removed).toEqual(ids);
    expect(ids.filter((id) => items.get(id))).toEqual([]);
  });
});

describe('a drill', () => {
  it('removes only what it imported and nobody changed [P06]', async () => {
    const planRef = await at.plan(`drill-${of}`, titled(notes, contacts), { packageAdded: since });
    const items = {
      [notes]: { ...put(notes, { owner: 'admin', created: since - 1 }), wasAbsent: false },
      [contacts]: put(contacts, { owner: 'other', created: since + 1 }),
    };
    const note = (now: CreatedItems['items']) =>
      at.store.writeJson(keys.created(`drill-${of}`), { accounts: ['admin'], since, items: now });
    const drill = { runId: `drill-${of}`, route: at.route, target: at.facts, planRef };
    await expect(at.call('takeAway', drill)).rejects.toMatchObject({ code: 'NOT_AUTHENTIC' });
    await at.letIn('drill', { runId: drill.runId, route: at.route, import: true });
    const ofAnother = { ...drill, planRef: keys.plan(of, 1) };
    await expect(at.call('takeAway', ofAnother)).rejects.toMatchObject({
      code: 'NOT_AUTHENTIC',
    });
    expect(await at.call('takeAway', drill)).toEqual({
      removed: 0,
      left: [notes, contacts].map((id) => `${id} "A": the run did not record that it imported it`),
    });
    await note(items);
    expect(await at.call('takeAway', drill)).toEqual({
      removed: 0,
      left: [
        `${notes} "A": ${notAbsent}`,
        `${contacts} "A": it belongs to other, but the run created its items as admin`,
      ],
    });
    await note({ ...items, [notes]: put(notes, { owner: 'admin', created: since - 1 }) });
    expect(await at.call('takeAway', drill)).toMatchObject({ removed: 1 });
  });
});
