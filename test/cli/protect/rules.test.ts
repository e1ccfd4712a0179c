import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RuleDetail, RuleRow } from '../../../src/contract/protect';
import type { StatusView } from '../../../src/contract/status';
import type { ScheduleRow } from '../../../src/contract/schedules';
import type { Coverage } from '../../../src/model/snapshot/coverage';
import type { RunRecord } from '../../../src/model/run/run';
import { listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { Line } from '../../support/line';
import { groupIdOf, itemIdOf, ProtectedSite } from './site';

let site: ProtectedSite;
beforeAll(async () => {
  site = await ProtectedSite.open({
    groups: 'tags:official',
    exclude: [groupIdOf(12)],
    schedule: { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
    backup: { maxAge: '2d', keep: { last: 2 } },
    concurrency: 3,
  });
  for (let number = 1; number <= 12; number += 1)
    await site.group(number, number <= 9 || number === 12 ? ['official'] : ['draft']);
});
afterAll(() => site.close());

/** Titles of the groups of a run by how each ended. */
const ended = ({ children = [] }: RunRecord, status: string): string[] =>
  children.filter((each) => each.status === status).map(({ name = '' }) => name);
const changes = ({ groups }: RunRecord): string[] =>
  (groups?.changes ?? []).map(({ groupId, change }) => `${change} ${groupId.replace(/^a0*/, '')}`);
const snapshots = async (number?: number) =>
  (await listSnapshots(openSnapshots(site.at.config))).readable.filter(
    ({ manifest }) => number === undefined || manifest.source.groupId === groupIdOf(number),
  );

describe('a rule that 9 of 12 groups match', () => {
  it('says in doctor how many match now', async () => {
    const { stdout } = await site.type('doctor');
    expect(stdout).toMatch(/^ok +rule official of gis +9 groups match now$/m);
  });

  it('is listed before its first run, and overdue', async () => {
    expect(await site.read<RuleRow[]>('protect', 'list')).toMatchObject([
      { portal: 'gis', rule: 'official', groups: 'tags:official', overdue: 0, maxAgeMs: 172_800_000 },
    ]);
    const { rules } = await site.read<StatusView>('status');
    expect(rules).toMatchObject([{ rule: 'gis/official', groups: 0 }]);
  });

  it('backs up these 9, each in a run of its own', async () => {
    const record = await site.night();
    expect(record).toMatchObject({ kind: 'protect', status: 'succeeded', groups: { count: 9, changes: [] } });
    expect(ended(record, 'succeeded').sort()).toEqual(
      Array.from({ length: 9 }, (_, index) => `Group ${index + 1}`),
    );
    expect((await snapshots()).map(({ manifest }) => manifest.route).sort()).toEqual(
      Array.from({ length: 9 }, (_, index) => `protect/gis/official/${groupIdOf(index + 1)}`),
    );
    const shown = await site.read<RuleDetail>('protect', 'show', 'gis/official');
    expect(shown.rows).toHaveLength(9);
    for (const row of shown.rows)
      expect(row).toMatchObject({ status: 'succeeded', items: 1, overdue: false, snapshotId: row.runId });
    expect((await site.read<StatusView>('status')).rules).toEqual([]);
    expect(site.at.packages()).toEqual([]);
  });

  it('backs up a tenth that was made later, without a change to the file or a restart', async () => {
    await site.group(13, ['official'], 'Made at noon');
    const record = await site.night();
    expect(record).toMatchObject({ status: 'succeeded', groups: { count: 10 } });
    expect(changes(record)).toEqual(['new d']);
    expect(ended(record, 'succeeded')).toEqual(['Made at noon']);
    expect(ended(record, 'nothing-to-do')).toHaveLength(9);
  });

  it('reports once, and each in its own way, a title, an owner and a group that was made again', async () => {
    const { world } = site.at.source;
    world.groups.change(groupIdOf(1), { title: 'Renamed' });
    world.groups.change(groupIdOf(2), { owner: 'other' });
    world.groups.remove(groupIdOf(3));
    world.items.change(itemIdOf(3), { groups: [] });
    await site.group(14, ['official'], 'Group 3');
    world.groups.change(groupIdOf(4), { tags: [] });
    const before = await snapshots();
    const record = await site.night();
    expect(changes(record).sort()).toEqual(
      ['new e', 'owner 2', 'renamed 1', 'replaced 3', 'unmatched 4'].sort(),
    );
    expect(record.warnings).toContain(`group "Renamed" (${groupIdOf(1)}) was called "Group 1" before`);
    const after = await snapshots();
    const ids = after.map(({ manifest }) => manifest.id);
    expect(ids).toEqual(expect.arrayContaining(before.map(({ manifest }) => manifest.id)));
    for (const { manifest } of after)
      expect(manifest.route).toBe(`protect/gis/official/${manifest.source.groupId}`);
    expect(changes(await site.night())).toEqual([]);
  });

  it('keeps what a group has that no longer matches, until its own time', async () => {
    for (let night = 0; night < 3; night += 1) {
      site.edit();
      await site.night();
    }
    expect(await snapshots(5)).toHaveLength(2);
    expect(await snapshots(3)).toHaveLength(1);
    expect(await snapshots(4)).toHaveLength(1);
    const { former } = await site.read<RuleDetail>('protect', 'show', 'official');
    expect(former).toMatchObject([
      { groupId: groupIdOf(3), exists: false, snapshots: 1 },
      { groupId: groupIdOf(4), exists: true, snapshots: 1 },
    ]);
  });

  it('goes on where a group fails, and names it every night', async () => {
    const { faults } = site.at.source;
    faults.add({
      match: { operation: 'group.export', path: groupIdOf(6) },
      do: { error: { code: 403, message: 'You do not have permissions' } },
    });
    for (let night = 0; night < 2; night += 1) {
      site.edit();
      const record = await site.night();
      expect(record.status).toBe('partial');
      expect(ended(record, 'failed')).toEqual(['Group 6']);
      expect(ended(record, 'succeeded')).toHaveLength((record.groups?.count ?? 0) - 1);
      expect(record.warnings.join('\n')).toContain('group "Group 6"');
      const { rules } = await site.read<StatusView>('status');
      expect(rules).toMatchObject([
        { rule: 'gis/official', failures: 1, failed: [`Group 6 (${groupIdOf(6)})`] },
      ]);
    }
  });

  it('has one schedule, which apply brings to the server', async () => {
    expect((await site.type('schedule', 'apply', '--yes')).status).toBe(0);
    const rows = await site.read<ScheduleRow[]>('schedule', 'list');
    expect(rows).toMatchObject([
      {
        name: 'protect/gis/official',
        kind: 'protect',
        route: 'protect/gis/official',
        standing: 'as in portolan.yaml',
      },
    ]);
    const shown = await site.type('schedule', 'show', 'protect/gis/official');
    expect(shown.status).toBe(0);
  });
});

describe('coverage of a portal', () => {
  const read = async (): Promise<{ status: number | null; found: Coverage }> => {
    const { status, stdout } = await site.type('coverage', 'gis', '-o', 'json');
    return { status, found: JSON.parse(stdout) as Coverage };
  };

  it('counts each item once, and names what nothing backs up', async () => {
    const seed = new SeedBuilder(site.at.source.world);
    seed.item({ id: itemIdOf(40), title: 'Board', type: 'Dashboard', groups: [groupIdOf(5)] });
    site.at.source.world.items.change(itemIdOf(10), { groups: [groupIdOf(10), groupIdOf(5)] });
    site.at.source.faults.clear();
    await site.night();
    const { status, found } = await read();
    expect(status).toBe(20);
    const { items, totals } = found;
    expect(found.complete).toBe(true);
    expect(totals.items).toBe(site.at.source.world.items.size);
    expect(new Set(items.map(({ itemId }) => itemId)).size).toBe(totals.items);
    const { items: all, ...states } = totals;
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(all);
    const stateOf = (number: number) => items.find(({ itemId }) => itemId === itemIdOf(number));
    expect(stateOf(5)).toMatchObject({ state: 'protected', rule: 'gis/official', groups: [groupIdOf(5)] });
    expect(stateOf(3)).toMatchObject({ state: 'ungrouped' });
    expect(stateOf(4)).toMatchObject({ state: 'unprotected', groups: [groupIdOf(4)] });
    expect(stateOf(40)).toMatchObject({ state: 'unsupported' });
    // In two groups, of which one is backed up.
    expect(stateOf(10)?.state).toBe('protected');
    expect(stateOf(10)?.groups.toSorted()).toEqual([groupIdOf(5), groupIdOf(10)]);
  });

  it('says in its text what is missing, and which rule to add', async () => {
    const { stdout, status } = await site.type('coverage', 'gis');
    expect(status).toBe(20);
    expect(stdout).toMatch(/^owner +PDF +unprotected +\d+$/m);
    expect(stdout).toContain('protect: { everything: { groups: all, ');
  });

  it('is complete and exits with 0 once everything that can be exported is protected', async () => {
    site.at.source.world.items.remove(itemIdOf(3));
    await site.configure({ official: { groups: 'all', backup: { maxAge: '2d' } } });
    expect((await site.night()).status).toBe('succeeded');
    const { status, found } = await read();
    expect(found.totals).toMatchObject({ stale: 0, unprotected: 0, ungrouped: 0 });
    expect(status).toBe(0);
    await site.configure({ official: { groups: 'all', backup: { maxAge: '1ms' } } });
    const stale = await read();
    expect(stale.status).toBe(20);
    expect(stale.found.totals.protected).toBe(0);
    expect(stale.found.totals.stale).toBe(found.totals.protected);
  });
});

it('is counted under another name and address of the portal, too', async () => {
  await site.configure({ official: { groups: 'all', backup: { maxAge: '2d' } } });
  await site.night();
  const file = path.join(site.at.folder, 'portolan.yaml');
  const text = await readFile(file, 'utf8');
  const line = await Line.to(new URL(site.at.source.url).host);
  const { portals, ...rest } = parse(text) as { portals: { gis: { url: string } } };
  const second = {
    ...portals.gis,
    url: `http://${line.address}/portal/sharing/rest`,
    aliases: [portals.gis.url],
    protect: {},
  };
  await writeFile(file, stringify({ ...rest, portals: { ...portals, second } }));
  const [{ totals }, here] = (await Promise.all(
    ['second', 'gis'].map(
      async (name) => JSON.parse((await site.type('coverage', name, '-o', 'json')).stdout) as Coverage,
    ),
  )) as [Coverage, Coverage];
  line.cut();
  await writeFile(file, text);
  expect(totals.protected).toBeGreaterThan(0);
  expect(totals).toEqual(here.totals);
});

it('is not called well once no group matches it any more', async () => {
  await site.configure({ official: { groups: 'tags:misspelt', backup: { maxAge: '2d' } } });
  expect((await site.night()).status).toBe('nothing-to-do');
  expect((await site.read<StatusView>('status')).rules).toMatchObject([{ rule: 'gis/official', groups: 0 }]);
  expect((await site.type('status')).stdout).toContain('no group matched');
  expect((await site.type('protect', 'list')).stdout).toContain('no group matches');
});
