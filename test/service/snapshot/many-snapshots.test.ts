import { beforeAll, describe, expect, it } from '@jest/globals';
import { namedSnapshots } from '../../../src/domain/snapshot/named-snapshots';
import { openSnapshots, type Snapshots } from '../../../src/domain/snapshot/snapshots';
import { partRunId, timeStamp } from '../../../src/model/run/run-id';
import { protectedRoute, ruleRoute } from '../../../src/model/snapshot/rule-route';
import type { Context } from '../../../src/service/context';
import { readRoutes } from '../../../src/service/metrics/stored-figures';
import { protectHandlers } from '../../../src/service/protect/rules';
import { itemHandlers } from '../../../src/service/item/items';
import { snapshotHandlers } from '../../../src/service/snapshot/snapshots';
import { readStatus } from '../../../src/service/status/read-status';
import { keys } from '../../../src/store/keys';
import { aRow, aSnapshot, calledBy } from '../../domain/snapshot/a-store';
import { aConfig, aPortal } from '../../support/config';

const DAY = 86_400_000;
const ROUTES = 6;
const GROUPS = 5;
const newest = Math.floor(Date.now() / 1000) * 1000 - DAY / 4;
const rule = ruleRoute('gis', 'all');
const hex = (letter: string, at: number) => letter + at.toString(16).padStart(31, '0');
const routes = Array.from({ length: ROUTES }, (_, at) => `route-${at}`);
const groups = Array.from({ length: GROUPS }, (_, at) => ({ id: hex('c', at), title: `Group ${at}` }));

/** A store with the backups of so many nights, of routes and of a rule's groups. */
class Nights {
  private config;
  private snapshots: Snapshots;

  constructor(private count: number) {
    const routeOf = (at: number) => ({
      source: { portal: 'gis', group: hex('a', at) },
      target: { portal: 'other', group: hex('b', at) },
      backup: { maxAge: '2d' },
    });
    const protect = { all: { groups: 'all', backup: { maxAge: '2d' } } };
    this.config = aConfig({
      store: { type: 'local', path: './store' },
      portals: { gis: aPortal('gis', { protect }), other: aPortal('other') },
      routes: Object.fromEntries(routes.map((name, at) => [name, routeOf(at)])),
    });
    this.snapshots = openSnapshots(this.config);
  }

  async write() {
    for (let night = 0; night < this.count; night += 1) {
      const at = newest - night * DAY;
      for (const [number, route] of routes.entries())
        await this.take(at, route, `backup-${route}-${timeStamp(at)}-aaaa`, hex('a', number));
      const runId = `protect-gis.all-${timeStamp(at)}-bbbb`;
      const looked = { runId, at: new Date(at).toISOString(), former: [], groups };
      const { store } = this.snapshots;
      await store.writeJson(keys.runGroups(runId), { ...looked, changes: [] });
      if (night === 0) await store.writeJson(keys.ruleGroups(rule), { ...looked, noted: true });
      for (const [index, { id }] of groups.entries())
        await this.take(at, protectedRoute(rule, id), partRunId(runId, index + 1), id);
    }
    const proof = { level: 'imported' as const, at: new Date().toISOString(), portal: 'spare', items: 1 };
    const [proven] = await namedSnapshots(this.snapshots, Date.now(), routes[0]);
    await this.snapshots.prove(proven?.id ?? '', { ...proof, runId: 'drill-1' });
    return this;
  }

  async lose(key: string) {
    await this.snapshots.store.remove(key);
  }

  private async take(at: number, route: string, id: string, groupId: string) {
    const source = { ...aSnapshot.source, groupId };
    const takenAt = new Date(at).toISOString();
    await this.snapshots.commit({ ...aSnapshot, id, runId: id, route, source, takenAt }, [
      aRow(`item of ${groupId}`, { saved: 'presumed' }),
    ]);
  }

  /** How often a look asks the store for a document or a list, and what it finds. */
  async look<T>(work: (context: Context) => Promise<T>) {
    let asked = 0;
    const store = calledBy(this.snapshots.store, (name, call) => {
      if (['readJson', 'names', 'list'].includes(String(name))) asked += 1;
      return call();
    });
    const found = await work({ config: this.config, store } as Context);
    return { asked, found };
  }
}

