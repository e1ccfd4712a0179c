import { afterEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import type { ActivityDeps } from '../../../src/activities/deps';
import { createPackageActivities } from '../../../src/activities/transfer/packages';
import { createSafeguardActivities } from '../../../src/activities/transfer/safeguards';
import { keys } from '../../../src/store/keys';
import { json, portalsOf, type Reply, words } from '../../portal/raw-portal';
import { AStore } from '../../domain/snapshot/a-store';
import { Attempts } from '../attempt/attempts';

const startPortal = portalsOf(afterEach);

const ITEM = 'content/items/a1';
const item = json({ id: 'a1', title: 'Counts', type: 'CSV', owner: 'owner' });
type Input = Parameters<ReturnType<typeof createSafeguardActivities>['completeSafeguard']>[0];

/** The safeguard of one item that no package holds, so that it is copied; what it ends with, and what stays of its run. */
async function copied(replies: Record<string, Reply>, itemBytes = 1024) {
  const portal = await startPortal({ [ITEM]: item, ...replies });
  const client = portal.client();
  const { folder, store, snapshots } = new AStore();
  const row = { itemId: 'a1', type: 'CSV', title: 'Counts', action: 'overwrite' };
  const planRef = keys.plan('r', 1);
  await store.writeJson(planRef, {
    hash: 'h',
    packageSha256: 'p',
    targetGroupId: 'g',
    previewId: 'v',
    arrivedLater: 0,
    readAt: '2026-11-20T03:00:00.000Z',
    rows: [row],
  });
  const deps: Pick<ActivityDeps, 'portals' | 'store' | 'snapshots'> = {
    portals: { open: () => client, urlOf: () => undefined, isScratch: () => false },
    store,
    snapshots,
  };
  const { completeSafeguard } = createSafeguardActivities(deps as ActivityDeps);
  const { tidyStore } = createPackageActivities(deps as ActivityDeps);
  const input = {
    runId: 'r',
    route: { name: 'transport', target: { groupId: 'g' }, options: { limits: { itemBytes } } },
    target: { name: 'staging' },
    planRef,
    snapshotId: 'r-safeguard-1',
  } as unknown as Input;
  const end = await new Attempts(() => completeSafeguard(input)).next();
  await tidyStore({ runId: 'r', keepMs: 60_000 });
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return { end, kept: files.filter((file) => file.isFile()).map(({ name }) => name) };
}

const what = '"Counts" (CSV) would be overwritten and could not be saved: ';

describe('an item of which no copy can be taken', () => {
  it('because it is over limits.itemBytes ends the safeguard with ITEM_TOO_LARGE', async () => {
    const { end, kept } = await copied({ [`${ITEM}/data`]: words('x'.repeat(2_000)) });
    expect(end).toMatchObject({
      type: 'ITEM_TOO_LARGE',
      nonRetryable: true,
      message: `${what}what staging sends of it is over the 1024 bytes of limits.itemBytes`,
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
