import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runRecord } from '../../../src/model/run/run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { builtInUsers } from '../../../src/simulator/seed/users';
import { inProcess } from '../../support/in-process';
import { Rehearsal } from '../../support/rehearsal';

const groups = Number(process.env['PORTOLAN_TEST_GROUPS'] ?? 500);
/** What a history of Temporal bears without being slow to replay. */
const eventsMax = 5_000;

const nameOf = (at: number): string => `group-${at}`;
const idOf = (letter: 'e' | 'a', at: number): string => `${letter}${at.toString(16).padStart(31, '0')}`;

let rehearsal: Rehearsal;
beforeAll(async () => {
  const all = Array.from({ length: groups }, (_, at) => at);
  rehearsal = await Rehearsal.open({
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'empty' },
    target: { seed: 'empty' },
    names: { source: 'dev', target: 'live' },
    portals: { concurrency: { exports: 4 } },
    config: {
      routes: {},
      pipelines: {
        transport: {
          groups: all.map(nameOf),
          stages: {
            dev: {
              portal: 'dev',
              groups: Object.fromEntries(all.map((at) => [nameOf(at), idOf('e', at + 4_096)])),
            },
          },
        },
      },
    },
  });
  const seed = new SeedBuilder(rehearsal.source.world);
  for (const at of all) {
    seed.group(idOf('e', at + 4_096), `Group ${at}`);
    const item = { id: idOf('a', at), title: `Map ${at}`, type: 'Web Map', groups: [idOf('e', at + 4_096)] };
    await seed.file(item, { operationalLayers: [] });
  }
});
afterAll(() => rehearsal.close());

describe(`a release of ${groups} groups`, () => {
  it('has one snapshot of each, and no execution of it a long history', async () => {
    const { temporal } = rehearsal;
    const args = ['release', 'create', 'transport', '-o', 'json'];
    const ended = await inProcess(args, { cwd: rehearsal.folder });
    expect([ended.status, ended.status === 0 ? '' : ended.stderr]).toEqual([0, '']);
    const record = runRecord.parse(JSON.parse(ended.stdout));
    expect(new Set(record.children?.map(({ snapshotId }) => snapshotId)).size).toBe(groups);
    const histories: number[] = [];
    const query = `WorkflowId = '${record.runId}'`;
    for await (const { historyLength = 0 } of temporal.client.workflow.list({ query }))
      histories.push(historyLength);
    process.stderr.write(`events of a release of ${groups} groups: ${histories.join(', ')}\n`);
    expect(histories.length).toBeGreaterThan(0);
    expect(Math.max(...histories)).toBeLessThan(eventsMax);
  }, 3_600_000);
});
