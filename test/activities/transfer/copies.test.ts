import { afterEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { tidyStore } from '../../../src/activities/transfer/packages';
import { type CompleteSafeguard, completeSafeguard } from '../../../src/activities/transfer/safeguards';
import { openCopy } from '../../../src/domain/snapshot/copied-files';
import type { PlanRow } from '../../../src/model/transfer/plan';
import { snapshotKeys, keys } from '../../../src/store/keys';
import { inTurn, json, portalError, portalsOf, type Reply, words } from '../../portal/raw-portal';
import { AStore } from '../../domain/snapshot/a-store';
import { aPlan } from '../a-plan';
import { aSafeguard, aTable } from '../a-safeguard';
import { Attempts } from '../attempt/attempts';
import { depsAt } from '../deps-at';

const startPortal = portalsOf(afterEach);

const ITEM = 'content/items/a1';
const picture = 'thumbnail/a.png';
const item = (more: object = {}) => json({ id: 'a1', title: 'Counts', type: 'CSV', owner: 'owner', ...more });

/** Safeguards of an item that no package holds, so that it is copied. */
async function safeguardsOf(replies: Record<string, Reply>, row: Partial<PlanRow> = {}) {
  const portal = await startPortal({ 'portals/self': json({}), ...aTable('a1'), ...replies });
  const one = new AStore();
  const { folder, store, snapshots } = one;
  const planRef = keys.plan('r', 1);
  await store.writeJson(planRef, aPlan([{ itemId: 'a1', action: 'overwrite', ...row }]));
  const deps = depsAt(portal, one);
  const take = (snapshotId: string, more: Partial<CompleteSafeguard> = {}): Promise<unknown> => {
    const input = aSafeguard({ planRef, snapshotId, ...more });
    return new Attempts(() => completeSafeguard(deps, input)).next();
  };
  return { deps, folder, store, snapshots, take };
}

/** What the safeguard ends with, and what stays of its run. */
async function copied(replies: Record<string, Reply>) {
  const { deps, folder, take } = await safeguardsOf(replies);
  const end = await take('r-safeguard-1');
  await tidyStore(deps, { runId: 'r', keepMs: 60_000 });
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return { end, kept: files.filter((file) => file.isFile()).map(({ name }) => name) };
}

const CONT_0001 = portalError(400, 'Item does not exist or is inaccessible.', { messageCode: 'CONT_0001' });

/** As portals answer for data that an item has not: the first two seen in Esri/solution.js, restHelpersGet.ts. */
const noData: readonly [string, Reply][] = [
  ['500 "Item does not have a file."', portalError(500, 'Item does not have a file.')],
  ['400 CONT_0001', CONT_0001],
  ['an empty body', words('')],
];

const page = { 'content-type': 'text/html' };
/** As portals answer for a picture that they have lost: seen in Esri/solution.js, restHelpersGet.ts; a page of IIS. */
const lostThumbnail: readonly [string, Reply][] = [
  ['404', words('<html><title>404</title></html>', 404, page)],
  ['404 in a 200', portalError(404, 'Resource does not exist or is inaccessible.')],
  ['400', portalError(400, 'Unable to read the file.')],
  ['400 CONT_0001', CONT_0001],
  ['500', portalError(500, 'Error reading the file.')],
  ['a page', words('<html><title>Portal</title></html>', 200, page)],
];

const unsaved = '"Counts" (CSV) would be overwritten but could not be saved: ';

describe('a safeguard copy', () => {
  it.each(noData)('has empty data when the portal answers %s for it', async (_how, data) => {
    const { end, kept } = await copied({ [`${ITEM}/data`]: data });
    expect(end).toMatchObject({ items: 1, copied: 1 });
    expect(kept).toEqual(expect.arrayContaining(['item.json', 'data']));
  });

  it.each(lostThumbnail)('has no thumbnail when the portal answers %s for it', async (_how, reply) => {
    const { end, kept } = await copied({
      [ITEM]: item({ thumbnail: picture }),
      [`${ITEM}/info/${picture}`]: reply,
    });
    expect(end).toMatchObject({ items: 1, copied: 1 });
    expect(kept.filter((name) => name.startsWith('file'))).toEqual([]);
  });

  it('is retried when a portal cannot bring a thumbnail just now', async () => {
    const { end } = await copied({
      [ITEM]: item({ thumbnail: picture }),
      [`${ITEM}/info/${picture}`]: words('busy', 503),
    });
    expect(end).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
  });

  it.each<[string, Record<string, Reply>, string, RegExp]>([
    [
      'data is missing that the portal gives a size for',
      { [ITEM]: item({ size: 76 }), [`${ITEM}/data`]: noData[1]![1] },
      'SAFEGUARD_INCOMPLETE',
      /^/,
    ],
    [
      'data exceeds limits.itemBytes',
      { [`${ITEM}/data`]: words('x'.repeat(2_000)) },
      'ITEM_TOO_LARGE',
      /staging sends more than the 1024 bytes of limits\.itemBytes$/,
    ],
    [
      'the portal lists too many resources',
      {
        [`${ITEM}/resources`]: json({
          resources: Array.from({ length: 20_001 }, (_, number) => ({ resource: `r/${number}` })),
        }),
      },
      'ANSWER_TOO_LARGE',
      /^/,
    ],
    ['data is denied', { [`${ITEM}/data`]: words('no', 403) }, 'SAFEGUARD_INCOMPLETE', /^/],
  ])('ends the safeguard and leaves nothing when %s', async (_when, replies, type, says) => {
    const { end, kept } = await copied(replies);
    expect(end).toMatchObject({ type, nonRetryable: true });
    const { message } = end as Error;
    expect(message.startsWith(unsaved)).toBe(true);
    expect(message.slice(unsaved.length)).toMatch(says);
    expect(kept).toEqual(['plan-1.json']);
  });

  it.each([
    ['is taken over from the earlier safeguard when the item is imported', 1, undefined, 9, 'before'],
    ['is taken over when a failed import changed the item', 0, 5, 5, 'before'],
    ['is made again when someone edited the item after an import', 0, 5, 9, 'after'],
    ['is made again when no import changed the item', 0, undefined, 9, 'after'],
  ])('%s [P04]', async (_title, imported, left, modified, saved) => {
    const { store, snapshots, take } = await safeguardsOf(
      {
        [ITEM]: item({ thumbnail: picture }),
        [`${ITEM}/data`]: inTurn(words('before'), words('after')),
        [`${ITEM}/info/${picture}`]: words('picture'),
      },
      { packageIndex: 0, target: { modified } },
    );
    await take('r-safeguard-1');
    if (left !== undefined) await store.writeJson(keys.movedBefore('r'), { a1: left });
    expect(await take('r-safeguard-2', { imported, earlier: 'r-safeguard-1' })).toMatchObject({
      items: 1,
      copied: 1,
    });
    const [row] = await snapshots.rowsOf(await snapshots.read('r-safeguard-2'));
    const { data } = await openCopy({ store }, 'r-safeguard-2', row!, z.unknown());
    expect(data && (await text(data.open(0, data.size)))).toBe(saved);
    expect(row?.placement?.thumbnail).toBeDefined();
    expect(await store.openFile(snapshotKeys.thumbnail('r-safeguard-2', 'a1'))).toBeDefined();
  });
});
