import { holdingsOf, isNoPackage } from '../../backup/holdings';
import { partBytes } from '../../support/small-parts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PortolanError } from '../../../src/model/errors/errors';
import type { RunRecord } from '../../../src/model/run/run';
import { ledgerLists } from '../../../src/model/transfer/ledger-lists';
import type { Simulator } from '../../../src/simulator/simulator';
import { transportGroupId, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { type Draw, draw, ways } from './random-portals';
import { isLong } from '../../support/long';
import { type Ended, Site, idsOf } from '../../support/site';

/** `PORTOLAN_DRAWS=60 npx jest test/workflows/transfer/random-portals` draws more, and others each time. */
const draws = Number(process.env['PORTOLAN_DRAWS'] ?? (isLong ? 10 : 1));
const seed = Number(
  process.env['PORTOLAN_SEED'] ?? (process.env['PORTOLAN_DRAWS'] === undefined ? 20261121 : Date.now() % 1e9),
);
const A_DRAW_MS = 120_000;

/** Everything that a portal keeps of each item but packages. */
const contentOf = async ({ world }: Simulator) =>
  new Map([...(await holdingsOf(world, isNoPackage))].map(([id, holding]) => [id, JSON.stringify(holding)]));

function refusedByGuard(thrown: unknown): undefined {
  if (!PortolanError.from(thrown).plainMessage.startsWith('The run refused it')) throw thrown;
}

/** Runs a sync to its end; where it parks, goes on as often as was drawn, and then cancels. */
async function follow(site: Site, { flags, resumes }: Draw): Promise<Ended & { resumed: number }> {
  let ended = await site.sync(site.route(flags));
  let resumed = 0;
  while (ended.record.status === 'parked' && resumed < resumes) {
    const further = await site.resume(ended.handle).catch(refusedByGuard);
    if (!further) break;
    ended = further;
    resumed += 1;
  }
  if (ended.record.status !== 'parked') return { ...ended, resumed };
  await site.askToEnd(ended.handle, { who: 'a@b' });
  await ended.handle.result().catch(() => undefined);
  return { ...(await site.ended(ended.handle)), resumed };
}

/** A package stays for one reason only: a portal does not let us look whether its job still runs, and that is said. */
function expectNothingLeft(site: Site, record: RunRecord) {
  if (record.leftRunning.length === 0) return expect(site.packages()).toEqual([]);
  const refused = [site.source, site.target]
    .flatMap((portal) => portal.requests())
    .filter(({ operation, errorCode }) => operation === 'job' && errorCode === 403);
  expect(refused).not.toEqual([]);
  expect(record.phases.at(-1)).toMatchObject({ name: 'cleanup', status: 'failed' });
  expect(record.warnings.join()).toContain('portolan clean');
}

async function check(site: Site, drawn: Draw): Promise<RunRecord> {
  const { source, target } = site;
  if (drawn.foreign) target.world.items.change(drawn.foreign.itemId, drawn.foreign.change);
  const listed = source.world.items.filter(({ groups }) => groups.includes(transportGroupId));
  const requested = drawn.flags.items ?? listed.map(({ id }) => id);
  const before = await contentOf(target);
  const { record, runId, resumed } = await follow(site, drawn);
  const after = await contentOf(target);
  const changed = [...before.keys(), ...after.keys()].filter((id) => before.get(id) !== after.get(id));

  expect(['succeeded', 'partial', 'failed', 'cancelled', 'nothing-to-do']).toContain(record.status);
  expect(record.warnings.filter((warning) => warning.includes('ledger'))).toEqual([]);
  expectNothingLeft(site, record);
  const imports = target.world.jobs.filter(({ type }) => type === 'import');
  expect(imports.length).toBeLessThanOrEqual(1 + resumed);
  if (record.target === 'untouched') expect(changed).toEqual([]);

  if (record.phases[0]?.status !== 'done') {
    expect(record).toMatchObject({ status: 'failed', target: 'untouched' });
    expect(changed).toEqual([]);
    return record;
  }
  expect(record.items).toBeDefined();
  const ledger = await site.ledger(runId);
  const idsIn = (...lists: (typeof ledgerLists)[number][]) =>
    idsOf(lists.flatMap((list) => [...ledger[list]]));
  expect(idsIn(...ledgerLists).sort()).toEqual([...requested].sort());
  for (const id of idsIn('imported')) {
    const item = target.world.items.get(id);
    expect(item?.groups).toContain(transportTargetGroupId);
    expect(imports.map((job) => job.id)).toContain(item?.importedBy);
  }
  const open = new Set(idsIn('imported', 'failed', 'unaccounted'));
  expect(changed.filter((id) => !open.has(id))).toEqual([]);
  if (record.status === 'succeeded' || record.status === 'nothing-to-do')
    expect(idsIn('blocked', 'failed', 'notImported', 'unaccounted')).toEqual([]);
  if (idsIn('imported').length > 0) expect(record.target).toBe('changed');
  return record;
}

async function tried(drawn: Draw): Promise<{ site: Site; record: RunRecord }> {
  const { source, target, inParts } = drawn;
  const site = await Site.open({ source, target, imageBytes: inParts ? 2 * partBytes : undefined });
  return { site, record: await check(site, drawn).finally(() => site.close()) };
}

describe(`a sync between random portals over random lines (seed ${seed})`, () => {
  it.each(ways)('succeeds and posts once where portals $how [P01]', async (drawn) => {
    const { site, record } = await tried(drawn);
    const { status, error, warnings, verification } = record;
    expect({ status, error, findings: verification?.findings }).toEqual({
      status: 'succeeded',
      error: undefined,
      findings: [],
    });
    expect(warnings.join()).not.toMatch(/tagged|still on/);
    const posts = [site.asked('source', 'group.export'), site.asked('target', 'item.add')];
    expect([...posts, site.imports().length]).toEqual([1, 1, 1]);
    // Each fault was met.
    for (const side of ['source', 'target'] as const) {
      const { faults } = drawn[side];
      const rules = typeof faults === 'object' ? faults.rules : [];
      const met = site[side].requests().flatMap(({ operation, fault }) => (fault ? operation : []));
      expect(met).toEqual(expect.arrayContaining(rules.map(({ match }) => match.operation)));
    }
  });

  it(
    `accounts for all items, changes no others, imports once, leaves nothing: ${draws} draws [P07][P08]`,
    async () => {
      const drawing = fc.asyncProperty(draw, async (drawn) => void (await tried(drawn)));
      await fc.assert(drawing, { seed, numRuns: draws, endOnFailure: true });
    },
    draws * A_DRAW_MS,
  );
});
