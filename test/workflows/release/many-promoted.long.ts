import { afterEach, describe, expect, it } from '@jest/globals';
import { type RunRecord } from '../../../src/model/run/run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { builtInUsers } from '../../../src/simulator/seed/users';
import { Site } from '../../support/site';
import { rest } from '../../support/until';
import { typedIn } from '../../support/typed-in';

const many = Number(process.env['PORTOLAN_TEST_GROUPS'] ?? 500);
/** A longer history of Temporal is slow to replay. */
const eventsMax = 5_000;
const concurrency = 3;

/** Imports create a folder per group title, and each run searches all folders: so many would slow down every run. */
const FOLDERS = 20;

const nameOf = (at: number) => `group-${at}`;
const idOf = (letter: 'e' | 'a', at: number) => `${letter}${at.toString(16).padStart(31, '0')}`;
const groupOf = (at: number) => idOf('e', at + 4_096);

let site: Site;
const { run, recordOf } = typedIn(() => site.folder);
afterEach(() => site.close());

/** Portals `dev` and `live` with a pipeline of so many groups, each of which holds one item in dev. */
async function open(count: number) {
  const all = Array.from({ length: count }, (_, at) => at);
  const groups = Object.fromEntries(all.map((at) => [nameOf(at), groupOf(at)]));
  site = await Site.open({
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'empty' },
    target: { seed: 'empty' },
    names: { source: 'dev', target: 'live' },
    portals: { concurrency: { exports: 4, imports: concurrency } },
    config: {
      routes: {},
      pipelines: {
        transport: {
          groups: all.map(nameOf),
          stages: { dev: { portal: 'dev', groups }, live: { portal: 'live', groups } },
        },
      },
    },
  });
  const [dev, live] = [site.source, site.target].map(({ world }) => new SeedBuilder(world));
  for (const at of all) {
    for (const seed of [dev, live]) seed?.group(groupOf(at), `Group ${at % FOLDERS}`);
    const item = { id: idOf('a', at), title: `Map ${at}`, type: 'Web Map', groups: [groupOf(at)] };
    await dev?.file(item, { operationalLayers: [] });
  }
}

/** Events of each execution of a run. */
async function historiesOf(runId: string) {
  const lengths: number[] = [];
  const query = `WorkflowId = '${runId}'`;
  for await (const { historyLength = 0 } of site.temporal.client.workflow.list({ query }))
    lengths.push(historyLength);
  return lengths;
}
const megabytes = () => Math.round(process.memoryUsage().rss / 1024 ** 2);
const say = (words: string) => void process.stderr.write(`${words}\n`);

describe(`a promotion of ${many} groups`, () => {
  it('saves and imports each group once, within the allowed number at a time', async () => {
    await open(many);
    const release = await recordOf('release', 'create', 'transport');
    expect(new Set(release.children?.map(({ snapshotId }) => snapshotId)).size).toBe(many);
    const released = await historiesOf(release.runId);
    say(`events of a release of ${many} groups: ${released.join(', ')}`);
    const { runId } = await recordOf('promote', 'transport', '--to', 'live', '--yes', '--no-wait');
    let most = 0;
    let told = 0;
    let record: RunRecord | undefined;
    for (let looks = 0; record?.finishedAt === undefined; await rest(looks++)) {
      record = await site.record(runId);
      const running = record?.children?.filter(({ status }) => status === 'running').length ?? 0;
      most = Math.max(most, running);
      const done = site.imports().length;
      if (record?.status === 'parked') throw new Error(record.error?.message);
      if (done < told) continue;
      say(`${done} of ${many} groups imported: ${megabytes()} MB`);
      told = done + many / 5;
    }
    expect({ status: record.status, error: record.error }).toEqual({ status: 'succeeded', error: undefined });
    expect(site.imports()).toHaveLength(many);
    expect(most).toBeLessThanOrEqual(concurrency);
    expect(site.target.world.items.filter(({ type }) => type === 'Web Map')).toHaveLength(many);
    expect(site.packages()).toEqual([]);
    const histories = await historiesOf(runId);
    say(`events of a promotion of ${many} groups: ${histories.join(', ')}; ${most} at a time`);
    for (const lengths of [released, histories]) {
      expect(lengths.length).toBeGreaterThan(0);
      expect(Math.max(...lengths)).toBeLessThan(eventsMax);
    }
    const began = performance.now();
    const { status } = await run('promote', 'status', 'transport');
    say(`promote status after that: ${Math.round(performance.now() - began)} ms`);
    expect(status).toBe(0);
  }, 7_200_000);
});
