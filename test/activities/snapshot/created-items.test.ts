import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { planHash } from '../../../src/domain/transfer/plan';
import type { RunRecord } from '../../../src/model/run/run';
import { INLINE_LIST_MAX } from '../../../src/model/run/run-state';
import { type CreatedItem, type CreatedItems, plan } from '../../../src/model/transfer/plan';
import { transportExtraItems, transportItems } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import { AWorker } from '../a-worker';

let at: AWorker;
beforeAll(async () => {
  at = await AWorker.open();
  await at.letIn('rollback', { runId, route: at.route, parent: of, yes: true });
  await planned([csv]);
});
afterAll(() => at.close());

const of = 'sync-transport-20261121T030000Z-aaaa';
const runId = 'rollback-transport-20261122T030000Z-aaaa';
const since = 1_800_000_000_000;
/** On the portal, as the run noted it. */
const { csv } = transportItems;
const { notes, contacts } = transportExtraItems;

function put(itemId: string, now: { owner: string; created: number }): CreatedItem {
  at.target.world.items.change(itemId, { ...now, groups: [], modified: since + 5 });
  return { owner: now.owner, modified: since + 5, wasAbsent: true, isListed: true };
}

const created = async (items: CreatedItems['items'], more: Partial<CreatedItems> = {}): Promise<unknown> => {
  await at.store.writeJson(keys.created(of), { accounts: ['admin'], since, items, ...more });
  return await at.run(({ handleCreated }) => handleCreated(undo()));
};
const planRef = keys.plan(runId, 1);
const undo = () => ({ runId, of, ...asked(), planRef });
const asked = () => ({ target: at.facts, route: at.route, remove: true, hasBegun: false });
/** Carries out a plan that removes these. */
const planned = async (itemIds: readonly string[], ref = planRef): Promise<void> => {
  const rows = itemIds.map((itemId) => ({ itemId, type: 'CSV', title: itemId, action: 'remove' }));
  await at.store.writeJson(ref, {
    hash: 'a',
    sha256: 'a'.repeat(64),
    packages: [],
    targetGroupId: 'g',
    arrivedLater: 0,
    readAt: '2026-11-22T03:00:00.000Z',
    rows,
  });
};
const stays = (itemId: string, reason: string) => ({
  removed: [],
  there: [{ itemId, title: itemId, reason }],
});

