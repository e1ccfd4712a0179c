import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../../src/model/run/run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import type { Site } from '../../support/site';
import { appItemId, appsGroupId, commandsIn, openPipeline } from './a-pipeline';

/** Two items of the pipeline that the stage has already. */
const [first, second] = ['c0000000000000000000000000000001', 'c0000000000000000000000000000002'];

let site: Site;
const { run, recordOf } = commandsIn(() => site);
const promote = (): Promise<RunRecord> => recordOf('promote transport --to staging --yes');
const rollBack = (...args: string[]): Promise<RunRecord> =>
  recordOf('promote rollback transport staging --yes', ...args);
const titles = (): unknown[] =>
  [first, second, appItemId].map((id) => site.target.world.items.get(id)?.title);
const edit = (id: string, title: string) => {
  const { world } = site.target;
  world.items.change(id, { title, modified: world.now() });
};

beforeAll(async () => {
  site = await openPipeline({});
  const stage = new SeedBuilder(site.target.world, 'admin');
  for (const [index, id] of [first, second].entries())
    await stage.file(
      { id, title: `Before ${index + 1}`, type: 'CSV', name: `before-${index}.csv`, groups: [emptyGroupId] },
      'a,b\n',
    );
  await stage.file({ id: appItemId, title: 'App of before', type: 'Web Map', groups: [appsGroupId] }, {});
  await recordOf('release create transport');
});
afterAll(() => site.close());

describe('the rollback of a promotion', () => {
  it('names and leaves items edited since, and restores them with --overwrite-edits [P12]', async () => {
    expect(await promote()).toMatchObject({ status: 'succeeded', plan: { overwrite: 3 } });
    expect(titles()).toEqual(['Count 1', 'Count 2', 'Closures']);
    edit(first, 'By hand');
    edit(appItemId, 'Closures, by hand');
    const { status, warnings, error } = await rollBack();
    expect({ status, error }).toEqual({ status: 'partial', error: undefined });
    expect(titles()).toEqual(['By hand', 'Before 2', 'Closures, by hand']);
    const left = (group: string, title: string, id: string): unknown =>
      expect.stringMatching(
        new RegExp(
          `^group "${group}": ${title} \\(${id}\\) has changed since .*; Portolan leaves it unchanged`,
        ),
      );
    expect(warnings).toContainEqual(left('roads', 'By hand', first));
    expect(warnings).toContainEqual(left('apps', 'Closures, by hand', appItemId));
    expect(warnings.join('\n')).not.toContain(second);
    const { stdout } = await run('promote status transport -o json');
    expect(JSON.parse(stdout)).toMatchObject({ stages: [{}, { verified: 'failed' }, {}] });

    expect((await rollBack('--overwrite-edits')).status).toBe('succeeded');
    expect(titles()).toEqual(['Before 1', 'Before 2', 'App of before']);
  });

  it('is partial if an item cannot be restored, and can be repeated', async () => {
    expect((await promote()).status).toBe('succeeded');
    site.target.settings.failImport = [second];
    const { status, warnings } = await rollBack();
    site.target.settings.failImport = [];
    expect(titles()).toEqual(['Before 1', 'Count 2', 'App of before']);
    expect({ status, warnings }).toEqual({
      status: 'partial',
      warnings: [
        expect.stringMatching(/^group "roads": 1 item could not be rolled back: portolan run show /),
      ],
    });
    expect((await rollBack()).warnings).toEqual([]);
    expect(titles()).toEqual(['Before 1', 'Before 2', 'App of before']);
  });
});
