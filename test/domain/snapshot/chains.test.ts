import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { basis, contentOf, findBasis, type NextBackup, whyBroken } from '../../../src/domain/snapshot/basis';
import { lastGood, listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { forgetByPolicy } from '../../../src/domain/snapshot/retention/forget';
import { whyChanged } from '../../../src/domain/snapshot/compare-rows';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import {
  isPackaged,
  type LiveRow,
  type NamedPackage,
  packageOf,
  packagesIn,
  type SnapshotManifest,
} from '../../../src/model/snapshot/snapshot';
import { keys } from '../../../src/store/keys';
import { aPackage, aRow, aSnapshot, AStore } from './a-store';

/** More of them: PORTOLAN_DRAWS=500 npx jest test/domain/snapshot/chains.test.ts */
const draws = Number(process.env['PORTOLAN_DRAWS'] ?? 5);
const dayMs = 86_400_000;
const firstNight = Date.UTC(2026, 0, 1, 3);

/** A group that is backed up night by night, each package being the text of what was exported into it. */
class Nights {
  one = new AStore();
  /** What the group holds: a version of each item. */
  group = new Map<string, number>();
  /** What it held when each snapshot was taken. */
  held = new Map<string, ReadonlyMap<string, number>>();
  account = 'a';
  /** What is exported goes in two packages. */
  halves = false;
  private version = 0;
  private night = 0;
  private last?: SnapshotManifest;

  constructor(
    private fullEveryMs = 30 * dayMs,
    private filler = '',
    /** Nothing is taken away: the last one need not be looked for. */
    private remembers = false,
  ) {}

  put(itemId: string) {
    this.group.set(itemId, (this.version += 1));
  }

  private live() {
    return [...this.group].map(([itemId, version]) => {
      const { saved: _, ...row } = aRow(itemId, { modified: version });
      return row;
    });
  }

  /** Backs the group up as the activities do. @returns the items that were exported; undefined where nothing changed */
  async pass({ dies = false } = {}) {
    const { snapshots } = this.one;
    // Each night is due at another minute.
    const now = firstNight + (this.night += 1) * dayMs - ((this.night * 7) % 30) * 60_000;
    const id = `night-${String(this.night).padStart(3, '0')}`;
    const live = this.live();
    if (live.length === 0) return undefined;
    const last = this.last ?? (await lastGood(snapshots, 'transport'))?.manifest;
    const before = last && (await snapshots.rowsOf(last));
    if (
      last &&
      before &&
      whyChanged(before, live) === undefined &&
      (await whyBroken(snapshots, last)) === undefined
    )
      return undefined;
    const next: NextBackup = {
      id,
      requested: live.map(({ itemId, type, title }) => ({ itemId, type, title, packageIndex: 0 })),
      live,
      account: this.account,
      version: '11.2',
      isChosen: false,
      fullEveryMs: this.fullEveryMs,
    };
    const found = last && before ? (await findBasis(snapshots, last, before, next, now)).basis : undefined;
    const taken = found && basis.parse(JSON.parse(JSON.stringify(found)));
    const stays = new Set(taken?.rows.map(({ itemId }) => itemId));
    const exported = live.filter(({ itemId }) => !stays.has(itemId));
    const half = this.halves ? Math.ceil(exported.length / 2) : exported.length;
    const parts = [exported.slice(0, half), exported.slice(half)].filter(({ length }) => length > 0);
    const packages: NamedPackage[] = [];
    for (const part of parts) {
      const text = JSON.stringify(part.map(({ itemId }) => [itemId, this.group.get(itemId), this.filler]));
      const key = keys.snapshotPackage(id, packages.length);
      packages.push(aPackage(key, text));
      await this.one.writeFile(key, text);
    }
    if (dies) return { exported: exported.map(({ itemId }) => itemId) };
    const added = parts.flatMap((part, index) => part.map((row) => ({ ...asSaved(row), package: index })));
    const order = live.map(({ itemId }) => itemId);
    const { rows, ...content } = contentOf(taken, { packages, rows: added }, order);
    const manifest = await snapshots.commit(
      {
        ...aSnapshot,
        id,
        runId: id,
        takenAt: new Date(now).toISOString(),
        account: this.account,
        ...content,
      },
      rows,
    );
    if (this.remembers) this.last = manifest;
    this.held.set(id, new Map(this.group));
    return { exported: exported.map(({ itemId }) => itemId), manifest };
  }

  async keep(last: number) {
    const now = firstNight + (this.night + 1) * dayMs;
    await forgetByPolicy(this.one.snapshots, {
      route: 'transport',
      policy: { last },
      openRuns: new Set(),
      now,
    });
  }

  /** What a restore of a snapshot brings, item by item out of their packages. */
  async restored(manifest: SnapshotManifest) {
    const versions = new Map<string, number>();
    for (const row of await this.one.snapshots.rowsOf(manifest)) {
      const text = readFileSync(this.one.fileOf(packageOf(manifest, row)?.key ?? ''), 'utf8');
      const packed = new Map((JSON.parse(text) as [string, number][]).map(([id, version]) => [id, version]));
      versions.set(row.itemId, packed.get(row.itemId) ?? 0);
    }
    return versions;
  }
}

const asSaved = (row: LiveRow) => ({ ...row, saved: 'package' as const });

async function ten(fullEveryMs?: number) {
  const nights = new Nights(fullEveryMs);
  for (let item = 0; item < 10; item += 1) nights.put(`i${item}`);
  await nights.pass();
  return nights;
}

describe('nightly snapshots', () => {
  it('export changed items only, and need no export for removed ones', async () => {
    const nights = await ten();
    expect(await nights.pass()).toBeUndefined();
    nights.put('i3');
    nights.put('new');
    nights.group.delete('i4');
    expect(await nights.pass()).toMatchObject({
      exported: ['i3', 'new'],
      manifest: {
        since: {
          id: 'night-001',
          full: { id: 'night-001' },
          changed: 2,
          added: 1,
          removed: [{ itemId: 'i4', type: 'Web Map', title: 'Map i4' }],
        },
      },
    });
    nights.group.delete('new');
    const third = await nights.pass();
    expect(third).toMatchObject({
      exported: [],
      manifest: { since: { id: 'night-003', changed: 0, added: 0 } },
    });
    expect(await nights.restored(third!.manifest!)).toEqual(nights.group);
    // Once no item is needed of a package any more, it is not named.
    nights.put('i3');
    expect(packagesIn((await nights.pass())!.manifest!)).toHaveLength(2);
  });

  it.each<[string, (nights: Nights) => unknown]>([
    ['another account exports', (nights) => (nights.account = 'b')],
    ['everything has changed', ({ group }) => [...group.keys()].forEach((id) => group.set(id, 1_000))],
  ])('export everything if %s', async (_, change) => {
    const nights = await ten();
    nights.put('i3');
    change(nights);
    const { exported, manifest } = (await nights.pass())!;
    expect(exported).toHaveLength(10);
    expect(manifest!.since).toBeUndefined();
    expect(manifest!.more).toBeUndefined();
  });

  it('export everything at the interval for full ones, even a little early', async () => {
    const nights = await ten(3 * dayMs);
    const exported: number[] = [];
    for (let night = 1; night <= 7; night += 1) {
      nights.put('i3');
      exported.push((await nights.pass())!.exported.length);
    }
    expect(exported).toEqual([1, 1, 10, 1, 1, 10, 1]);
  });

  it('export again only items of missing or damaged packages', async () => {
    const nights = await ten();
    nights.put('i1');
    nights.put('i2');
    const { manifest } = (await nights.pass())!;
    const [added, full] = packagesIn(manifest!);
    nights.one.flip(added!.key);
    // Nobody has read it: nothing is known of that.
    expect(await nights.pass()).toBeUndefined();
    await verifySnapshot(nights.one.snapshots, manifest!.id);
    const mended = (await nights.pass())!;
    expect(mended.exported).toEqual(['i1', 'i2']);
    await nights.one.requireIntact(mended.manifest!.id);
    await nights.one.store.remove(full!.key);
    expect((await nights.pass())!.exported).toHaveLength(8);
    expect(await nights.pass()).toBeUndefined();
  });

  it('hold what their group held, whatever is lost or forgotten', async () => {
    const item = fc.integer({ min: 0, max: 7 }).map((index) => `i${index}`);
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ put: fc.array(item, { maxLength: 3 }) }) },
      { weight: 3, arbitrary: fc.record({ drop: item }) },
      { weight: 2, arbitrary: fc.record({ keep: fc.integer({ min: 1, max: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ account: fc.constantFrom('a', 'b') }) },
      { weight: 1, arbitrary: fc.record({ damage: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ dies: fc.constant(true) }) },
      { weight: 1, arbitrary: fc.record({ halves: fc.boolean() }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
        const nights = new Nights(30 * dayMs);
        const { one } = nights;
        for (let index = 0; index < 8; index += 1) nights.put(`i${index}`);
        const damaged = new Set<string>();
        for (const each of steps) {
          if ('put' in each) for (const id of each.put) nights.put(id);
          if ('drop' in each) nights.group.delete(each.drop);
          if ('account' in each) nights.account = each.account;
          if ('halves' in each) nights.halves = each.halves;
          if ('dies' in each) await nights.pass({ dies: true });
          if ('damage' in each) {
            const stored = await one.packages();
            const key = stored[each.damage % Math.max(stored.length, 1)];
            if (key === undefined || damaged.has(key)) continue;
            one.flip(key, 0, 0x80);
            damaged.add(key);
            const { readable } = await listSnapshots(one.snapshots);
            for (const { manifest } of readable) await verifySnapshot(one.snapshots, manifest.id);
          }
          const passed = await nights.pass();
          if (passed?.manifest) await one.requireIntact(passed.manifest.id);
          if ('keep' in each) await nights.keep(each.keep);

          const { readable, unreadable } = await listSnapshots(one.snapshots);
          expect(unreadable).toEqual([]);
          const named = new Set<string>();
          for (const { manifest } of readable) {
            const rows = await one.snapshots.rowsOf(manifest);
            // Each package is named for a row, and each row has one.
            const needed = new Set(rows.filter(isPackaged).map((row) => packageOf(manifest, row)?.key));
            expect([...needed].sort()).toEqual(
              packagesIn(manifest)
                .map(({ key }) => key)
                .sort(),
            );
            for (const { key } of packagesIn(manifest)) named.add(key);
            if (packagesIn(manifest).some(({ key }) => damaged.has(key))) continue;
            expect(await nights.restored(manifest)).toEqual(nights.held.get(manifest.id));
          }
          for (const key of named) expect(await one.store.openFile(key)).toBeDefined();
          for (const key of damaged) if (!named.has(key)) damaged.delete(key);
        }
      }),
      { numRuns: draws },
    );
  });

  it('take 5 % of the bytes of full ones if 2 % of the items change', async () => {
    const [items, filler] = [50, 'x'.repeat(40_000)];
    const nights = new Nights(200 * dayMs, filler, true);
    for (let index = 0; index < items; index += 1) nights.put(`i${index}`);
    await nights.pass();
    const full = bytesBelow(nights.one.folder);
    for (let night = 1; night < 60; night += 1) {
      for (let each = 0; each < items / 50; each += 1) nights.put(`i${(night * 37 + each * 11) % items}`);
      await nights.pass();
    }
    const { readable } = await listSnapshots(nights.one.snapshots);
    expect(readable).toHaveLength(60);
    expect(await nights.restored(readable[0]!.manifest)).toEqual(nights.group);
    expect(bytesBelow(nights.one.folder) / (60 * full)).toBeLessThan(0.05);
  });
});

const bytesBelow = (folder: string) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
