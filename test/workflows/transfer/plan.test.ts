import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  transportGroupApps,
  transportGroupId,
  transportItems,
  transportTargetGroupId,
} from '../../../src/simulator/seed/transport';
import { openSnapshots } from '../../../src/domain/snapshot/snapshots';
import { PortalPool } from '../../../src/config/portal-pool';
import type { RouteFlags } from '../../../src/config/resolve-route';
import { type Diff, diffGroups, hasWork } from '../../../src/domain/transfer/diff-groups';
import { readOutcomes } from '../../../src/domain/transfer/outcomes';
import { Site, type SiteOptions, idsOf } from '../../support/site';
import { describeLong } from '../../support/long';

let site: Site;
const open = async (options?: SiteOptions) => (site = await Site.open(options));
const { pdf, image, map, csv, boundaries, dashboard } = transportItems;

const snapshots = () => openSnapshots(site.config);

const portraits = () => new Map([...site.target.world.items.values()].map((item) => [item.id, item]));

/** What `portolan diff` would say now. */
async function compared(flags?: RouteFlags) {
  const portals = new PortalPool(site.config);
  const route = site.route(flags);
  const { known } = await readOutcomes(site.store, route);
  return await diffGroups(route, portals, known).finally(() => portals.close());
}

describe('a sync', () => {
  beforeAll(() =>
    open({ target: { refuseForeign: false }, items: [pdf, image, map, csv, boundaries, dashboard] }),
  );
  afterAll(() => site.close());

  it('keeps existing items to the byte and accounts for every item', async () => {
    const before = portraits();
    const { record, runId } = await site.sync();
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    const after = portraits();
    for (const [id, item] of before) expect(after.get(id)).toEqual(item);
    expect(record.plan).toMatchObject({ overwrite: 0, keep: 3, blocked: 0 });
    expect(record.snapshot).toBeUndefined();
    expect((await site.ledger(runId)).unaccounted).toEqual([]);
    expect(site.packages()).toEqual([]);

    // A diff has nothing more to do: what the portal skipped is left out, what the route keeps is kept.
    for (const itemId of [map, csv]) site.source.world.items.change(itemId, { modified: Date.now() });
    const diff = await compared();
    expect(hasWork(diff)).toBe(false);
    expect(diff.rows.find(({ type }) => type === 'Dashboard')).toMatchObject({
      difference: 'left out',
      reason: `not synced: the portal skipped it in ${runId} (Items of type Dashboard are not supported.)`,
    });
    for (const itemId of [map, csv])
      expect(diff.rows.find((row) => row.itemId === itemId)).toMatchObject({
        action: 'keep',
        difference: 'kept',
        withOverwrite: 'overwrite',
      });
  });

  it('saves, then overwrites items if the route says so, but keeps hosted data [P03][P04]', async () => {
    const before = portraits();
    const { record, runId } = await site.sync(site.route({ overwrite: true }));
    expect(record.error).toBeUndefined();
    const plan = await site.plan(runId);
    const overwritten = plan.rows.filter((row) => row.action === 'overwrite').map((row) => row.itemId);
    expect(overwritten).toHaveLength(2);
    const service = plan.rows.find((row) => row.hosted && row.action === 'keep');
    expect(service?.reason).toBe('exists; its data is kept (data: keep)');
    expect(portraits().get(service?.itemId ?? '')).toEqual(before.get(service?.itemId ?? ''));
    for (const id of overwritten) expect(portraits().get(id)).not.toEqual(before.get(id));
    expect(hasWork(await compared({ overwrite: true }))).toBe(false);
    const edited = overwritten[0] ?? '';
    site.target.world.items.change(edited, { modified: 1 });
    const later = await compared({ overwrite: true });
    expect(later.rows.filter(({ difference }) => difference === 'drifted')).toMatchObject([
      { itemId: edited, reason: `changed only on the target since ${runId}` },
    ]);
    expect(hasWork(later)).toBe(true);
    const manifest = await snapshots().read(record.snapshot?.id ?? '');
    const rows = await snapshots().rowsOf(manifest);
    expect(rows.map((row) => row.itemId).sort()).toEqual(overwritten.sort());
    expect(await site.store.openFile(manifest.package?.key ?? '')).toBeDefined();
    expect(site.packages()).toEqual([]);
  });

  it('neither exports nor plans excluded items, and gives the reason', async () => {
    site.editSource();
    const before = portraits();
    site.source.world.items.change(image, { tags: ['Draft'] });
    const exclude = { items: [map], types: ['pdf'], tags: ['draft'] };
    const items = [map, pdf, image, csv];
    const { record, runId } = await site.sync(site.route({ exclude, overwrite: true, items }));
    expect(record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, keep: 0 } });
    const { skipped, imported } = await site.ledger(runId);
    const reasons = new Map(skipped.map(({ itemId, reason }) => [itemId, reason]));
    expect([pdf, image, map].map((itemId) => reasons.get(itemId))).toEqual([
      'excluded by type: PDF',
      'excluded by tag: Draft',
      'excluded by ID',
    ]);
    expect(imported).toMatchObject([{ itemId: csv }]);
    const exported = site.source.requests().findLast(({ operation }) => operation === 'group.export');
    for (const itemId of [pdf, image, map]) {
      expect(exported?.params['itemIdList']).not.toContain(itemId);
      expect(portraits().get(itemId)).toEqual(before.get(itemId));
    }

    const diff = await compared({ exclude, overwrite: true, items });
    expect(hasWork(diff)).toBe(false);
    expect(diff.rows.find(({ itemId }) => itemId === pdf)).toMatchObject({
      difference: 'left out',
      reason: 'not synced: excluded by type: PDF',
    });
  });
});

describeLong('an app configured by a group', () => {
  afterAll(() => site.close());

  it('stays behind or lacks its group, and guards, diff, plan and ledger say so', async () => {
    await open({ source: { seed: 'transport-group-apps' } });
    const { gallery, viewer } = transportGroupApps;
    const skipped = 'an app configured by a group cannot be exported';
    const shown = `configured by group ${transportGroupId} of staging, which production does not have; set it to ${transportTargetGroupId} there`;
    const rowsOf = ({ rows }: Diff) =>
      [gallery, viewer].map((id) => rows.find(({ itemId }) => itemId === id));
    expect(rowsOf(await compared())).toMatchObject([
      { difference: 'left out', reason: `not synced: ${skipped}` },
      { difference: 'new', action: 'create', group: transportGroupId, reason: shown },
    ]);
    const { record, runId } = await site.sync();
    expect(record.guards?.find(({ name }) => name === 'item types')?.saw).toContain(
      `${skipped} ("Maps of the department")`,
    );
    expect(record.warnings.join('\n')).toContain(
      'references: configured by a group that the target does not have, so empty there until set: "Projects by district: ',
    );
    const plan = await site.plan(runId);
    expect(plan.rows.filter(({ group }) => group)).toMatchObject([{ itemId: viewer, reason: shown }]);
    const { skipped: left, imported } = await site.ledger(runId);
    expect(left.find(({ itemId }) => itemId === gallery)?.reason).toBe(skipped);
    expect(idsOf(imported)).toContain(viewer);
  });
});
