import { holdingsOf, isNoPackage, without } from '../../backup/holdings';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readOutcomes } from '../../../src/domain/transfer/outcomes';
import { transportItems } from '../../../src/simulator/seed/transport';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { editLayer } from '../../../src/simulator/edit-layer';
import type { Simulator } from '../../../src/simulator/simulator';
import type { PlanRow } from '../../../src/model/transfer/plan';
import { describeLong } from '../../support/long';
import { type Ended, Site, idsOf } from '../../support/site';
import { apply, someEdits } from './random-edits';

const { csv, map, pdf, boundaries, projects, roads } = transportItems;
let site: Site;
beforeAll(async () => {
  site = await Site.open({ items: [csv, map, pdf, boundaries, projects, roads] });
});
afterAll(() => site.close());

/** A sync that overwrites, and what of its requests wrote. */
async function sync(flags: { full?: boolean } = {}): Promise<Ended & { writes: string[] }> {
  const before = [site.source, site.target].map((portal) => portal.requests().length);
  const ended = await site.sync(site.route({ overwrite: true, data: 'replace', ...flags }));
  const writes = [site.source, site.target].flatMap((portal, at) =>
    portal
      .requests()
      .slice(before[at])
      .filter(({ method, operation }) => method === 'POST' && operation !== 'token')
      .map(({ operation }) => operation ?? '?'),
  );
  return { ...ended, writes };
}

const rowsOf = async ({ runId }: Ended, action: PlanRow['action']) =>
  idsOf((await site.plan(runId)).rows.filter((row) => row.action === action));

const edit = (portal: Simulator, itemId: string, title: string) => {
  portal.world.items.change(itemId, { title, modified: portal.world.now() });
};

describe('a sync of changed items', () => {
  it('exports and writes nothing when nothing changed, and says so', async () => {
    const first = await sync();
    expect(first.record.error).toBeUndefined();
    const second = await sync();
    expect(second.record).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(second.record.package).toBeUndefined();
    expect(idsOf((await site.ledger(second.runId)).same)).toEqual(
      idsOf((await site.ledger(first.runId)).imported),
    );
    expect(second.writes).toEqual([]);
    // A later run of the route knows what services weigh, which only a preview tells.
    const { known } = await readOutcomes(site.store, site.route());
    const row = (await site.plan(first.runId)).rows.find(({ itemId }) => itemId === roads);
    expect(row?.size).toBeGreaterThan(0);
    expect(known[roads]?.bytes).toBe(row?.size);
    expect(known[csv]?.bytes).toBeUndefined();
  });

  it('exports, saves and imports only items changed or missing, rows included', async () => {
    const { source, target } = site;
    edit(source, csv, 'Another title');
    target.world.items.remove(pdf);
    // No item shows that its rows were edited.
    const edits = { adds: [{ attributes: {} }], rollback: true };
    await editLayer(source.world, 'server/Hosted/StateRoutes/FeatureServer', 0, edits);
    await editLayer(target.world, 'server/Hosted/CountyBoundaries/FeatureServer', 0, edits);
    const ended = await sync();
    expect(ended.record).toMatchObject({
      status: 'succeeded',
      package: { itemCount: 4 },
      plan: { create: 1, overwrite: 3, same: 2, drifted: 1 },
    });
    expect(await rowsOf(ended, 'create')).toEqual([pdf]);
    const overwritten = [csv, roads, boundaries].sort();
    expect(await rowsOf(ended, 'overwrite')).toEqual(overwritten);
    const { rows } = await site.plan(ended.runId);
    expect(idsOf(rows.filter(({ drifted }) => drifted))).toEqual([boundaries]);
    const { imported, same } = await site.ledger(ended.runId);
    expect(idsOf(imported)).toEqual([pdf, ...overwritten].sort());
    expect(idsOf(same)).toEqual([map, projects].sort());
    expect(target.world.items.get(csv)?.title).toBe('Another title');
  });

  it('leaves an item with a known finding, which each run reports', async () => {
    const { world } = site.source;
    const foreign = { id: 'f'.repeat(32), title: 'Elsewhere', type: 'Web Map', groups: [] };
    await new SeedBuilder(world).file(foreign, {});
    const text = Buffer.from(JSON.stringify({ tables: [{ itemId: foreign.id }] }));
    const { data, size } = await world.files.keepData(map, text, text.length);
    world.items.change(map, { data, size, modified: world.now() });
    const finding = { itemId: map, kind: 'broken-reference', path: 'data.tables[0].itemId' };
    const found = await sync();
    expect(found.record).toMatchObject({ status: 'partial', verification: { findings: [finding] } });
    const carried = [{ ...finding, foundBy: found.runId }];
    const { record, writes } = await sync();
    expect(record).toMatchObject({ status: 'partial', target: 'untouched' });
    expect(record.package).toBeUndefined();
    expect(record.verification).toMatchObject({ checked: 0, findings: carried });
    expect(writes).toEqual([]);
    // Also when the run before carried the finding, and another item changed.
    edit(site.source, csv, 'One more title');
    const next = await sync();
    expect(next.record).toMatchObject({ status: 'partial', verification: { checked: 1, findings: carried } });
    expect(next.record.items?.imported).toMatchObject([{ itemId: csv }]);
  });

  it('exports and compares all items on request or when options differ', async () => {
    const full = await sync({ full: true });
    expect(full.record).toMatchObject({
      status: 'partial',
      package: { itemCount: 6 },
      plan: { identical: 3 },
      verification: { findings: [{ itemId: map, kind: 'broken-reference' }] },
    });
    // The run found it itself.
    expect(full.record.verification?.findings).toEqual([
      expect.not.objectContaining({ foundBy: expect.anything() }),
    ]);
    // The rows of hosted layers are only counted.
    expect(idsOf((await site.ledger(full.runId)).imported)).toEqual([roads, projects, boundaries].sort());
    const kept = await site.sync(site.route());
    expect(kept.record).toMatchObject({ status: 'nothing-to-do', plan: { keep: 6, overwrite: 0 } });
    expect(kept.record.package).toBeDefined();
    const again = await site.sync(site.route());
    expect(again.record.package).toBeUndefined();
    expect(again.record.items?.kept).toHaveLength(6);
  });
});

