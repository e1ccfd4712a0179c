import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { ActivityDeps } from '../../../src/activities/deps';
import { startExport, type StartExport } from '../../../src/activities/transfer/exports';
import { startImport, type StartImport } from '../../../src/activities/transfer/imports';
import { planHash } from '../../../src/domain/transfer/plan';
import { PortolanError } from '../../../src/model/errors/errors';
import type { Route } from '../../../src/model/transfer/route';
import { readPages } from '../../../src/activities/transfer/plan/stored-lists';
import {
  listPackages,
  type ListPackages,
  requestPreviews,
} from '../../../src/activities/transfer/plan/previews';
import { completeSafeguard } from '../../../src/activities/transfer/safeguards';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import { snapshotRow } from '../../../src/model/snapshot/snapshot';
import { emptyLedger } from '../../../src/model/transfer/ledger';
import { previewRow } from '../../../src/model/transfer/plan';
import { PACKAGE_TYPE } from '../../../src/portal/resources/items/item';
import { transportItems } from '../../../src/simulator/seed/transport';
import { keys } from '../../../src/store/keys';
import { AStore, aRow, aSnapshot } from '../../domain/snapshot/a-store';
import { inTurn, json, portalError, portalsOf, type Reply, words } from '../../portal/raw-portal';
import { aPlan } from '../a-plan';
import { Attempts } from '../attempt/attempts';
import { aSafeguard, aTable } from '../a-safeguard';
import { AWorker } from '../a-worker';
import { depsAt } from '../deps-at';

const startPortal = portalsOf(afterEach);
const busy = words('busy', 503);

/** The preview of a package with two items, on a page each. */
const preview = (itemId: string, secondPage: (page: Reply) => Reply): Reply => {
  const page = (start: number, nextStart: number) =>
    json({ total: 2, nextStart, results: [{ id: `${itemId}${start}`, type: 'CSV', title: 'Counts' }] });
  const second = secondPage(page(2, -1));
  return (seen, response) => (seen.query.get('start') === '2' ? second : page(1, 2))(seen, response);
};

describe('the previews of two packages', () => {
  it('keep their own rows when a page of the second one is requested again', async () => {
    const portal = await startPortal({
      'community/groups/g/import': json({ packageSummary: {}, total: 2, results: [] }),
      'community/groups/g/importPreview/a': preview('a', (page) => page),
      'community/groups/g/importPreview/b': preview('b', (page) => inTurn(busy, page)),
    });
    const { store } = new AStore();
    const deps = depsAt(portal, { store });
    const packages = ['a', 'b'].map((packageItemId, at) => ({ packageItemId, reading: `${at + 1}` }));
    const target = { name: 'staging', release: undefined };
    const call = new Attempts(() =>
      listPackages(deps, { runId: 'r', groupId: 'g', target, packages } as unknown as ListPackages),
    );
    expect(await call.next()).toMatchObject({ type: 'UNAVAILABLE' });
    expect(await call.next()).toBeUndefined();
    const rowsOf = async (reading: string) =>
      (await readPages(store, keys.preview('r', reading), previewRow)).map(({ itemId }) => itemId);
    expect(await rowsOf('1')).toEqual(['a1', 'a2']);
    expect(await rowsOf('2')).toEqual(['b1', 'b2']);
  });
});

