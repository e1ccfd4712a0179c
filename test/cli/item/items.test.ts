import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ItemComparison, ItemHistory, ItemState } from '../../../src/contract/items';
import type { Simulator } from '../../../src/simulator/simulator';
import { deleteItemNow } from '../../../src/simulator/item-records';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import { signIn } from '../../simulator/harness';
import { Site } from '../../support/site';
import { portrait } from '../../workflows/snapshot/portrait';
import { typedIn } from '../../support/typed-in';

const { app, pdf, map: webMap } = transportItems;
const furtherGroupId = '7'.repeat(32);
/** A group that is deleted after the backups. */
const formerGroupId = '8'.repeat(32);
const hostile = 'Viewer "\u001b[31m<b>"';

let at: Site;
let source: Simulator;
/** Snapshots of the nights. */
const nights: string[] = [];

const { run, json, recordOf, expectRun } = typedIn(() => at.folder);

const restored = (night: string) => recordOf(`item restore ${app} --at ${night} --yes`);

const night = async () => {
  const { record } = await at.backup({ fullEveryMs: 7 * 86_400_000 });
  nights.push(record.snapshot?.id ?? '');
};

const update = async (itemId: string, fields: Record<string, string>) => {
  const admin = await signIn(source, 'admin');
  const path = `/content/users/owner/items/${itemId}/update`;
  expect(await admin.call(path, fields)).toMatchObject({ success: true });
};

const dataOf = async (itemId: string) =>
  (await (await signIn(source, 'owner')).get(`/content/items/${itemId}/data`)).text();

const others = async (itemId: string): Promise<object> =>
  Object.fromEntries(Object.entries(await portrait(source)).filter(([id]) => id !== itemId));

beforeAll(async () => {
  at = await Site.open({ items: [app, pdf, webMap], user: { username: 'admin', password: 'admin-pw' } });
  ({ source } = at);
  const { items, folders, groups } = source.world;
  for (const id of [furtherGroupId, formerGroupId])
    groups.put(id, { ...groups.get(transportGroupId)!, id, title: 'Further' });
  folders.put('f1', { id: 'f1', username: 'owner', title: 'Apps', created: 1 });
  const shared = [transportGroupId, furtherGroupId, formerGroupId];
  items.change(app, { ownerFolder: 'f1', access: 'org', groups: shared });
  const admin = await signIn(source, 'admin');
  const thumbnail = { field: 'thumbnail', name: 'app.png' };
  await admin.upload(`/content/users/owner/items/${app}/update`, Buffer.from('a picture'), {}, thumbnail);
  for (const color of ['red', 'green']) {
    const feed = 'https://feed.example.com/query?f=json&token=Xq7secret';
    const text = JSON.stringify({ values: { color, feed, apiKey: 'Xq7secret' } });
    await update(app, { text, ...(color === 'green' && { title: hostile }) });
    await night();
  }
});
afterAll(() => at.close());

