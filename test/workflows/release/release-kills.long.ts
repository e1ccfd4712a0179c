import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { runRecord } from '../../../src/model/run/run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { manyGroupId } from '../../../src/simulator/seed/seeds';
import { builtInUsers } from '../../../src/simulator/seed/users';
import { keys } from '../../../src/store/keys';
import { Portolan } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { Site } from '../../support/site';

const appsGroupId = 'e0000000000000000000000000000077';
const appItemId = 'e7000000000000000000000000000001';

let site: Site;
let worker: Portolan | undefined;

async function startWorker(): Promise<void> {
  worker = new Portolan(['worker'], { cwd: site.folder });
  await worker.says(' polls ');
}
async function killWorker(): Promise<void> {
  worker?.child.kill('SIGKILL');
  await worker?.ended;
  worker = undefined;
}

const exportsOf = (groupId: string): number =>
  site.source
    .requests()
    .filter(
      ({ operation, method, path }) =>
        operation === 'group.export' && method === 'POST' && path.includes(groupId),
    ).length;
const exported = () => ({ roads: exportsOf(manyGroupId), apps: exportsOf(appsGroupId) });

const folders = (): Promise<string[]> => site.store.names(keys.releases);

interface Seen {
  readonly runId: string;
  /** Exports since the release began. */
  readonly exports: number;
}

/** What there is when the worker is killed. */
const moments = {
  'it was accepted': async ({ runId }) => (await site.store.names(keys.run(runId))).includes('start.json'),
  'its portal was read': async ({ runId }) =>
    (await site.store.names(keys.run(runId))).includes('portal-state.json'),
  'its first group is exported': async ({ exports }) => exports > 0,
  'its last group is exported': async ({ exports }) => exports > 1,
} as const satisfies Record<string, (seen: Seen) => Promise<boolean>>;

beforeAll(async () => {
  site = await Site.open({
    worker: false,
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'many', seedItems: 3 },
    target: { seed: 'empty' },
    names: { source: 'dev', target: 'live' },
    config: {
      routes: {},
      pipelines: {
        transport: {
          groups: ['roads', 'apps'],
          settings: true,
          categories: true,
          stages: { dev: { portal: 'dev', groups: { roads: manyGroupId, apps: appsGroupId } } },
        },
      },
    },
  });
  const seed = new SeedBuilder(site.source.world);
  seed.group(appsGroupId, 'Apps');
  const app = { id: appItemId, title: 'Closures', type: 'Web Map', groups: [appsGroupId] };
  await seed.file(app, { operationalLayers: [] });
});
afterAll(async () => {
  await killWorker();
  await site.close();
});

describe('a release whose worker is killed with -9 when', () => {
  it.each(Object.keys(moments) as (keyof typeof moments)[])(
    '%s, is made once, with one export of each group [P01]',
    async (moment) => {
      const { world } = site.source;
      for (const { id } of [...world.items.values()]) world.items.change(id, { modified: world.now() });
      const [before, there] = [exported(), await folders()];
      await startWorker();
      const args = ['release', 'create', 'transport', '--no-wait', '-o', 'json'];
      const begun = await inProcess(args, { cwd: site.folder });
      const { runId } = runRecord.parse(JSON.parse(begun.stdout));
      const exportsSince = (): number => {
        const { roads, apps } = exported();
        return roads + apps - before.roads - before.apps;
      };
      while (!(await moments[moment]({ runId, exports: exportsSince() }))) await sleep(2);
      await killWorker();
      await startWorker();
      const { record } = await site.ended(site.temporal.client.workflow.getHandle(runId));
      await killWorker();
      expect(record).toMatchObject({ status: 'succeeded', release: { id: expect.any(String) } });
      expect((await folders()).filter((id) => !there.includes(id))).toEqual([record.release?.id]);
      expect(exported()).toEqual({ roads: before.roads + 1, apps: before.apps + 1 });
      expect(site.packages()).toEqual([]);
    },
  );
});