describe('a request for a preview', () => {
  const path = 'community/groups/g/import';
  const isGone = portalError(400, 'Item does not exist or is inaccessible.');
  const asked = async (replies: Record<string, Reply>) => {
    const portal = await startPortal(replies);
    const deps = depsAt(portal, new AStore());
    const input = {
      runId: 'r',
      target: { name: 'staging' },
      route: { target: { groupId: 'g' } },
      packages: [{ packageIndex: 0, itemId: 'p' }],
    } as unknown as Parameters<typeof requestPreviews>[1];
    return { portal, call: new Attempts(() => requestPreviews(deps, input)) };
  };

  it('starts no second import when the portal imported and the response was not saved [P01]', async () => {
    const { portal, call } = await asked({ [path]: json({ jobId: 'j', status: 'inProgress' }) });
    const started = { packageIndex: 0, started: { kind: 'job', jobId: 'j' } };
    expect(await call.next()).toMatchObject(started);
    expect(await call.next()).toMatchObject(started);
    expect(portal.at(path)).toHaveLength(1);
  });

  it('starts no second import when the portal imported and the response was lost [P01]', async () => {
    const { portal, call } = await asked({
      [path]: (_seen, response) => void response.destroy(),
      [`${path}Preview/p`]: isGone,
      'content/items/p': isGone,
    });
    expect(await call.next()).toMatchObject({ type: 'CONNECTION_LOST' });
    expect(await call.next()).toEqual({ packageIndex: 0, started: { kind: 'ended', lists: 'unknown' } });
    expect(portal.at(path)).toHaveLength(1);
  });

  it('is repeated while the portal answers that the package is not ready', async () => {
    const notReady = portalError(400, 'The package is not ready.');
    const preview = json({ packageSummary: {}, total: 2, results: [] });
    const { call } = await asked({ [path]: inTurn(notReady, notReady, preview) });
    for (let times = 0; times < 2; times += 1) expect(await call.next()).toMatchObject({ type: 'NOT_YET' });
    expect(await call.next()).toMatchObject([{ total: 2 }]);
  });
});

describe('an attempt whose store is full', () => {
  const { store } = new AStore();
  /** Has room for what is noted before a post, and none for the response. */
  const full = new Proxy(store, {
    get: (_, name) =>
      name === 'writeJson'
        ? (key: string, value: object) =>
            'answer' in value
              ? Promise.reject(new PortolanError('STORE_FULL', 'no space is left'))
              : store.writeJson(key, value)
        : Reflect.get(store, name).bind(store),
  });
  const packages = [{ sha256: 'p', itemId: 'p' }];
  const plan = aPlan([{ itemId: 'i', action: 'create', packageIndex: 0 }], { packages });
  const facts = { name: 'staging', username: 'sync' };
  const route = { target: { groupId: 'g' }, options: { take: [] } } as unknown as Route;
  const sha256 = planHash(packages, route.target, route.options, plan.rows);
  const starts: Record<'export' | 'import', (deps: ActivityDeps) => Promise<unknown>> = {
    export: (deps) =>
      startExport(deps, {
        runId: 'r',
        purpose: 'export',
        portal: facts,
        groupId: 'g',
        packageIndex: 0,
        decisions: 0,
        round: 1,
      } as unknown as StartExport),
    import: async (deps) => {
      const planRef = keys.plan('r', 1);
      await store.writeJson(planRef, { ...plan, sha256 });
      return await startImport(deps, {
        runId: 'r',
        packageItemId: 'p',
        planRef,
        target: facts,
        round: 1,
        packageIndex: 0,
        route,
      } as unknown as StartImport);
    },
  };

  it.each(['export', 'import'] as const)(
    'keeps its note, so that the next attempt posts no second %s',
    async (write) => {
      const portal = await startPortal({
        [`community/groups/g/${write}`]: json({ jobId: 'j', status: 'inProgress' }),
        'content/groups/g': json({ total: 0, nextStart: -1, items: [] }),
        'content/users/sync': json({ total: 0, nextStart: -1, items: [], folders: [] }),
        'content/items/i': portalError(400, 'Item does not exist or is inaccessible.'),
        'content/items/p': json({ id: 'p', title: 'package', type: 'Export Package', owner: 'sync' }),
      });
      const deps = depsAt(portal, { store: full, authority: { require: () => Promise.resolve() } });
      const call = new Attempts(() => starts[write](deps));
      expect(await call.next()).toMatchObject({ type: 'STORE_FULL' });
      expect(await call.next()).toMatchObject({
        message: expect.stringMatching(/^the response to the .* was lost/),
      });
      expect(portal.at(`community/groups/g/${write}`)).toHaveLength(1);
    },
  );
});