const list = (input: Parameters<typeof snapshotHandlers.listSnapshots>[1]) => (context: Context) =>
  snapshotHandlers.listSnapshots(context, input);
const listItems = (input: Parameters<typeof itemHandlers.listItems>[1]) => (context: Context) =>
  itemHandlers.listItems(context, input);
const looks = {
  status: readStatus,
  metrics: readRoutes,
  'a page of snapshots': list({ safeguards: true, limit: 10 }),
  'the snapshots of a route': list({ safeguards: true, limit: 2, route: 'route-3' }),
  'a page of items': listItems({ limit: 4 }),
  'a search for an item': listItems({ query: hex('c', 2) }),
  'protect list': (context: Context) => protectHandlers.listRules(context, {}),
  'protect show': (context: Context) => protectHandlers.readRule(context, { rule: 'all' }),
} satisfies Record<string, (context: Context) => Promise<unknown>>;

let few: Nights;
let many: Nights;
beforeAll(async () => {
  few = await new Nights(3).write();
  many = await new Nights(30).write();
});

describe('a store with the backups of many nights', () => {
  it.each(Object.entries(looks))('is asked no more often for %s', async (_what, work) => {
    const [one, other] = [await few.look<unknown>(work), await many.look<unknown>(work)];
    expect(other.asked).toBe(one.asked);
    expect(one.asked).toBeLessThan(60);
  });

  it('is asked once a night for the backups of a group of a rule', async () => {
    const route = protectedRoute(rule, groups[3]!.id);
    const { asked, found } = await many.look(list({ safeguards: true, limit: 4, route }));
    expect(found.snapshots.map(({ id }) => id)).toEqual(
      [0, 1, 2, 3].map((night) => `protect-gis.all-${timeStamp(newest - night * DAY)}-bbbb_004`),
    );
    expect(found.routes).toMatchObject([{ route, overdue: false, lastGood: { id: found.snapshots[0]?.id } }]);
    expect(asked).toBeLessThan(30 + 60);
  });

  it('is asked only for the backups of its group for the history of an item', async () => {
    const item = `item of ${groups[2]!.id}`;
    const { asked, found } = await many.look((context) => itemHandlers.readItemHistory(context, { item }));
    expect(found.versions.flatMap(({ snapshots }) => snapshots)).toHaveLength(30);
    expect(asked).toBeLessThan(4 * 30 + 60);
  });

  it('shows all pages of its snapshots, newest first, and each once', async () => {
    const { found } = await few.look(async (context) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ safeguards: true, limit: 7, cursor })(context);
        ids.push(...page.snapshots.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      return ids;
    });
    expect(found).toHaveLength(3 * (ROUTES + GROUPS));
    expect(new Set(found).size).toBe(found.length);
    const days = found.map((id) => /\d{8}T/.exec(id)?.[0] ?? '');
    expect(days).toEqual(days.toSorted().reverse());
  });

  it('has the same states of routes as its manifests say', async () => {
    const { found } = await many.look(list({ safeguards: true, limit: 1 }));
    expect(found.routes).toHaveLength(ROUTES);
    for (const { route, lastGood, lastProven, overdue } of found.routes) {
      expect([overdue, lastGood?.id]).toEqual([false, `backup-${route}-${timeStamp(newest)}-aaaa`]);
      expect(lastProven?.id).toBe(route === routes[0] ? lastGood?.id : undefined);
    }
  });

  it('finds items whatever is left of their index, and none of forgotten backups', async () => {
    const all = (await few.look(listItems({}))).found.items;
    expect(all).toHaveLength(ROUTES + GROUPS);
    expect(all.every(({ snapshots }) => snapshots === 3)).toBe(true);
    await few.lose('index/items/route-1.json');
    await few.lose('index/items/');
    expect((await few.look(listItems({}))).found.items).toEqual(all);
    const gone = (await few.look(list({ limit: 1, safeguards: false, route: 'route-4' }))).found.snapshots[0];
    await few.lose(keys.snapshot(gone?.id ?? ''));
    const { items } = (await few.look(listItems({ query: hex('a', 4) }))).found;
    expect(items).toMatchObject([{ snapshots: 2 }]);
  });
});
