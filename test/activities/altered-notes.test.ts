import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { portalIdentity } from '../../src/model/identity';
import { transportItems } from '../../src/simulator/seed/transport';
import type { ActivityDeps } from '../../src/activities/deps';
import { filterSubscribedEvents } from '../../src/activities/run/notifications';
import type { StartImport } from '../../src/activities/transfer/imports';
import { keepNote } from '../../src/activities/transfer/packages';
import type { Config } from '../../src/config/config';
import { scheduleLog } from '../../src/domain/event-log';
import type { Context } from '../../src/service/context';
import { hookHandlers } from '../../src/service/hook/hooks';
import { readReceivers } from '../../src/service/metrics/stored-figures';
import { keys } from '../../src/store/keys';
import { keysUnder, writeFile } from '../../src/store/store';
import { AWorker } from './a-worker';

let at: AWorker;
beforeAll(async () => {
  at = await AWorker.open();
});
afterAll(() => at.close());

let runs = 0;
const newRun = () => `sync-transport-20261121T030000Z-run${(runs += 1)}`;
const foreign = transportItems.csv;
const altered = { code: 'NOTE_ALTERED' };
const DAY_MS = 24 * 3_600_000;

const packageItemId = 'p'.repeat(32);
const rowOf = (itemId: string) => ({ itemId, action: 'create' as const, packageIndex: 0 });
const packaged = { packages: [{ sha256: 'a'.repeat(64), itemId: packageItemId }], packageAdded: 1 };

