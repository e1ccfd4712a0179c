import path from 'node:path';
import type { Client, WorkflowClient } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config';
import type { RuleDetail, RuleRow } from '../../../src/contract/protect';
import type { StatusView } from '../../../src/contract/status';
import type { ScheduleRow } from '../../../src/contract/schedules';
import type { Coverage } from '../../../src/model/snapshot/coverage';
import type { RunRecord } from '../../../src/model/run/run';
import { listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import { runPage } from '../../../src/service/run/run-rows';
import { prepareProtect } from '../../../src/service/start/protect';
import { readStatus } from '../../../src/service/status/read-status';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { builtInUsers } from '../../../src/simulator/seed/users';
import type { Store } from '../../../src/store/store';
import { Line } from '../../support/line';
import { until } from '../../support/until';
import { groupIdOf, itemIdOf, ProtectedSite } from './site';

let site: ProtectedSite;
beforeAll(async () => {
  site = await ProtectedSite.open({
    groups: 'tags:official',
    exclude: [groupIdOf(6)],
    schedule: { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
    backup: { maxAge: '2d', keep: { last: 1 } },
    concurrency: 3,
  });
  // Of seven groups, one is a draft and one is excluded.
  for (let number = 1; number <= 7; number += 1)
    await site.group(number, [number === 5 ? 'draft' : 'official']);
});
afterAll(() => site.close());

const config = () => loadConfig(path.join(site.at.folder, 'portolan.yaml'));
/** Titles of the groups of a run by how each ended. */
const ended = ({ children = [] }: RunRecord, status: string) =>
  children.flatMap((child) => (child.status === status ? (child.name ?? '') : [])).sort();
const changes = ({ groups }: RunRecord) =>
  (groups?.changes ?? []).map(({ groupId, change }) => `${change} ${groupId.replace(/^a0*/, '')}`).sort();
/** How many groups were backed up at once, at most. */
const atOnce = ({ children = [] }: RunRecord) =>
  Math.max(
    ...children.map(
      ({ startedAt: now = '' }) =>
        children.filter(({ startedAt = '', finishedAt = '' }) => startedAt <= now && now < finishedAt).length,
    ),
  );
/** Numbers of the groups that have snapshots, once for each. */
const saved = async () =>
  (await listSnapshots(openSnapshots(site.at.config))).readable
    .map(({ manifest: { route, source } }) => {
      expect(route).toBe(`protect/gis/official/${source.groupId}`);
      return source.groupId.slice(-1);
    })
    .sort();
const ruleStatus = async () => (await site.read<StatusView>('status')).rules;

describe('a rule of a portal', () => {
  it('is listed with its matches before its first run', async () => {
    await site.expectRun('doctor', 0, /^ok +rule official of gis +5 groups match now$/m);
    expect(await site.read<RuleRow[]>('protect list')).toMatchObject([
      { portal: 'gis', rule: 'official', groups: 'tags:official', overdue: 0, maxAgeMs: 172_800_000 },
    ]);
    expect(await ruleStatus()).toMatchObject([{ rule: 'gis/official', groups: 0 }]);
  });

  it('backs up each matching group in a run of its own', async () => {
    const record = await site.night();
    expect(record).toMatchObject({ kind: 'protect', status: 'succeeded', groups: { count: 5, changes: [] } });
    expect(ended(record, 'succeeded')).toEqual([1, 2, 3, 4, 7].map((number) => `Group ${number}`));
    expect(atOnce(record)).toBe(3);
    expect(await saved()).toEqual(['1', '2', '3', '4', '7']);
    const { rows } = await site.read<RuleDetail>('protect show gis/official');
    expect(rows).toHaveLength(5);
    for (const row of rows)
      expect(row).toMatchObject({ status: 'succeeded', items: 1, overdue: false, snapshotId: row.runId });
    expect(await ruleStatus()).toEqual([]);
    expect(site.at.packages()).toEqual([]);
  });

  it('is shown in the status by two documents, and no snapshot is read', async () => {
    const { store } = site.at;
    const read: string[] = [];
    const readJson: Store['readJson'] = async (key, schema) => {
      read.push(key);
      return await store.readJson(key, schema);
    };
    const watched: Store = Object.create(store, { readJson: { value: readJson } });
    await readStatus({ config: config(), store: watched });
    expect(read.filter((key) => /^(rules|snapshots)\//.test(key)).sort()).toEqual([
      'rules/protect/gis/official/groups.json',
      'rules/protect/gis/official/outcome.json',
    ]);
  });

  it('reports each change among its groups, and backs up a group made later', async () => {
    const { world } = site.at.source;
    world.groups.change(groupIdOf(1), { title: 'Renamed' });
    world.groups.remove(groupIdOf(2));
    world.items.change(itemIdOf(2), { groups: [] });
    world.groups.change(groupIdOf(3), { tags: [] });
    await site.group(13, ['official'], 'Made at noon');
    const record = await site.night();
    expect(changes(record)).toEqual(['gone 2', 'new d', 'renamed 1', 'unmatched 3']);
    expect(record.warnings).toContain(`group "Renamed" (${groupIdOf(1)}) was called "Group 1" before`);
    expect(ended(record, 'succeeded')).toEqual(['Made at noon']);
    expect(ended(record, 'nothing-to-do')).toEqual(['Group 4', 'Group 7', 'Renamed']);
    const { rows } = await site.read<RuleDetail>('protect show gis/official');
    // The snapshots of the first night are confirmed by the second.
    for (const { lastGoodAt = '' } of rows)
      expect(Date.parse(lastGoodAt)).toBeGreaterThan(Date.parse(record.startedAt));
  });

  it("starts again while Temporal's index still calls its last run open", async () => {
    const { temporal, store, asker } = site.at;
    const { workflow: index } = temporal.client;
    const list = async function* () {
      for await (const info of index.list({ query: `WorkflowType = 'protect'` }))
        yield { ...info, status: { code: 1, name: 'RUNNING' }, closeTime: undefined };
    };
    const workflow: WorkflowClient = Object.create(index, { list: { value: list } });
    const client: Client = Object.create(temporal.client, { workflow: { value: workflow } });
    const sources = { config: config(), store, asker, temporal: { ...temporal, client } };
    await until('the ended runs in the index', async () => {
      const { rows } = await runPage(sources, { open: true, kind: 'protect' });
      return rows.length === 2;
    });
    expect(await prepareProtect(sources, { rule: 'official' })).toMatchObject({ kind: 'protect' });
  });

  it('names a group that fails, and keeps snapshots of former groups apart', async () => {
    const { faults, world } = site.at.source;
    faults.add({
      match: { operation: 'group.export', path: groupIdOf(4) },
      do: { error: { code: 403, message: 'You do not have permissions' } },
    });
    world.items.change(itemIdOf(5), { groups: [groupIdOf(5), groupIdOf(1)] });
    site.edit(1, 4);
    // Another group takes the title of one that is gone.
    world.groups.remove(groupIdOf(7));
    world.items.remove(itemIdOf(7));
    await site.group(14, ['official'], 'Group 7');
    world.groups.change(groupIdOf(1), { owner: builtInUsers.admin.username });
    await site.at.stopWorker();
    await site.at.startWorker();
    const record = await site.night();
    // What was reported is not reported again, by no other worker either.
    expect([record.status, changes(record)]).toEqual(['partial', ['new e', 'owner 1', 'replaced 7']]);
    expect(ended(record, 'failed')).toEqual(['Group 4']);
    expect(ended(record, 'succeeded')).toEqual(['Group 7', 'Renamed']);
    expect(ended(record, 'nothing-to-do')).toEqual(['Made at noon']);
    expect(record.warnings.join('\n')).toContain('group "Group 4"');
    expect(await ruleStatus()).toMatchObject([
      { rule: 'gis/official', failures: 1, failed: [`Group 4 (${groupIdOf(4)})`] },
    ]);
    // One snapshot of each: the policy keeps the last, also of former groups, and each is of the group its route names.
    expect(await saved()).toEqual(['1', '2', '3', '4', '7', 'd', 'e']);
    const { rows, former } = await site.read<RuleDetail>('protect show official');
    expect(rows.find(({ groupId }) => groupId === groupIdOf(14))).toMatchObject({ status: 'succeeded' });
    expect(former).toMatchObject([
      { groupId: groupIdOf(2), exists: false, snapshots: 1 },
      { groupId: groupIdOf(3), exists: true, snapshots: 1 },
      { groupId: groupIdOf(7), exists: false, snapshots: 1 },
    ]);
  });

  it('has one schedule, which apply brings to the server', async () => {
    await site.expectRun('schedule apply --yes', 0);
    const name = 'protect/gis/official';
    expect(await site.read<ScheduleRow[]>('schedule list')).toMatchObject([
      { name, kind: 'protect', route: name, standing: 'as in portolan.yaml' },
    ]);
    await site.expectRun(`schedule show ${name}`, 0);
  });
});

describe('coverage of a portal', () => {
  const read = async (portal = 'gis') => {
    const { status, stdout } = await site.type(`coverage ${portal} -o json`);
    return { status, found: JSON.parse(stdout) as Coverage };
  };

  it('counts each item once, and names unprotected items and the rule to add', async () => {
    const { world } = site.at.source;
    const board = { id: itemIdOf(20), title: 'Board', type: 'Dashboard', groups: [groupIdOf(1)] };
    new SeedBuilder(world).item(board);
    const { status, found } = await read();
    const { items, totals, complete } = found;
    expect([status, complete, totals.items]).toEqual([20, true, world.items.size]);
    expect(new Set(items.map(({ itemId }) => itemId)).size).toBe(totals.items);
    const { items: all, ...states } = totals;
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(all);
    const stateOf = (number: number) => items.find(({ itemId }) => itemId === itemIdOf(number));
    expect(stateOf(1)).toMatchObject({ state: 'protected', rule: 'gis/official', groups: [groupIdOf(1)] });
    expect([2, 3, 20].map((number) => stateOf(number)?.state)).toEqual([
      'ungrouped',
      'unprotected',
      'unsupported',
    ]);
    // In two groups, of which one is backed up.
    expect(stateOf(5)).toMatchObject({ state: 'protected', groups: expect.arrayContaining([groupIdOf(5)]) });
    await site.expectRun(
      'coverage gis',
      20,
      /^owner +PDF +unprotected +\d+$/m,
      'protect: { everything: { groups: all, ',
    );
  });

  it('exits with 0 if all is protected, and with 20 if its count is cut or backups old', async () => {
    const { faults, world } = site.at.source;
    faults.clear();
    for (const number of [2, 3, 6]) world.items.remove(itemIdOf(number));
    expect(await site.night()).toMatchObject({ status: 'succeeded', groups: { changes: [] } });
    const { status, found } = await read();
    expect(found.totals).toMatchObject({ stale: 0, unprotected: 0, ungrouped: 0 });
    expect(status).toBe(0);
    faults.add({
      match: { operation: 'group.content', path: groupIdOf(1) },
      do: { error: { code: 403, message: 'No' } },
    });
    const cut = await read();
    faults.clear();
    expect([cut.status, cut.found.complete, cut.found.totals]).toEqual([20, false, found.totals]);
    site.configure({ official: { groups: 'tags:official', backup: { maxAge: '1ms' } } });
    const stale = await read();
    expect(stale.status).toBe(20);
    expect(stale.found.totals).toMatchObject({ protected: 0, stale: found.totals.protected });
    site.configure({ official: { groups: 'tags:official', backup: { maxAge: '2d' } } });
  });

  it('is the same under another name and address of the portal', async () => {
    const { given, configure } = site.commands;
    const { portals } = given<{ portals: { gis: { url: string } } }>();
    const line = await Line.to(new URL(site.at.source.url).host);
    const second = {
      ...portals.gis,
      url: `http://${line.address}/portal/sharing/rest`,
      aliases: [portals.gis.url],
      protect: {},
    };
    configure({ portals: { ...portals, second } });
    const [{ found }, here] = [await read('second'), await read()];
    line.cut();
    configure({ portals });
    expect(found.totals.protected).toBeGreaterThan(0);
    expect(found.totals).toEqual(here.found.totals);
  });
});

it('a rule that no group matches needs attention', async () => {
  site.configure({ official: { groups: 'tags:misspelt', backup: { maxAge: '2d' } } });
  expect((await site.night()).status).toBe('nothing-to-do');
  expect(await ruleStatus()).toMatchObject([{ rule: 'gis/official', groups: 0 }]);
  await site.expectRun('status', 3, 'no group matched');
  await site.expectRun('protect list', 0, 'no group matches');
});
