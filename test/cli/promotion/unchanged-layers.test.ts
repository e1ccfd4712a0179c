import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlanRow } from '../../../src/model/transfer/plan';
import type { RunRecord } from '../../../src/model/run/run';
import { editLayer } from '../../../src/simulator/edit-layer';
import { layer, SeedBuilder } from '../../../src/simulator/seed/build';
import type { Simulator } from '../../../src/simulator/simulator';
import type { Site } from '../../support/site';
import { until } from '../../support/until';
import { appItemId, appsGroupId, commandsIn, openPipeline } from './a-pipeline';

/** Nobody edits lamps; signs are edited on the stage, poles where releases are made. */
const layers = {
  Lamps: 'e7000000000000000000000000000002',
  Signs: 'e7000000000000000000000000000003',
  Poles: 'e7000000000000000000000000000004',
};
type Name = keyof typeof layers;

let site: Site;
const { recordOf, expectRun } = commandsIn(() => site);
/** The promotion of a release of which the stage has all but edits, and the one after it. */
let edited: Promoted;
let next: Promoted;

type Promoted = RunRecord & { rowOf: (name: Name) => PlanRow | undefined };
async function promote(): Promise<Promoted> {
  const record = await recordOf('promote transport --to staging --yes');
  const { rows } = await site.plan(record.children?.[0]?.runId ?? '');
  return { ...record, rowOf: (name) => rows.find(({ itemId }) => itemId === layers[name]) };
}

const rowsOn = ({ world }: Simulator, name: Name) =>
  world.files.readText(world.files.featuresPath(layers[name], 0));
const paint = ({ world }: Simulator, name: Name, STATUS: string): Promise<unknown> =>
  editLayer(world, `server/Hosted/${name}/FeatureServer`, 0, {
    updates: [{ attributes: { OBJECTID: 2, STATUS } }],
    rollback: true,
  });

beforeAll(async () => {
  site = await openPipeline({ staging: { data: 'replace' } }, {}, { groups: ['apps'] });
  const { source, target } = site;
  for (const [title, id] of Object.entries(layers)) {
    const fields = { id, title, type: 'Feature Service', groups: [appsGroupId] };
    const shape = { layers: [layer(0, title, 5, 'esriGeometryPoint')], tables: [] };
    await new SeedBuilder(source.world).hosted(fields, title, shape);
  }
  await recordOf('release create transport');
  await promote();
  source.world.items.change(appItemId, { snippet: 'By day', modified: source.world.now() });
  await paint(source, 'Poles', 'bent');
  await paint(target, 'Signs', 'shut');
  await recordOf('release create transport');
  edited = await promoteWhile(() => paint(target, 'Poles', 'shut'));
  next = await promote();
});
afterAll(() => site.close());

/** Promotes, and does something between the import and the look at what it brought. */
async function promoteWhile(work: () => Promise<unknown>): Promise<Promoted> {
  const { faults, world } = site.target;
  const modified = () => world.items.get(layers.Poles)?.modified;
  const before = modified();
  faults.add({ match: { operation: 'group.content' }, times: 99, do: 'hold' });
  const ending = promote();
  await until('the group to be read after the import', () => {
    if (faults.holding > 0 && modified() !== before) return true;
    faults.release();
    return false;
  });
  await work();
  faults.clear();
  return await ending;
}

describe('a hosted layer on a stage that replaces data', () => {
  it('is left alone if it was edited nowhere since the last promotion', () => {
    expect(edited.rowOf('Lamps')).toMatchObject({ action: 'same' });
    expect(edited).toMatchObject({
      status: 'succeeded',
      plan: { overwrite: 3, unknown: 2, identical: 1 },
    });
  });

  it('is written if its rows were edited on the stage, and then left alone', async () => {
    expect(edited.rowOf('Signs')?.change).toMatchObject({
      kind: 'unknown',
      why: expect.stringMatching(/rows/),
    });
    expect(next.rowOf('Signs')).toMatchObject({ action: 'same' });
    expect(await rowsOn(site.target, 'Signs')).toBe(await rowsOn(site.source, 'Signs'));
  });

  it('is written if its rows were edited where releases are made, or during the import', async () => {
    expect(edited.rowOf('Poles')?.change).toMatchObject({ kind: 'unknown' });
    expect(next).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, unknown: 1 } });
    expect(next.rowOf('Poles')?.change).toMatchObject({ kind: 'unknown' });
    expect(await rowsOn(site.source, 'Poles')).toContain('bent');
    expect(await rowsOn(site.target, 'Poles')).toBe(await rowsOn(site.source, 'Poles'));
  });

  it('is written by no promotion of what the stage has already', async () => {
    const before = site.target.world.items.get(layers.Lamps);
    expect(await promote()).toMatchObject({
      status: 'nothing-to-do',
      target: 'untouched',
      plan: { same: 4 },
    });
    expect(site.target.world.items.get(layers.Lamps)).toEqual(before);
    await expectRun('promote diff transport staging --changes', 0);
  });
});