describe('an interrupted safeguard', () => {
  it('copies again only the items after its last note', async () => {
    const ids = Array.from({ length: 20 }, (_, number) => `i${number}`);
    const portal = await startPortal({
      'portals/self': json({ user: { groups: [] } }),
      ...Object.assign({}, ...ids.map((id) => aTable(id))),
      ...aTable('i18', inTurn(busy, words('a,b'))),
    });
    const one = new AStore();
    const planRef = keys.plan('r', 1);
    await one.store.writeJson(planRef, aPlan(ids.map((itemId) => ({ itemId, action: 'overwrite' }))));
    const input = aSafeguard({ planRef, snapshotId: 'r-safeguard-1' });
    const deps = depsAt(portal, one);
    const call = new Attempts(() => completeSafeguard(deps, input));
    expect(await call.next()).toMatchObject({ type: 'UNAVAILABLE' });
    expect(await call.next()).toMatchObject({ items: 20, copied: 20 });
    // Each is read once more for what a rollback compares.
    const readings = ids.map((id) => portal.at(`content/items/${id}/data`).length);
    expect(readings).toEqual([...Array<number>(16).fill(2), 3, 3, 3, 2]);
    const saved = await one.store.readJson(keys.snapshotRows('r-safeguard-1'), z.array(snapshotRow));
    expect(saved?.map(({ itemId, saved: how }) => [itemId, how])).toEqual(ids.map((id) => [id, 'copy']));
  });
});

describe('an interrupted verification', () => {
  it('reads no verified item again when it repeats its check of placements', async () => {
    const at = await AWorker.open();
    try {
      const runId = 'sync-transport-20261121T030000Z-again';
      const { map: itemId } = transportItems;
      await at.store.writeJson(keys.ledger(runId), { ...emptyLedger(), imported: [{ itemId }] });
      const planRef = await at.plan(runId, [{ itemId, action: 'overwrite' }]);
      const snapshotId = `${runId}-safeguard-1`;
      const row = aRow(itemId, { placement: { owner: 'somebody' } });
      await openSnapshots(at.config, at.store).commit({ ...aSnapshot, id: snapshotId, runId }, [row]);
      const match = { operation: 'item.read', path: `${itemId}$` };
      at.target.faults.add({ match, nth: 2, do: { status: 503 } });
      const call = new Attempts(() =>
        at.activities.verifyItems({
          runId,
          planRef,
          route: at.route,
          source: at.facts,
          target: at.facts,
          sourceAddresses: [],
          snapshotId,
          placedAsIn: [snapshotId],
        }),
      );
      expect(await call.next()).toMatchObject({ type: 'UNAVAILABLE' });
      const before = at.asked('item.data');
      expect(before).toBeGreaterThan(0);
      expect(await call.next()).toMatchObject({ displaced: { owner: 1 } });
      expect(at.asked('item.data')).toBe(before);
    } finally {
      await at.close();
    }
  });
});

describe('an export whose response was lost', () => {
  let at: AWorker;
  beforeEach(async () => (at = await AWorker.open()));
  afterEach(() => at.close());

  /** A safeguard of one item. */
  async function input(runId: string): Promise<StartExport> {
    const item = { itemId: transportItems.map, type: 'Web Map', packageIndex: 0 };
    return {
      runId,
      purpose: 'safeguard',
      portal: at.facts,
      groupId: at.route.target.groupId,
      planRef: await at.plan(runId, [{ ...item, action: 'overwrite', target: { inGroup: true } }]),
      packageIndex: 0,
      decisions: 0,
      round: 1,
    };
  }

  it('is not sent again after HTTP 400 while the listing of packages fails', async () => {
    const since = { operation: 'group.export' };
    at.target.faults.add({ match: since, nth: 1, when: 'after', do: { status: 400 } });
    at.target.faults.add({ match: { operation: 'user.content' }, since, nth: 1, do: { status: 429 } });
    const asked = await input('sync-transport-20261121T030000Z-aaaa');
    await expect(at.call('startExport', asked)).rejects.toThrow();
    await at.call('startExport', asked, 2).catch(() => undefined);
    expect(at.asked('group.export')).toBe(1);
  });

  it("does not take another child run's package for its own", async () => {
    const asked = await input('restore-traffic-20261121T030000Z-aaaa_100');
    const intent = { id: 'i', at: 1, round: 1, seen: [] };
    await at.store.writeJson(keys.intent(asked.runId, 'safeguard-1-p1'), intent);
    const title = `portolan-safeguard-p1-${asked.runId}0`;
    at.target.world.items.change(transportItems.csv, { type: PACKAGE_TYPE, title, owner: 'admin' });
    expect(await at.call('startExport', asked)).toMatchObject({ kind: 'job' });
  });
});
