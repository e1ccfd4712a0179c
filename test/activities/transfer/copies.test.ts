import { afterEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { ActivityDeps } from '../../../src/activities/deps';
import { tidyStore } from '../../../src/activities/transfer/packages';
import { type CompleteSafeguard, completeSafeguard } from '../../../src/activities/transfer/safeguards';
import { openCopy } from '../../../src/domain/snapshot/copied-files';
import { snapshotKeys, keys } from '../../../src/store/keys';
import { inTurn, json, portalError, portalsOf, type Reply, words } from '../../portal/raw-portal';
import { AStore } from '../../domain/snapshot/a-store';
import { Attempts } from '../attempt/attempts';

const startPortal = portalsOf(afterEach);

const ITEM = 'content/items/a1';
const item = json({ id: 'a1', title: 'Counts', type: 'CSV', owner: 'owner' });

/** The safeguard of one item that no package holds, so that it is copied; what it ends with, and what stays of its run. */
async function copied(replies: Record<string, Reply>, itemBytes = 1024) {
  const groups = json({ admin: [], member: [{ id: 'g' }], other: [] });
  const portal = await startPortal({
    'portals/self': json({}),
    [ITEM]: item,
    [`${ITEM}/groups`]: groups,
    ...replies,
  });
  const client = portal.client();
  const { folder, store, snapshots } = new AStore();
  const row = { itemId: 'a1', type: 'CSV', title: 'Counts', action: 'overwrite' };
  const planRef = keys.plan('r', 1);
  await store.writeJson(planRef, {
    hash: 'h',
    sha256: 'h',
    targetGroupId: 'g',
    packages: [],
    arrivedLater: 0,
    readAt: '2026-11-20T03:00:00.000Z',
    rows: [row],
  });
  const given: Pick<ActivityDeps, 'portals' | 'store' | 'snapshots'> = {
    portals: { open: () => client, urlOf: () => undefined, isScratch: () => false },
    store,
    snapshots,
  };
  const deps = given as ActivityDeps;
  const input = {
    runId: 'r',
    route: { name: 'transport', target: { groupId: 'g' }, options: { limits: { itemBytes } } },
    target: { name: 'staging', aliases: [], addresses: [] },
    planRef,
    snapshotId: 'r-safeguard-1',
    packages: [],
    imported: 0,
  } as unknown as CompleteSafeguard;
  const end = await new Attempts(() => completeSafeguard(deps, input)).next();
  await tidyStore(deps, { runId: 'r', keepMs: 60_000 });
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return { end, kept: files.filter((file) => file.isFile()).map(({ name }) => name) };
}

/** As portals answer for data that an item has not: the first two seen in Esri/solution.js, restHelpersGet.ts. */
const noData: readonly [string, Reply][] = [
  ['500 "Item does not have a file."', portalError(500, 'Item does not have a file.')],
  [
    '400 CONT_0001',
    portalError(400, 'Item does not exist or is inaccessible.', { messageCode: 'CONT_0001' }),
  ],
  ['an empty body', words('')],
];

/** As portals answer for a picture that they have lost: seen in Esri/solution.js, restHelpersGet.ts; a page of IIS. */
const lostThumbnail: readonly [string, Reply][] = [
  ['404', words('<html><title>404</title></html>', 404, { 'content-type': 'text/html' })],
  ['404 in a 200', portalError(404, 'Resource does not exist or is inaccessible.')],
  ['400', portalError(400, 'Unable to read the file.')],
  [
    '400 CONT_0001',
    portalError(400, 'Item does not exist or is inaccessible.', { messageCode: 'CONT_0001' }),
  ],
  ['500', portalError(500, 'Error reading the file.')],
  ['a page', words('<html><title>Portal</title></html>', 200, { 'content-type': 'text/html' })],
];

describe('what an item has not', () => {
  it.each(noData)('is nothing to save where its data is answered by %s', async (_how, data) => {
    const { end, kept } = await copied({
      [`${ITEM}/data`]: data,
      [`${ITEM}/resources`]: json({ resources: [] }),
    });
    expect(end).toMatchObject({ items: 1, copied: 1 });
    expect(kept).toEqual(expect.arrayContaining(['item.json', 'data']));
  });

  it.each(lostThumbnail)(
    'is nothing to save where its thumbnail is answered by %s',
    async (_how, picture) => {
      const { end, kept } = await copied({
        [ITEM]: json({
          id: 'a1',
          title: 'Counts',
          type: 'CSV',
          owner: 'owner',
          thumbnail: 'thumbnail/a.png',
        }),
        [`${ITEM}/data`]: words('a,b'),
        [`${ITEM}/resources`]: json({ resources: [] }),
        [`${ITEM}/info/thumbnail/a.png`]: picture,
      });
      expect(end).toMatchObject({ items: 1, copied: 1 });
      expect(kept.filter((name) => name.startsWith('file'))).toEqual([]);
    },
  );

  it('is not believed of a file that the portal says to have bytes', async () => {
    const { end } = await copied({
      [ITEM]: json({ id: 'a1', title: 'Counts', type: 'CSV', owner: 'owner', size: 76 }),
      [`${ITEM}/data`]: noData[1]![1],
    });
    expect(end).toMatchObject({ type: 'SAFEGUARD_INCOMPLETE', nonRetryable: true });
  });

  it('is told from a thumbnail that a portal cannot bring just now', async () => {
    const { end } = await copied({
      [ITEM]: json({ id: 'a1', title: 'Counts', type: 'CSV', owner: 'owner', thumbnail: 'thumbnail/a.png' }),
      [`${ITEM}/data`]: words('a,b'),
      [`${ITEM}/resources`]: json({ resources: [] }),
      [`${ITEM}/info/thumbnail/a.png`]: words('busy', 503),
    });
    expect(end).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
  });
});

const what = '"Counts" (CSV) would be overwritten but could not be saved: ';

describe('an item of which no copy can be taken', () => {
  it('because it is over limits.itemBytes ends the safeguard with ITEM_TOO_LARGE', async () => {
    const { end, kept } = await copied({ [`${ITEM}/data`]: words('x'.repeat(2_000)) });
    expect(end).toMatchObject({
      type: 'ITEM_TOO_LARGE',
      nonRetryable: true,
      message: `${what}staging sends more than the 1024 bytes of limits.itemBytes`,
    });
    expect(kept).toEqual(['plan-1.json']);
  });

  it('because the portal answers too much about it ends the safeguard with ANSWER_TOO_LARGE', async () => {
    const resources = Array.from({ length: 20_001 }, (_, number) => ({ resource: `r/${number}` }));
    const { end, kept } = await copied({
      [`${ITEM}/data`]: words('x'.repeat(800)),
      [`${ITEM}/resources`]: json({ resources }),
    });
    expect(end).toMatchObject({ type: 'ANSWER_TOO_LARGE', nonRetryable: true });
    expect(String((end as Error).message).startsWith(what)).toBe(true);
    expect(kept).toEqual(['plan-1.json']);
  });

  it('for any other reason ends it with SAFEGUARD_INCOMPLETE', async () => {
    const { end, kept } = await copied({ [`${ITEM}/data`]: words('no', 403) });
    expect(end).toMatchObject({ type: 'SAFEGUARD_INCOMPLETE', nonRetryable: true });
    expect(kept).toEqual(['plan-1.json']);
  });
});

it.each([
  ['in a package that is imported is taken over from the earlier safeguard', 1, undefined, 9, 'before'],
  ['that a failed import of the run has changed is taken over, too', 0, 5, 5, 'before'],
  ['that somebody edited after an import of the run is saved again', 0, 5, 9, 'after'],
  ['that no import of the run has changed is saved again', 0, undefined, 9, 'after'],
])('an item %s [P04]', async (_, imported, left, modified, saved) => {
  const picture = 'thumbnail/a.png';
  const portal = await startPortal({
    'portals/self': json({}),
    [ITEM]: json({ id: 'a1', title: 'Counts', type: 'CSV', owner: 'owner', thumbnail: picture }),
    [`${ITEM}/groups`]: json({ admin: [], member: [{ id: 'g' }], other: [] }),
    [`${ITEM}/data`]: inTurn(words('before'), words('after')),
    [`${ITEM}/resources`]: json({ resources: [] }),
    [`${ITEM}/info/${picture}`]: words('picture'),
  });
  const client = portal.client();
  const { store, snapshots } = new AStore();
  const planRef = keys.plan('r', 1);
  await store.writeJson(planRef, {
    hash: 'h',
    sha256: 'h',
    packages: [],
    targetGroupId: 'g',
    arrivedLater: 0,
    readAt: '2026-11-20T03:00:00.000Z',
    rows: [
      {
        itemId: 'a1',
        type: 'CSV',
        title: 'Counts',
        action: 'overwrite',
        packageIndex: 0,
        target: { modified },
      },
    ],
  });
  const deps = { portals: { open: () => client }, store, snapshots } as unknown as ActivityDeps;
  const save = async (snapshotId: string, more: Partial<CompleteSafeguard>): Promise<unknown> => {
    const input = {
      runId: 'r',
      planRef,
      snapshotId,
      packages: [],
      imported: 0,
      route: { name: 'transport', target: { groupId: 'g' }, options: { limits: { itemBytes: 1024 } } },
      target: {
        name: 'staging',
        url: 'https://staging.test',
        portalId: 'p',
        version: '11.3',
        aliases: [],
        addresses: [],
      },
      ...more,
    } as unknown as CompleteSafeguard;
    return await new Attempts(() => completeSafeguard(deps, input)).next();
  };
  await save('r-safeguard-1', {});
  if (left !== undefined) await store.writeJson(keys.movedBefore('r'), { a1: left });
  expect(await save('r-safeguard-2', { imported, earlier: 'r-safeguard-1' })).toMatchObject({
    items: 1,
    copied: 1,
  });
  const [row] = await snapshots.rowsOf(await snapshots.read('r-safeguard-2'));
  const copy = await openCopy({ store }, 'r-safeguard-2', row!, z.unknown());
  const { data } = copy;
  expect(data && (await text(data.open(0, data.size)))).toBe(saved);
  expect(row?.placement?.thumbnail).toBeDefined();
  expect(await store.openFile(snapshotKeys.thumbnail('r-safeguard-2', 'a1'))).toBeDefined();
});