describe('an item that a run is said to have created', () => {
  it('stays where it belongs to another account than the one that imported [P06]', async () => {
    const left = put(csv, { owner: 'owner', created: since + 1 });
    const reason = 'it belongs to owner, but the run created its items as admin';
    expect(await created({ [csv]: left })).toEqual(stays(csv, reason));
    expect(at.target.world.items.get(csv)).toBeDefined();
  });

  it('stays where it has changed hands between two accounts of the run', async () => {
    const left = put(csv, { owner: 'owner', created: since + 1 });
    const reason = 'it belongs to owner, but belonged to admin after the run';
    expect(await created({ [csv]: { ...left, owner: 'admin' } }, { accounts: ['admin', 'owner'] })).toEqual(
      stays(csv, reason),
    );
  });

  it('stays where the target had it before, or a lost import has only an older date', async () => {
    const left = put(csv, { owner: 'admin', created: since - 1 });
    const before = 'the run did not confirm that it was missing right before the import';
    expect(await created({ [csv]: { ...left, wasAbsent: false } })).toEqual(stays(csv, before));
    const older = 'the import did not list it, and it was created before the import';
    expect(await created({ [csv]: { ...left, isListed: false } })).toEqual(stays(csv, older));
  });

  it('stays where the portal did not say whose it was', async () => {
    const left = put(csv, { owner: 'admin', created: since + 1 });
    expect(await created({ [csv]: { ...left, owner: null } })).toEqual(
      stays(csv, 'Portolan cannot tell whether it has changed'),
    );
  });

  it('stays where somebody put it there between the plan and the import', async () => {
    const [sync, undo] = [`${of}cc`, `${runId}cc`];
    const [planRef, absent, packageItemId] = [keys.plan(sync, 1), 'd'.repeat(32), 'p'.repeat(32)];
    const ids = [csv, absent];
    const rows = ids.map(
      (itemId) => ({ itemId, type: 'CSV', title: 'A', action: 'create', packageIndex: 0 }) as const,
    );
    const packages = [{ sha256: 'a', itemId: packageItemId }];
    const sha256 = planHash(packages, at.route.target, at.route.options, rows);
    await at.store.writeJson(planRef, {
      hash: 'a',
      sha256,
      packages,
      arrivedLater: 0,
      rows,
      readAt: '2026-11-21T03:00:00.000Z',
      packageAdded: since,
      targetGroupId: at.route.target.groupId,
    });
    await at.letIn('sync', { runId: sync, route: at.route, yes: true });
    const on = { runId: sync, route: at.route, target: at.facts, planRef };
    // The portal has no such package: what counts here is what was noted before that was found out.
    await expect(
      at.run(({ startImport }) => startImport({ ...on, packageItemId, round: 1, packageIndex: 0 })),
    ).rejects.toThrow();
    await at.store.writeJson(`${keys.requested(sync)}000000001.json`, rows);
    const done = ids.map((itemId) => ({ itemId }));
    await at.store.writeJson(keys.jobLists(sync, 'import', 0), { done, skipped: [], failed: [] });
    put(csv, { owner: 'admin', created: since + 1 });
    const { items } = at.target.world;
    items.change(csv, { groups: [at.route.target.groupId] });
    items.put(absent, { ...items.get(csv)!, id: absent });
    await at.run(({ closeLedger }) => closeLedger({ ...on, nothingExported: false, posted: 1 }));
    await at.letIn('rollback', { runId: undo, route: at.route, parent: sync, yes: true });
    await planned(ids, keys.plan(undo, 1));
    const handled = await at.run(({ handleCreated }) =>
      handleCreated({ runId: undo, of: sync, ...asked(), planRef: keys.plan(undo, 1) }),
    );
    const reason = 'the run did not confirm that it was missing right before the import';
    expect(handled).toMatchObject({ removed: [absent], there: [{ itemId: csv, reason }] });
  });

  it('stays where another run is undone than the one that somebody asked for', async () => {
    const other = { ...undo(), of: `${of}bb` };
    await expect(at.run(({ handleCreated }) => handleCreated(other))).rejects.toMatchObject({
      code: 'NOT_AUTHENTIC',
    });
  });

  it('stays if the approved plan does not name it', async () => {
    await planned([notes]);
    const left = put(csv, { owner: 'admin', created: since });
    expect(await created({ [csv]: left })).toEqual(stays(csv, 'the plan does not list it'));
    await planned([csv]);
  });

  it('stays until somebody has approved the plan of a rollback started without --yes', async () => {
    const unapproved = `${runId}b`;
    await at.letIn('rollback', { runId: unapproved, route: at.route, parent: of });
    const ref = keys.plan(unapproved, 1);
    await at.store.writeJson(ref, await at.store.readJson(planRef, plan));
    put(csv, { owner: 'admin', created: since });
    const removal = at.run(({ handleCreated }) =>
      handleCreated({ ...undo(), runId: unapproved, planRef: ref }),
    );
    await expect(removal).rejects.toMatchObject({
      code: 'POLICY_REFUSED',
      message: expect.stringContaining('its plan has no approval'),
    });
    expect(at.target.world.items.get(csv)).toBeDefined();
  });

  it('stays where the run ended before it could note what it created, and is named', async () => {
    const [sync, undo] = [`${of}dd`, `${runId}dd`];
    const ref = keys.plan(sync, 1);
    const rows = [csv, 'd'.repeat(32)].map((itemId) => ({
      itemId,
      type: 'CSV',
      title: 'A',
      action: 'create',
    }));
    await at.store.writeJson(ref, {
      hash: 'a',
      sha256: 'a'.repeat(64),
      packages: [],
      targetGroupId: 'g',
      arrivedLater: 0,
      rows,
      readAt: '2026-11-21T03:00:00.000Z',
    });
    const figures = {
      create: 2,
      overwrite: 0,
      keep: 0,
      blocked: 0,
      extra: 0,
      arrivedLater: 0,
      hash: 'a',
      sha256: 'a'.repeat(64),
      ref,
    };
    await at.store.writeJson(keys.record(sync), {
      runId: sync,
      kind: 'sync',
      plan: figures,
      startedAt: '2026-11-21T03:00:00.000Z',
      route: { name: 'transport' },
      phases: [],
      warnings: [],
      status: 'failed',
      target: 'unknown',
      actions: [],
      leftRunning: [],
      temporal: { workflowId: sync, runId: sync },
    } satisfies RunRecord);
    await at.letIn('rollback', { runId: undo, route: at.route, parent: sync });
    await planned([], keys.plan(undo, 1));
    const reason = `${sync} ended before it recorded what it created`;
    expect(
      await at.run(({ handleCreated }) =>
        handleCreated({ runId: undo, of: sync, ...asked(), planRef: keys.plan(undo, 1) }),
      ),
    ).toEqual({ removed: [], there: [{ itemId: csv, title: 'A', reason }], isUnknown: true });
    expect(at.target.world.items.get(csv)).toBeDefined();
  });

  it('is one of many whose names are in the store: the run has their number, and the first of them', async () => {
    const { items } = at.target.world;
    const one = items.get(csv)!;
    const many = Array.from({ length: INLINE_LIST_MAX + 1 }, (_, number) => ({
      ...one,
      id: String(number).padStart(32, 'e'),
      owner: 'admin',
      created: since + 1,
    }));
    for (const each of many) items.put(each.id, each);
    const left = Object.fromEntries(many.map(({ id }) => [id, put(id, { owner: 'admin', created: since })]));
    const stranger = put(csv, { owner: 'owner', created: since + 1 });
    await planned(many.map(({ id }) => id));
    const ref = keys.undone(runId);
    expect(await created({ ...left, [csv]: stranger })).toEqual({
      removed: many.slice(0, INLINE_LIST_MAX).map(({ id }) => id),
      there: [expect.objectContaining({ itemId: csv })],
      whole: { removed: many.length, there: 1, failed: 0, ref },
    });
    const whole = await at.store.readJson(ref, z.object({ removed: z.array(z.string()) }));
    expect(whole?.removed).toEqual(many.map(({ id }) => id));
  });

  it('is removed where the run made it, however dated, and nobody changed it', async () => {
    const left = put(csv, { owner: 'admin', created: since - 1_000_000 });
    await planned([csv]);
    expect(await created({ [csv]: left })).toEqual({ removed: [csv], there: [] });
    expect(at.target.world.items.get(csv)).toBeUndefined();
  });
});

