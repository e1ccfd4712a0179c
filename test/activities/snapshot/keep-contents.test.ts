import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ActivityDeps } from '../../../src/activities/deps';
import { keepContents, type KeptContents } from '../../../src/activities/snapshot/keep-contents';
import { readLiveRows } from '../../../src/domain/snapshot/live-rows';
import type { Snapshots } from '../../../src/domain/snapshot/snapshots';
import { contentOf } from '../../../src/domain/snapshot/contents';
import type { SnapshotManifest } from '../../../src/model/snapshot/snapshot';
import type { Portal } from '../../../src/portal/client';
import { releaseFrom } from '../../../src/portal/http/versions';
import { readPortalFacts } from '../../../src/domain/transfer/portal-facts';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import { AStore } from '../../domain/snapshot/a-store';
import { connect, start, stopAll } from '../../simulator/harness';

const { pdf, csv, app, image } = transportItems;
const NIGHTS = 15;

let simulator: Simulator;
let portal: Portal;
const one = new AStore();
let last: SnapshotManifest | undefined;

beforeAll(async () => {
  simulator = await start({ seed: 'transport' });
  portal = connect(simulator, 'owner');
});
afterAll(stopAll);

const rowsOf = async (manifest: SnapshotManifest) => one.snapshots.rowsOf(manifest);
const rowOf = async (manifest: SnapshotManifest, itemId: string) =>
  (await rowsOf(manifest)).find((row) => row.itemId === itemId)!;
/** What a snapshot keeps of an item. */
const kept = async (manifest: SnapshotManifest, itemId: string) =>
  contentOf(one.snapshots, manifest, await rowOf(manifest, itemId));

/** Keeps the JSON of a night as a backup does. */
async function night(
  id: string,
  isWhole = false,
  { snapshots = one.snapshots, meanwhile = () => {} }: { snapshots?: Snapshots; meanwhile?: () => void } = {},
): Promise<SnapshotManifest> {
  const live = await readLiveRows(portal, transportGroupId, releaseFrom('11.4'));
  meanwhile();
  const given = live.map((row) => ({ ...row, saved: 'package' as const }));
  const deps = { store: one.store, snapshots, portals: { open: () => portal } };
  const source = await readPortalFacts(portal);
  const { rows, contents } = await new MockActivityEnvironment().run<
    [],
    KeptContents,
    () => Promise<KeptContents>
  >(() =>
    keepContents(deps as unknown as ActivityDeps, {
      runId: id,
      source,
      groupId: transportGroupId,
      rows: given,
      live,
      isWhole,
      base: last,
      claimed: [],
    }),
  );
  last = await one.take({ id, contents: [...contents] }, rows);
  return last;
}

const readSince = (from: number) =>
  [
    ...new Set(
      simulator
        .requests()
        .slice(from)
        .flatMap(({ path }) => /items\/(\w+)\/resources/.exec(path)?.[1] ?? []),
    ),
  ].sort();

describe('the item JSON of a backup', () => {
  it('holds the reason when it cannot be read, and is read again by a full backup', async () => {
    simulator.faults.add({
      match: { path: `items/${csv}/data` },
      do: { error: { code: 403, message: 'not for you' } },
    });
    const first = await night('night-0');
    expect((await kept(first, csv))?.unread).toMatch(/its data/);
    for (const each of await rowsOf(first)) expect(await contentOf(one.snapshots, first, each)).toBeDefined();
    simulator.faults.clear();
    const asked = simulator.requests().length;
    expect((await night('night-1')).contents).toEqual(first.contents);
    expect(readSince(asked)).toEqual([]);
    const whole = await night('night-2', true);
    // The image is too large to be read a second time, and so never known.
    expect(readSince(asked)).toEqual([csv, image]);
    expect((await kept(whole, csv))?.unread).toBeUndefined();
  });

  it('is read again by a full backup when edited while it is exported', async () => {
    const edit = () =>
      void simulator.world.items.change(app, { snippet: 'late', modified: simulator.world.now() + 1 });
    const whole = await night('night-2b', true, { meanwhile: edit });
    expect((await kept(whole, app))?.details['snippet']).toBe('late');
    await night('night-2c');
  });

  it('is read again when only sharing changed, which portals do not date', async () => {
    simulator.world.items.change(app, { access: 'public' });
    const asked = simulator.requests().length;
    const now = await night('night-3');
    expect(readSince(asked)).toEqual([app]);
    expect((await kept(now, app))?.details['access']).toBe('public');
  });

  it('of a full backup has the groups of each item, which portals do not date', async () => {
    const { items, groups } = simulator.world;
    const further = '7'.repeat(32);
    groups.put(further, { ...groups.get(transportGroupId)!, id: further });
    items.change(csv, { groups: [transportGroupId, further] });
    const whole = await night('night-3b', true);
    const found = await one.snapshots.contents.find(whole, await rowOf(whole, csv));
    expect(found?.placement?.groups).toEqual([further, transportGroupId]);
  });

  it('of many backups is in at most 16 files with the latest state of each item', async () => {
    for (let at = 4; at < NIGHTS + 4; at += 1) {
      const { id } = simulator.world.itemsIn(transportGroupId)[at % 8]!;
      simulator.world.items.change(id, {
        snippet: `night ${at}`,
        modified: simulator.world.now() + at * 1_000,
      });
      const manifest = await night(`night-${at}`);
      expect(manifest.contents!.length).toBeLessThanOrEqual(16);
      expect((await kept(manifest, id))?.details['snippet']).toBe(`night ${at}`);
    }
    const rows = await rowsOf(last!);
    for (const row of rows)
      expect((await contentOf(one.snapshots, last!, row))?.details['snippet'] ?? undefined).toBe(
        simulator.world.items.get(row.itemId)?.snippet ?? undefined,
      );
    await one.requireIntact(last!.id);
    expect(rows.find(({ itemId }) => itemId === pdf)).toBeDefined();
  });

  it('is read from the portal again when its file is damaged', async () => {
    const [file] = last!.contents!;
    const lost = (await rowsOf(last!)).filter(({ content = 0 }) => content === 0).map(({ itemId }) => itemId);
    one.flip(file!.key);
    const asked = simulator.requests().length;
    // Another process, which has not read the file yet.
    const manifest = await night('night-healed', false, { snapshots: one.through(one.store) });
    expect(readSince(asked)).toEqual(lost.sort());
    expect(manifest.contents).not.toContainEqual(file);
    await one.requireIntact('night-healed');
  });
});