describe('an altered state file', () => {
  const rows = ['b'.repeat(32), 'c'.repeat(32)].map(rowOf);
  const importOf = (runId: string, other: Partial<StartImport> = {}) =>
    at.call('startImport', {
      runId,
      route: at.route,
      target: at.facts,
      packageItemId,
      planRef: keys.plan(runId, 1),
      round: 1,
      packageIndex: 0,
      ...other,
    });

  // That every file is refused: test/store/authentic
  it('imports no plan with another item than approved [P22]', async () => {
    const runId = newRun();
    const key = await at.plan(runId, rows, packaged);
    await at.alter(key, (content) => ({ ...content, rows: [rowOf(foreign), rows[1]] }));
    await expect(importOf(runId)).rejects.toMatchObject(altered);
    expect(at.asked('group.import')).toBe(0);
  });

  it('imports no other package, group or folder than the plan has [P02][P22]', async () => {
    const runId = newRun();
    await at.letIn('sync', { runId, route: at.route });
    const { target, options } = at.route;
    await at.plan(runId, rows, packaged);
    for (const other of [
      { packageItemId: foreign },
      { route: { ...at.route, target: { ...target, folderOwner: 'other' } } },
      { route: { ...at.route, options: { ...options, overwrite: !options.overwrite } } },
      { planRef: keys.plan(newRun(), 1) },
    ]) {
      await expect(importOf(runId, other)).rejects.toMatchObject({ code: 'NOT_AUTHENTIC' });
    }
    expect(at.asked('group.import')).toBe(0);
  });

  it('hides no shrunken group: the run reports what it cannot detect', async () => {
    const route = { ...at.route, source: at.route.target };
    const note = { runId: newRun(), endedAt: '2026-11-20T03:00:00.000Z', requested: 1, modified: {} };
    await at.store.writeJson(keys.lastRun(route), { ...note, requested: 400 });
    await at.alter(keys.lastRun(route), () => note);
    // The target's own group, as if it were the source.
    const { results, lastRequested } = await at.call('listRequested', {
      runId: newRun(),
      route,
      source: at.facts,
    });
    expect(lastRequested).toBeUndefined();
    expect(results).toContainEqual({
      name: 'last run',
      verdict: 'unknown',
      saw: expect.stringMatching(
        /last\.json in .* is not signed with the key of this store; this run cannot detect a shrunken group/,
      ),
      needs: 'the state file of the last run, as Portolan wrote it',
      todo: 'Check who can write to the store. This run writes a new file.',
    });
  });

  it('removes no item as created [P22]', async () => {
    const runId = newRun();
    const { modified = 0, owner = '' } = at.target.world.items.get(foreign) ?? {};
    const made = { accounts: ['admin', owner], since: 0, items: {} };
    await at.store.writeJson(keys.created(runId), made);
    await at.alter(keys.created(runId), () => ({
      ...made,
      items: { [foreign]: { owner, modified } },
    }));
    const rollback = `rollback-${runId}`;
    await at.letIn('rollback', { runId: rollback, route: at.route, parent: runId });
    const planRef = await at.plan(rollback, []);
    const undo = {
      runId: rollback,
      of: runId,
      planRef,
      hasBegun: false,
      route: at.route,
      target: at.facts,
    };
    await expect(at.call('handleCreated', { ...undo, remove: true })).rejects.toMatchObject(altered);
    expect(at.target.world.items.get(foreign)).toBeDefined();
    expect(at.asked('item.delete')).toBe(0);
    expect(await at.call('handleCreated', { ...undo, remove: false })).toEqual({
      removed: [],
      there: [],
      isUnknown: true,
      why: `${keys.created(runId)} in ${at.store.where} is not signed with the key of this store`,
    });
  });

  it('removes no folder that existed before a drill', async () => {
    const runId = newRun();
    const planRef = await at.plan(runId, []);
    const { title } = at.target.world.groups.get(at.route.target.groupId) ?? { title: '' };
    const folder = { id: 'f'.repeat(32), username: 'admin', title, created: 1 };
    at.target.world.folders.put(folder.id, folder);
    const drill = { runId, route: at.route, target: at.facts, planRef };
    await at.letIn('drill', { runId, route: at.route, import: true });
    await at.call('findInTheWay', drill);
    await at.alter(keys.importFolders(runId), () => ({ before: [], used: [folder.id] }));
    expect(await at.call('takeAway', drill)).toMatchObject({
      removed: 0,
      left: [expect.stringContaining('is not signed with the key of this store')],
    });
    expect(at.target.world.folders.get(folder.id)).toBeDefined();
  });

  it('restores no other text as the earlier banner', async () => {
    const banner = (text: string) => ({ text, bgColor: '#003366', fontColor: 'white', enabled: true });
    const { facts: target } = at;
    const ours = banner('A sync is under way');
    await at.call('showBanner', { runId: newRun(), target, ours, before: banner('Welcome') });
    await at.alter(keys.banner('production'), (content) => ({ ...content, before: banner('Call 0900 666') }));
    await expect(at.call('readBannerBefore', { target })).rejects.toThrow(
      `[NOTE_ALTERED] banners/production.json in ${at.store.where} is not signed with the key of this store; ` +
        'the earlier banner is not restored from it. ' +
        'Check the banner of production, and delete banners/production.json',
    );
  });

  it('uploads no other package than the downloaded one', async () => {
    const runId = newRun();
    await at.letIn('sync', { runId, route: at.route });
    const key = keys.package(runId, 0);
    const put = (text: string) => writeFile(at.writer, key, Readable.from([Buffer.from(text)]));
    await put('the content that was exported');
    const sha256 = createHash('sha256').update('the content that was exported').digest('hex');
    await put('some content of somebody else');
    const upload = { runId, portal: at.facts, packageIndex: 0, key, sha256 };
    await expect(at.call('addPackage', upload)).rejects.toMatchObject({
      code: 'HASH_MISMATCH',
      message: expect.stringContaining('is no longer the package this run downloaded'),
    });
    expect(at.asked('item.add')).toBe(0);
  });

  it('sets no portal setting [P22]', async () => {
    const runId = newRun();
    const before = at.asked('settings.update');
    const desired = {
      informationalBanner: { text: 'Closed', bgColor: 'red', fontColor: 'white', enabled: true },
    };
    await at.store.writeJson(keys.desired(runId), desired);
    const portal = { portal: 'production', url: at.target.url };
    const change = { runId, kind: 'settings', portal, part: 'informationalBanner' } as const;
    await at.alter(keys.desired(runId), () => ({
      informationalBanner: { text: 'Call 0900 666', enabled: true },
    }));
    // A repeat no longer compares with the shown values.
    await expect(at.call('writeChange', change, 2)).rejects.toMatchObject(altered);
    await at.store.writeJson(keys.before(runId), {});
    await at.alter(keys.before(runId), () => desired);
    await at.store.writeJson(keys.desired(runId), desired);
    await expect(at.call('writeChange', change)).rejects.toMatchObject(altered);
    await expect(at.call('checkChange', change)).rejects.toMatchObject(altered);
    expect(at.asked('settings.update')).toBe(before);
  });

  const alteredKey = (key: string) => `${key} in ${at.store.where} is not signed with the key of this store`;

  it('shortens no time for which a package is kept', async () => {
    const runId = newRun();
    const key = keys.packageNote(runId);
    await at.store.writeJson(key, { until: Date.now() + DAY_MS });
    await at.alter(key, () => ({ until: 1 }));
    await at.call('tidyStore', { runId: newRun(), keepMs: 0 });
    const { until } = (await at.store.readJson(key, keepNote)) ?? { until: 0 };
    expect(until).toBeGreaterThan(Date.now() + 6 * DAY_MS);
  });

  it('sends no recovery and counts no age', async () => {
    const { route } = at;
    const events = ['recovered'] as const;
    const trouble = { runId: newRun(), event: 'failed', at: '2026-11-20T03:00:00.000Z' };
    await at.store.writeJson(keys.trouble(route), trouble);
    const config = { notify: [{ on: events }] };
    const deps = { config, store: at.store } as unknown as ActivityDeps;
    const asked = () => filterSubscribedEvents(deps, { route, events });
    expect(await asked()).toEqual(events);
    await at.alter(keys.trouble(route), () => ({ ...trouble, event: 'parked' }));
    expect(await asked()).toEqual([]);

    const watched = { name: 'transport', groupId: 'g', maxAgeMs: DAY_MS };
    const watch = { routes: [watched] };
    const age = keys.age({ name: 'transport', source: { groupId: 'g' } });
    const since = new Date(Date.now() - 2 * DAY_MS).toISOString();
    await at.store.writeJson(age, { since, notified: 1, notifiedAt: new Date().toISOString() });
    const look = () => at.call('lookAtAges', { watch, watchId: 'watch' });
    expect(await look()).toMatchObject([{ ageMs: expect.closeTo(2 * DAY_MS, -6) }]);
    await at.alter(age, (content) => ({ ...content, since: '2000-01-01T00:00:00.000Z' }));
    expect(await look()).toMatchObject([{ ageMs: 0 }]);
  });

  it('is named in schedule logs, deliveries and hook calls', async () => {
    const schedules = scheduleLog(at.store, 'queue');
    await schedules.note({ what: 'pause', schedule: 'nightly', who: 'ann@desk', identity: 'claimed', at: 1 });
    const [logged = ''] = await keysUnder(at.store, keys.scheduleLog('queue'));
    await at.alter(logged, (content) => ({ ...content, who: 'bob@desk' }));
    expect(await schedules.read()).toEqual({ events: [], unreadable: [logged] });

    const note = {
      event: 'failed',
      runId: newRun(),
      status: 'failed',
      attempts: 1,
      at: '2026-11-20T03:00:00Z',
    };
    await at.store.writeJson(keys.lastDelivery('chat'), note);
    await at.alter(keys.lastDelivery('chat'), () => ({ ...note, status: 'delivered' }));
    await at.store.writeJson(keys.openDelivery('pager', 'msg'), note);
    await at.alter(keys.openDelivery('pager', 'msg'), () => ({ ...note, status: 'delivered' }));
    await at.store.writeJson(keys.lastCall('build'), { at: note.at, runId: note.runId, sha256: 'aa' });
    await at.alter(keys.lastCall('build'), (content) => ({ ...content, runId: newRun() }));
    const hooks = new Map([['build', { name: 'build', starts: { route: 'transport' } }]]);
    const notify = ['chat', 'pager'].map((name) => ({ name, on: [], command: ['true'] }));
    const config = { ...at.config, hooks, notify } as unknown as Config;
    const rows = await hookHandlers.listHooks({ config, store: at.store } as Context, {});
    expect(rows.map(({ name, last, altered: why }) => [name, last, why])).toEqual([
      ['build', undefined, alteredKey(keys.lastCall('build'))],
      ['chat', undefined, alteredKey(keys.lastDelivery('chat'))],
      ['pager', undefined, alteredKey(keys.openDelivery('pager', 'msg'))],
    ]);
    expect(await readReceivers({ config, store: at.store })).toEqual([
      { receiver: 'chat', open: 0, lastFailed: true },
      { receiver: 'pager', open: 1, lastFailed: false },
    ]);
  });

  it('lifts no freeze until someone removes the file', async () => {
    const write = { writer: 'settings', target: { portal: 'production' } } as const;
    await at.policy.freeze({ portal: 'production', who: 'ann@desk', at: 0, reason: 'audit' });
    const key = keys.freeze(portalIdentity(at.target.url) ?? '');
    await at.alter(key, (content) => ({ ...content, reason: 'none at all' }));
    await expect(at.policy.require(write)).rejects.toMatchObject({
      ...altered,
      hint: 'Check who can write to the store. Then: portolan unfreeze production',
    });
    expect(await at.policy.unfreeze({ portal: 'production', who: 'ann@desk', at: 1 })).toBe('altered');
    expect(await at.policy.require(write)).toMatchObject({ approval: 'none' });
  });
});