describe('an item in backups', () => {
  it('has a version for each night that changed it', async () => {
    const state = await json<ItemState>(`item show ${app} --at ${nights[0]!}`);
    expect(state).toMatchObject({
      itemId: app,
      snapshot: { id: nights[0] },
      content: { data: { values: { color: 'red' } } },
    });
    const { versions } = await json<ItemHistory>(`item history ${app}`);
    expect(versions.map(({ snapshots }) => snapshots.map(({ id }) => id))).toEqual(
      [...nights].reverse().map((id) => [id]),
    );
  });

  it('is shown without secrets in its JSON [P15]', async () => {
    const { stdout } = await run(`item show ${app} --at ${nights[1]!} -o json`);
    expect(JSON.parse(stdout)).toMatchObject({
      content: {
        data: { values: { feed: 'https://feed.example.com/query?f=json&token=***', apiKey: '***' } },
      },
    });
    expect(stdout).not.toContain('Xq7secret');
  });

  it('is asked for by a word, or refused as wrong usage', async () => {
    await expectRun('item history ""', 2, /USAGE +item: must not be empty/);
  });

  it('is compared between two nights, and with the portal', async () => {
    const between = await expectRun(`item diff ${app} ${nights.join(' ')} -o json`, 20);
    const { change } = JSON.parse(between.stdout) as ItemComparison;
    const fields: unknown = expect.arrayContaining([
      expect.objectContaining({ before: 'red', after: 'green' }),
    ]);
    expect(change).toMatchObject({ kind: 'changed', fields });
    const live = await run(`item diff ${app} ${nights[1]!} live -o json`);
    expect([live.status, (JSON.parse(live.stdout) as ItemComparison).change.kind]).toEqual([0, 'same']);
  });

  it('is restored alone in the named version [P04]', async () => {
    const rest = await others(app);
    const record = await restored(nights[0]!);
    expect(record).toMatchObject({ kind: 'restore', status: 'succeeded', plan: { overwrite: 1, create: 0 } });
    expect(record.safeguard?.id).toBeDefined();
    expect(JSON.parse(await dataOf(app))).toMatchObject({ values: { color: 'red' } });
    expect(await others(app)).toEqual(rest);
  });

  it('comes back under its ID with owner, folder and sharing after a deletion', async () => {
    const { world } = source;
    const { thumbnail: picture } = (await portrait(source))[app] as { thumbnail: unknown };
    expect(picture).toEqual(['thumbnail/app.png', expect.any(String)]);
    await deleteItemNow(world, world.items.get(app)!);
    world.groups.remove(formerGroupId);
    await expectRun(
      `item diff ${app} ${nights.at(-1)!} live`,
      10,
      'is no longer on',
      `portolan item restore ${app} --at ${nights.at(-1)}`,
    );
    await update(webMap, { snippet: 'without the app' });
    await night();
    const history = await json<ItemHistory>(`item history ${app}`);
    expect(history.gone).toMatchObject({ snapshot: nights.at(-1) });
    const text = await run(`item history ${app}`);
    expect(text.stdout).not.toContain('\u001b[31m');
    const rest = await others(app);
    const record = await restored(nights.at(-2)!);
    expect(record).toMatchObject({ status: 'succeeded', plan: { create: 1, overwrite: 0 } });
    expect(record.warnings.join()).toContain(
      `was shared with group ${formerGroupId}, which is not on staging or not visible`,
    );
    expect(world.items.get(app)).toMatchObject({
      title: hostile,
      owner: 'owner',
      ownerFolder: 'f1',
      access: 'org',
      groups: [transportGroupId, furtherGroupId],
    });
    expect((await portrait(source))[app]).toMatchObject({ thumbnail: picture });
    expect(await others(app)).toEqual(rest);
  });

  it('names the groups with which it could not be shared again', async () => {
    const { world, faults } = source;
    await deleteItemNow(world, world.items.get(app)!);
    faults.add({
      match: { operation: 'item.share' },
      do: { error: { code: 403, message: 'You are no member.' } },
    });
    const refused = await restored(nights[1]!);
    faults.clear();
    expect([refused.status, refused.verification?.findings]).toEqual([
      'partial',
      expect.arrayContaining([expect.objectContaining({ kind: 'groups-differ', value: furtherGroupId })]),
    ]);
    expect(refused.warnings.join()).toMatch(/its sharing could not be set: .*You are no member/);
  });

  it('is not restored from a damaged package, and the next older version is named', async () => {
    const manifest = await at.snapshots.read(nights[1]!);
    const file = await at.store.openPartial(manifest.package!.key);
    await file.append([Buffer.from('other')] as unknown as AsyncIterable<Uint8Array>);
    await file.commit();
    await file.close();
    await expectRun(
      `item restore ${app} --at ${nights[1]!} --yes`,
      1,
      `portolan item restore ${app} --at ${nights[0]}`,
    );
    await expectRun(`item restore ${pdf} --at nowhere`, 10, 'SNAPSHOT_NOT_FOUND');
  });
});