/** `PORTOLAN_DRAWS=60 npx jest test/workflows/transfer/untouched` draws some, and others each time. */
const draws = Number(process.env['PORTOLAN_DRAWS'] ?? 10);
const describeDraws = process.env['PORTOLAN_DRAWS'] === undefined ? describeLong : describe;
const seed = Number(
  process.env['PORTOLAN_SEED'] ?? (process.env['PORTOLAN_DRAWS'] === undefined ? 20261123 : Date.now() % 1e9),
);

describeDraws(`a sync of changed items after random edits on both sides (seed ${seed})`, () => {
  beforeAll(async () => {
    await site.close();
    site = await Site.open();
  });

  it(
    `leaves nothing to change for a full sync, in ${draws} draws`,
    async () => {
      await fc.assert(
        fc.asyncProperty(someEdits, fc.option(someEdits), async (before, during) => {
          for (const edit of before) await apply(site[edit.side], edit);
          const run = await site.start(site.route({ overwrite: true, data: 'replace' }));
          if (during) {
            await site.untilPhase(run, 'export').catch(() => undefined);
            for (const edit of during.filter(({ side }) => side === 'source')) await apply(site.source, edit);
          }
          await site.ended(run);
          if (during) await sync();
          const left = await lastingContentOf(site.target);
          const { record } = await sync({ full: true });
          expect(record.error).toBeUndefined();
          expect(await lastingContentOf(site.target)).toEqual(left);
        }),
        { seed, numRuns: draws, endOnFailure: true },
      );
    },
    draws * 60_000,
  );
});

/** Everything that a portal keeps of its items but packages, without the times at which an import wrote it. */
async function lastingContentOf({ world }: Simulator) {
  const times = ['created', 'modified', 'importedBy', 'readableAt', 'indexedAt'];
  const holdings = [...(await holdingsOf(world, isNoPackage))];
  return holdings.map(([id, { item, ...content }]) => [id, without(times, item), content]);
}