describe('what a drill takes away', () => {
  it('is what it imported and nobody changed, of what that drill was to import [P06]', async () => {
    const planRef = keys.plan(`drill-${of}`, 1);
    const rows = [notes, contacts].map((itemId) => ({ itemId, type: 'PDF', title: 'A', action: 'create' }));
    await at.store.writeJson(planRef, {
      hash: 'a',
      sha256: 'a'.repeat(64),
      packages: [],
      targetGroupId: 'g',
      arrivedLater: 0,
      readAt: '2026-11-21T03:00:00.000Z',
      packageAdded: since,
      rows,
    });
    const items = {
      [notes]: { ...put(notes, { owner: 'admin', created: since - 1 }), wasAbsent: false },
      [contacts]: put(contacts, { owner: 'other', created: since + 1 }),
    };
    const note = (now: CreatedItems['items']): Promise<void> =>
      at.store.writeJson(keys.created(`drill-${of}`), { accounts: ['admin'], since, items: now });
    const drill = { runId: `drill-${of}`, route: at.route, target: at.facts, planRef };
    await expect(at.run(({ takeAway }) => takeAway(drill))).rejects.toMatchObject({ code: 'NOT_AUTHENTIC' });
    await at.letIn('drill', { runId: drill.runId, route: at.route, import: true });
    const ofAnother = { ...drill, planRef: keys.plan(of, 1) };
    await expect(at.run(({ takeAway }) => takeAway(ofAnother))).rejects.toMatchObject({
      code: 'NOT_AUTHENTIC',
    });
    expect(await at.run(({ takeAway }) => takeAway(drill))).toEqual({
      removed: 0,
      left: [notes, contacts].map((id) => `${id} "A": the run did not record that it imported it`),
    });
    await note(items);
    expect(await at.run(({ takeAway }) => takeAway(drill))).toEqual({
      removed: 0,
      left: [
        `${notes} "A": the run did not confirm that it was missing right before the import`,
        `${contacts} "A": it belongs to other, but the run created its items as admin`,
      ],
    });
    await note({ ...items, [notes]: put(notes, { owner: 'admin', created: since - 1 }) });
    expect(await at.run(({ takeAway }) => takeAway(drill))).toMatchObject({ removed: 1 });
  });
});
