import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transportItems, transportTargetGroupId } from '../../src/simulator/seed/transport';
import type { ItemRecord } from '../../src/simulator/state/records';
import { Site } from '../support/site';
import { type Holding, holdingsOf, without } from './holdings';
import { isRewritten, itemId, thousandGroupId, writeSeed } from './thousand';

const count = Number(process.env['PORTOLAN_THOUSAND'] ?? 1_000);
const numbers = Array.from({ length: count }, (_, index) => index + 1);
/** Those that are on the target already. */
const half = numbers.filter((number) => number % 2 === 0 || number % 16 === 1);
const ofTarget = Array.from({ length: 40 }, (_, index) => 5_008 + index);

let folder: string;
let at: Site;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'portolan-thousand-'));
});
afterEach(async () => {
  await at?.close();
  await rm(folder, { recursive: true, force: true });
});

const routes = (group: string) => ({
  transport: {
    source: { portal: 'staging', group: thousandGroupId },
    target: { portal: 'production', group },
    approval: 'none',
  },
});

/** What a portal writes anew, or what belongs to the place where an item lies. */
const placeFields = ['owner', 'ownerFolder', 'access', 'groups', 'protected', 'created'] as const;
const place = (item: ItemRecord) => placeFields.map((field) => item[field]);

/** All of an item but its place, its times, and how the simulator keeps its bytes. */
const contentOf = ({ item, ...content }: Holding) => ({
  ...without([...placeFields, 'modified', 'readableAt', 'indexedAt', 'importedBy', 'data', 'size'], item),
  ...content,
});

/** What the target should hold of the source's items. */
async function desired() {
  const { source, target } = at;
  const translate = (text: string) =>
    text
      .replaceAll(source.world.hostingServerUrl, target.world.hostingServerUrl)
      .replaceAll(source.world.portalUrl, target.world.portalUrl);
  const rewritten = await holdingsOf(source.world, ({ type }) => isRewritten(type), translate);
  const asTheyAre = await holdingsOf(source.world, ({ type }) => !isRewritten(type));
  const all = [...rewritten, ...asTheyAre].filter(([, { item }]) => item.groups.includes(thousandGroupId));
  return new Map(
    all.map(([id, holding]) => {
      const item = JSON.parse(translate(JSON.stringify(holding.item))) as ItemRecord;
      return [id, contentOf({ ...holding, item })];
    }),
  );
}

async function found(ids: ReadonlySet<string>) {
  const holdings = await holdingsOf(at.target.world, ({ id }) => ids.has(id));
  return new Map([...holdings].map(([id, holding]) => [id, contentOf(holding)]));
}

/** First differences in full: a thousand would not be read. */
function expectSame(there: Map<string, object>, should: Map<string, object>) {
  expect([...there.keys()].sort()).toEqual([...should.keys()].sort());
  const other = [...should].filter(
    ([id, content]) => JSON.stringify(there.get(id), sorted) !== JSON.stringify(content, sorted),
  );
  for (const [id, content] of other.slice(0, 3)) expect(there.get(id)).toEqual(content);
  expect(other.map(([id]) => id)).toEqual([]);
}

const sorted = (_: string, value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

async function backedUp() {
  const { record } = await at.backup();
  expect(record).toMatchObject({ status: 'succeeded', snapshot: { items: count } });
  return record.snapshot?.id ?? '';
}

describe(`a backup of ${count} items`, () => {
  it('is restored into an empty group unchanged, and touches nothing else', async () => {
    const seed = path.join(folder, 'source.json');
    await writeSeed(seed, [{ look: 'as it was', numbers }]);
    at = await Site.open({
      source: { seed },
      config: { routes: routes(thousandGroupId) },
    });
    const { world } = at.target;
    const like = world.groups.get(transportTargetGroupId);
    if (!like) throw new Error('the seed has changed');
    world.groups.put(thousandGroupId, { ...like, id: thousandGroupId, title: 'Thousand' });
    const before = await holdingsOf(world);
    expect(before.get(transportItems.csv)).toBeDefined();

    const id = await backedUp();
    const { record } = await at.restore(id, { into: thousandGroupId });
    expect(record).toMatchObject({ status: 'succeeded', plan: { create: count, overwrite: 0, extra: 0 } });
    const should = await desired();
    expect(should.size).toBe(count);
    expectSame(await found(new Set(should.keys())), should);
    expect(await holdingsOf(world, ({ id: one }) => !should.has(one))).toEqual(before);
    expect(at.packages()).toEqual([]);
  });

  it('is restored over a half-changed group, and keeps items that only the group has', async () => {
    const [from, to] = [path.join(folder, 'source.json'), path.join(folder, 'target.json')];
    await writeSeed(from, [{ look: 'as it was', numbers }]);
    await writeSeed(to, [{ look: 'changed since then', numbers: [...half, ...ofTarget] }]);
    at = await Site.open({
      source: { seed: from },
      target: { seed: to },
      config: { routes: routes(thousandGroupId) },
    });
    const { world } = at.target;
    const before = await holdingsOf(world);
    const id = await backedUp();
    const flags = { into: thousandGroupId, overwrite: true, data: 'replace' } as const;
    const { record } = await at.restore(id, flags);
    expect(record).toMatchObject({
      status: 'succeeded',
      plan: { create: count - half.length, overwrite: half.length, extra: ofTarget.length },
    });
    const should = await desired();
    expectSame(await found(new Set(should.keys())), should);
    for (const number of half) {
      const [then, now] = [before.get(itemId(number)), world.items.get(itemId(number))];
      expect(now && place(now)).toEqual(then && place(then.item));
    }
    const others = new Map([...before].filter(([one]) => !should.has(one)));
    expect(others.size).toBe(ofTarget.length);
    expect(await holdingsOf(world, ({ id: one }) => !should.has(one))).toEqual(others);

    // The safeguard of the restore leads back.
    const safeguardId = record.safeguard?.id ?? '';
    const saved = await at.snapshots.rowsOf(await at.snapshots.read(safeguardId));
    expect(saved.filter((row) => row.saved === 'package')).toHaveLength(half.length);
    const back = await at.rollback({ ...record, snapshot: record.safeguard }, { deleteCreated: true });
    expect(back.record).toMatchObject({ status: 'succeeded', plan: { overwrite: half.length } });
    // Its record names the first hundred.
    expect(back.record.created?.whole).toMatchObject({ removed: count - half.length });
    const again = await holdingsOf(world);
    expectSame(
      new Map([...again].map(([one, holding]) => [one, contentOf(holding)])),
      new Map([...before].map(([one, holding]) => [one, contentOf(holding)])),
    );
  });
});
