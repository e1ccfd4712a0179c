import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RouteOptions } from '../../src/model/transfer/route';
import { runRecord, type RunRecord } from '../../src/model/run/run';
import { packageItemId } from '../../src/domain/transfer/own-packages';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { entriesOf } from '../../src/service/run/run-view';
import { type Ended as Run, Site } from '../support/site';
import type { Ended } from '../support/child';
import { inProcess } from '../support/in-process';
import startTemporal from '../support/start-temporal';
import stopTemporal from '../support/stop-temporal';

let site: Site;

const run = (...args: string[]): Promise<Ended> => inProcess(['run', ...args], { cwd: site.folder });

/** Each ending has two items of its own, so that its runs can go on beside those of the others. */
let last = 0;
const twoItems = (): string[] => [itemId((last += 1)), itemId((last += 1))];
const itemId = (number: number): string => `c${number.toString(16).padStart(31, '0')}`;

const routeOf = (options: Partial<RouteOptions> = {}) =>
  site.route({}, { items: twoItems(), overwrite: true, ...options });

/** A run that the target refuses its import; what is left to do can be done later. */
async function refused(options: Partial<RouteOptions>, parks: boolean): Promise<Run> {
  site.target.faults.add({
    match: { operation: 'group.import', params: { previewOnly: 'false' } },
    do: { error: { code: 403, message: 'Not now.' } },
  });
  const ended = await site.sync(routeOf(options), { parks });
  site.target.faults.clear();
  return ended;
}

/** Runs that ended in each way, by what they left in the store and on the target. */
const endings = {
  failed: () => refused({}, false),
  'failed and kept its packages': () => refused({ keepPackages: true }, false),
  async 'ended partial'() {
    const route = routeOf();
    site.target.settings.failImport = route.options.items?.slice(1) ?? [];
    const ended = await site.sync(route);
    site.target.settings.failImport = [];
    return ended;
  },
  async 'was cancelled before its package was there'() {
    site.source.settings.jobPolls = Number.MAX_SAFE_INTEGER;
    const handle = await site.start(routeOf());
    await site.untilPhase(handle, 'wait-export');
    await site.askToEnd(handle, { who: 'a@b' });
    site.source.settings.jobPolls = 0;
    return await site.over(handle);
  },
  async 'was cancelled while it was parked'() {
    const { handle, record } = await refused({}, true);
    expect(record.status).toBe('parked');
    return await site.cancel(handle);
  },
  succeeded: () => site.sync(routeOf()),
} as const satisfies Readonly<Record<string, () => Promise<Run>>>;
type Ending = keyof typeof endings;
const all = Object.keys(endings) as Ending[];

const beginnings = ['preview', 'upload', 'export', 'guard'] as const;
type Beginning = (typeof beginnings)[number];

const hasPackage: readonly Ending[] = [
  'failed',
  'failed and kept its packages',
  'ended partial',
  'was cancelled while it was parked',
];

/** What a restart may take over of a run that ended so, and what it says where it would have liked to. */
function desired(ending: Ending, from: Beginning, parent: string) {
  const takesPackage = from === 'preview' || from === 'upload';
  const reusesPackage = takesPackage && hasPackage.includes(ending);
  const reusesItem = from === 'preview' && ending === 'failed and kept its packages';
  const redone = ['guard', ...(reusesPackage ? [] : ['export', 'wait-export', 'download'])];
  const said = [
    `restarts ${parent}`,
    reusesPackage ? `reuses   package of ${parent} in the store, ` : 'reuses   nothing',
    `redoes   ${[...redone, ...(reusesItem ? [] : ['upload']), 'preview', 'approve', 'safeguard'].join(', ')}`,
  ];
  if (reusesItem) said.push('uploaded item ');
  if (takesPackage && !reusesPackage) said.push(`has no package of ${parent}, so it is exported again`);
  if (from === 'preview' && reusesPackage && !reusesItem)
    said.push('the uploaded item is no longer on production, so it is uploaded again');
  return { said, exports: reusesPackage ? 0 : 1, uploads: reusesItem ? 0 : 1 };
}

