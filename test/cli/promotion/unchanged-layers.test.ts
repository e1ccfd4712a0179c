import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlanRow } from '../../../src/model/transfer/plan';
import type { RunRecord } from '../../../src/model/run/run';
import { editLayer } from '../../../src/simulator/edit-layer';
import { layer, SeedBuilder } from '../../../src/simulator/seed/build';
import type { Simulator } from '../../../src/simulator/simulator';
import type { Site } from '../../support/site';
import { until } from '../../support/until';
import { appItemId, appsGroupId, type Commands, commandsIn, openPipeline } from './a-pipeline';

const signsId = 'e7000000000000000000000000000002';

let site: Site;
let { run, recordOf }: Commands = {} as Commands;

beforeAll(async () => {
  site = await openPipeline({ staging: { data: 'replace' } });
  ({ run, recordOf } = commandsIn(site));
  const fields = { id: signsId, title: 'Signs', type: 'Feature Service', groups: [appsGroupId] };
  const shape = { layers: [layer(0, 'Signs', 5, 'esriGeometryPoint')], tables: [] };
  await new SeedBuilder(site.source.world).hosted(fields, 'Signs', shape);
});
afterAll(() => site.close());

/** Promotes a new release. @returns the run, and what its plan says of an item */
async function promote(): Promise<RunRecord & { rowOf: (itemId: string) => PlanRow | undefined }> {
  await recordOf('release', 'create', 'transport');
  const record = await recordOf('promote', 'transport', '--to', 'staging', '--yes');
  const parts = record.children?.filter(({ name, does }) => name === 'apps' && does === 'plan') ?? [];
  const { rows } = await site.plan(parts[0]?.runId ?? '');
  return { ...record, rowOf: (itemId) => rows.find((row) => row.itemId === itemId) };
}

const signsOn = ({ world }: Simulator): Promise<string | undefined> =>
  world.files.readText(world.files.featuresPath(signsId, 0));
const paint = ({ world }: Simulator, STATUS: string): Promise<unknown> =>
  editLayer(world, 'server/Hosted/Signs/FeatureServer', 0, {
    updates: [{ attributes: { OBJECTID: 2, STATUS } }],
    rollback: true,
  });

describe('a hosted layer on a stage that replaces data', () => {
  it('is left alone when nobody edited it since the last promotion', async () => {
    expect(await promote()).toMatchObject({ status: 'succeeded', plan: { create: 4 } });
    const { world } = site.source;
    world.items.change(appItemId, { snippet: 'By day', modified: world.now() });
    const before = site.target.world.items.get(signsId);
    const { rowOf, ...record } = await promote();
    expect(rowOf(signsId)).toMatchObject({ action: 'same' });
    expect(record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, identical: 3, unknown: 0 } });
    expect(site.target.world.items.get(signsId)).toEqual(before);
    expect((await run('promote', 'diff', 'transport', 'staging', '--changes')).status).toBe(0);
    expect(await promote()).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
  });

  it('is written when its rows were edited on the stage, and then left alone', async () => {
    await paint(site.target, 'shut');
    expect(await signsOn(site.target)).not.toBe(await signsOn(site.source));
    const { rowOf, ...record } = await promote();
    expect(rowOf(signsId)?.change).toMatchObject({ kind: 'unknown', why: expect.stringMatching(/rows/) });
    expect(record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, unknown: 1 } });
    expect(await signsOn(site.target)).toBe(await signsOn(site.source));
    expect(await promote()).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
  });

  it('is written when its rows were edited where releases are made, or here during the import', async () => {
    await paint(site.source, 'bent');
    const { faults, world } = site.target;
    const { modified } = world.items.get(signsId)!;
    faults.add({ match: { operation: 'group.content' }, times: 99, do: 'hold' });
    const ending = promote();
    await until('the group to be read after the import', () => {
      if (faults.holding > 0 && world.items.get(signsId)?.modified !== modified) return true;
      faults.release();
      return false;
    });
    await paint(site.target, 'shut');
    faults.clear();
    expect(await ending).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, unknown: 1 } });
    expect(await signsOn(site.target)).toContain('shut');
    expect(await promote()).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, unknown: 1 } });
    expect(await signsOn(site.target)).toBe(await signsOn(site.source));
  });
});
