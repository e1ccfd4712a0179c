import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, plan as planSchema } from '../../../src/model/transfer/plan';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import type { Simulator } from '../../../src/simulator/simulator';
import { inProcess } from '../../support/in-process';
import { jsonOf } from '../../support/json';
import type { Rehearsal } from '../../support/rehearsal';
import { appItemId, openPipeline } from './a-pipeline';

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await openPipeline({}, { source: { seed: 'many', seedItems: 6 } });
});
afterAll(() => rehearsal.close());

const run = (...args: string[]) => inProcess(args, { cwd: rehearsal.folder });
async function recordOf(...args: string[]): Promise<RunRecord> {
  const ended = await run(...args, '-o', 'json');
  return runRecord.parse(jsonOf(ended));
}
const promote = () => recordOf('promote', 'transport', '--to', 'staging', '--yes');

/** Text of the map, on a portal. */
async function mapOn({ world }: Simulator): Promise<string> {
  const item = world.items.get(appItemId);
  if (!item) throw new Error('there is no map');
  return (await buffer(world.files.readData(item))).toString();
}

async function editMap({ world }: Simulator, title: string): Promise<void> {
  const bytes = Buffer.from(JSON.stringify({ operationalLayers: [{ id: 'roads', title }] }));
  const { data, size } = await world.files.keepData(appItemId, bytes, bytes.length);
  world.items.change(appItemId, { data, size, modified: world.now() });
}

const imported = (): string[] =>
  rehearsal.target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
    .map(({ params }) => params['itemIdList'] ?? '');

describe('a release in which one of seven items changed', () => {
  it('writes that one on the stage, which then holds the release, and says so in its plan', async () => {
    await recordOf('release', 'create', 'transport');
    expect(await promote()).toMatchObject({ status: 'succeeded', plan: { create: 7 } });
    await editMap(rehearsal.source, 'Closed roads');
    await recordOf('release', 'create', 'transport');
    const file = path.join(rehearsal.folder, 'changes.html');
    const compared = await run('promote', 'diff', 'transport', 'staging', '--changes', '--html', file);
    expect(compared.status).toBe(20);
    expect(compared.stdout).toMatch(/^"Closures" .*Web Map\nlayer "Closed roads" added/m);
    expect(compared.stdout).toContain('6 items unchanged');
    expect(await readFile(file, 'utf8')).toContain('Closed roads');
    const before = imported().length;
    const record = await promote();
    expect(record.error).toBeUndefined();
    const changes = await run('run', 'show', record.runId, '--changes');
    expect(changes.stdout).toMatch(/layer "Closed roads" added[^]*1 changes, 6 are identical/);
    expect(record).toMatchObject({
      status: 'succeeded',
      plan: { create: 0, overwrite: 1, changed: 1, same: 6, identical: 6, unknown: 0 },
    });
    expect(imported().slice(before)).toEqual([appItemId]);
    expect(await mapOn(rehearsal.target)).toBe(await mapOn(rehearsal.source));
    const { rows } = jsonOf<Plan>(await run('run', 'show', record.runId, '--plan', '-o', 'json'));
    expect(
      planSchema.shape.rows.parse(rows).find(({ itemId }) => itemId === appItemId)?.change,
    ).toMatchObject({
      kind: 'changed',
      fields: [{ label: expect.stringContaining('Closed roads') }],
    });
  });

  it('writes nothing where the stage holds it already, and stands there all the same', async () => {
    await recordOf('release', 'create', 'transport');
    const before = imported().length;
    const record = await promote();
    expect(record).toMatchObject({ status: 'nothing-to-do', target: 'untouched', plan: { same: 7 } });
    expect(imported()).toHaveLength(before);
    expect((await run('promote', 'diff', 'transport', 'staging')).status).toBe(0);
  });

  it('returns to what it was by a rollback, whose plan says what that changes', async () => {
    await editMap(rehearsal.source, 'Open roads');
    await recordOf('release', 'create', 'transport');
    await promote();
    const record = await recordOf('promote', 'rollback', 'transport', 'staging', '--yes');
    expect(record).toMatchObject({ status: 'succeeded', plan: { overwrite: 1, changed: 1 } });
    expect(await mapOn(rehearsal.target)).toContain('Closed roads');
  });
});