/** What a run has made on the portals, by their logs. */
function workOf(runId: string): { exports: number; uploads: number } {
  const asked = (side: 'source' | 'target', operation: string): number =>
    site[side]
      .requests()
      .filter((each) => each.operation === operation && JSON.stringify(each.params).includes(runId)).length;
  return { exports: asked('source', 'group.export'), uploads: asked('target', 'item.add') };
}

async function childrenOf(parent: string): Promise<string[]> {
  const children: string[] = [];
  for await (const key of site.store.list('runs/')) {
    if (!key.endsWith('/record.json')) continue;
    const record = await site.store.readJson(key, runRecord);
    if (record?.parent === parent) children.push(record.runId);
  }
  return children.sort();
}

const slow = 20 * 60_000;
const parents = new Map<Ending, Run>();
const restarted = new Map<string, Ended>();

/** Those of one ending follow each other: they import the same items. */
async function restartAll(ending: Ending): Promise<void> {
  const { runId, record } = parents.get(ending)!;
  expect(ending).toContain(record.status);
  for (const from of beginnings) {
    // What the first run has brought is written again only if somebody changes it.
    if (ending === 'succeeded')
      for (const { itemId } of entriesOf(record.items?.imported ?? []))
        site.target.world.items.change(itemId, { snippet: `edited before ${from}` });
    const args = ['restart', runId, '--from', from, '--yes', '--reason', 'again', '-o', 'json'];
    restarted.set(`${ending} ${from}`, await run(...args));
  }
}

beforeAll(async () => {
  await startTemporal();
  site = await Site.open({
    listed: true,
    // From this version on exports are named after their run.
    source: { seed: 'many', seedItems: 2 * all.length, version: '11.4' },
    target: { seed: 'empty' },
    groups: { source: manyGroupId, target: emptyGroupId },
    portals: { concurrency: { exports: all.length, imports: all.length } },
  });
  // One after the other: each finds the portals as it needs them.
  for (const ending of all) parents.set(ending, await endings[ending]());
  await Promise.all(all.map(restartAll));
}, slow);
afterAll(async () => {
  await site.close();
  await stopTemporal();
});

describe('run restart', () => {
  it.each(all.flatMap((ending) => beginnings.map((from) => [ending, from] as const)))(
    'of a run that %s, --from %s, succeeds, and reuses just what it said',
    (ending, from) => {
      const parent = parents.get(ending)!;
      const { status, stdout, stderr } = restarted.get(`${ending} ${from}`)!;
      expect(`${status} ${stderr}`).toMatch(/^0 /);
      const record = JSON.parse(stdout) as RunRecord;
      expect(record).toMatchObject({ status: 'succeeded', target: 'changed', parent: parent.runId });
      expect(record.actions).toMatchObject([{ what: 'start', reason: 'again' }]);
      const { said, ...work } = desired(ending, from, parent.runId);
      for (const words of said) expect(stderr).toContain(words);
      expect(workOf(record.runId)).toEqual(work);
      expect(record.package?.of).toBe(work.exports === 0 ? parent.runId : undefined);
      expect(record.items?.imported).toHaveLength(2);
    },
  );

  it('leaves nothing behind, but for a route that keeps its packages', async () => {
    for (const { runId } of parents.values()) expect(await childrenOf(runId)).toHaveLength(beginnings.length);
    const kept = parents.get('failed and kept its packages')!.runId;
    const keepers = [kept, ...(await childrenOf(kept))];
    const left = [site.source, site.target]
      .flatMap(({ world }) => [...world.items.values()])
      .filter(({ type }) => type === 'Export Package')
      .map(({ title, tags }) => [title, ...tags].join(' '));
    expect(left.filter((words) => !keepers.some((runId) => words.includes(runId)))).toEqual([]);
    expect(site.target.world.items.get(packageItemId(kept, 0))).toBeDefined();
  });
});
