import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import bytes from 'bytes';
import type { RunRecord } from '../../src/model/run/run';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { differences, hex, jobsOf } from '../soak/fleet';
import { rest, until } from '../support/until';
import { partsSentAgain } from '../transfers/cut-connection';
import { Deployment } from './deployment';

const RUNS = 40;
/** How long a portal works on an export: all of them are under way at a time. @format milliseconds */
const JOB_MS = 30_000;
/** Of a package that travels: seven parts. @format bytes */
const SIZE = 200 * 1024 ** 2;
/** Of a download into a bucket, that may have to come again: three parts on their way, the one that fills, and what the line holds. @format bytes */
const AGAIN_MAX = 5 * 8 * 1024 ** 2;
/** Of a second, for a download that is under way when its worker is lost. @format bytes */
const SLOW = 10 * 1024 ** 2;

jest.setTimeout(30 * 60_000);

const say = (line: string): void => void process.stderr.write(`lost worker  ${line}\n`);

/** Routes of packages that travel, and the numbers of their groups. */
const big = { down: 0xd0, up: 0xd1 } as const;

describe(`a worker that is lost with ${RUNS} runs under way, one package on its way down and one up`, () => {
  let at: Deployment;
  let records: RunRecord[];
  let travelling: Record<keyof typeof big, RunRecord>;
  let sent: number;

  beforeAll(async () => {
    const route = (number: number): object => ({
      source: { portal: 'mosaics', group: hex('a', number) },
      target: { portal: 'production', group: hex('b', number) },
      approval: 'none',
    });
    at = await Deployment.open({
      groups: RUNS,
      source: { jobMs: JOB_MS, jobPolls: 1 },
      third: { name: 'mosaics' },
      portals: { concurrency: { exports: RUNS, imports: RUNS } },
      routes: { down: route(big.down), up: route(big.up) },
    });
    const { source, target, third, temporal } = at.site;
    for (const number of Object.values(big)) {
      const [from, to] = [new SeedBuilder(third.world), new SeedBuilder(target.world)];
      from.group(hex('a', number), `Mosaics ${number}`);
      to.group(hex('b', number), `Mosaics ${number}`);
      const image = { type: 'Image', name: 'mosaic.tif', groups: [hex('a', number)] };
      from.generated({ ...image, id: hex('c', number), title: `Mosaic ${number}` }, SIZE);
    }
    const [lost, other] = at.workers;
    await other?.kill();

    // One package stands at its fourth part, one is coming slowly, and the portal works on all others.
    target.faults.add({ match: { operation: 'item.addPart' }, nth: 4, do: 'hold' });
    const up = await at.begin('syncs', { route: 'up' }, 'up');
    await until('a part that is held', () => target.faults.holding > 0);
    const runIds = await Promise.all(
      at.groups.map((group) => at.begin('syncs', { route: group.route }, group.route)),
    );
    await until('all exports', () =>
      at.groups.every((group) => jobsOf(source, 'export', group.sourceId).length > 0),
    );
    third.faults.add({ match: { operation: 'item.data' }, do: { slow: SLOW } });
    const before = third.traffic().sent;
    const down = await at.begin('syncs', { route: 'down' }, 'down');
    await until('a third of the package', () => third.traffic().sent - before > SIZE / 3);
    await other?.start();
    const cameBy = third.traffic().sent - before;
    await lost?.kill();
    const began = performance.now();
    third.faults.clear();
    target.faults.clear();

    const ids = [...runIds, up, down];
    const isElsewhere = async (workflowId: string): Promise<boolean> => {
      const { pendingActivities, workflowExecutionInfo } =
        await temporal.connection.workflowService.describeWorkflowExecution({
          namespace: temporal.namespace,
          execution: { workflowId },
        });
      if (workflowExecutionInfo?.closeTime) return true;
      return (pendingActivities ?? []).some(({ lastWorkerIdentity }) =>
        lastWorkerIdentity?.startsWith(`${other?.pid}@`),
      );
    };
    const wentOn = await Promise.all(
      ids.map(async (id) => {
        for (let looks = 0; !(await isElsewhere(id)); looks += 1) await rest(looks);
        return performance.now() - began;
      }),
    );
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
    const slowest = [...wentOn].sort((a, b) => a - b);
    say(
      `${ids.length} runs go on elsewhere after ${seconds(slowest[0] ?? 0)} to ${seconds(slowest.at(-1) ?? 0)}`,
    );
    records = await Promise.all(runIds.map((runId) => at.ended(runId)));
    travelling = { down: await at.ended(down), up: await at.ended(up) };
    sent = third.traffic().sent - before;
    say(`all ended after ${seconds(performance.now() - began)}`);
    say(
      `of ${bytes.format(SIZE)} that were on their way down, ${bytes.format(cameBy)} had come; ${bytes.format(sent)} came in all`,
    );
  });
  afterAll(() => at?.close());

  it('costs none of them: each ends as asked, by the other worker', () => {
    const all = [...records, ...Object.values(travelling)];
    expect(all.flatMap(({ runId, error }) => (error ? [{ runId, error }] : []))).toEqual([]);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  });

  it('doubles nothing: each group is exported once and imported once, with every byte', async () => {
    const { source, target } = at.site;
    const jobs = at.groups.map(({ sourceId, targetId }) => [
      jobsOf(source, 'export', sourceId).length,
      jobsOf(target, 'import', targetId).length,
    ]);
    expect(jobs).toEqual(Array<number[]>(RUNS).fill([1, 1]));
    expect((await Promise.all(at.groups.map(differences))).flat()).toEqual([]);
    const sizes = Object.values(big).map((number) => target.world.items.get(hex('c', number))?.size);
    expect(sizes).toEqual([SIZE, SIZE]);
  });

  it('goes on with a download into the bucket behind the last part that had come', () => {
    expect(sent).toBeLessThan(SIZE + AGAIN_MAX);
  });

  it('has no part sent again that the target holds, and leaves nothing in the bucket', async () => {
    const uploads = new Map<string, RequestLogEntry[]>();
    for (const asked of at.site.target.requests()) {
      const [, itemId = ''] = /\/items\/([0-9a-f]{32})\//.exec(asked.path) ?? [];
      uploads.set(itemId, [...(uploads.get(itemId) ?? []), asked]);
    }
    const parts = [...uploads.values()].map(
      (asked) => asked.filter(({ operation }) => operation === 'item.addPart').length,
    );
    say(`parts that were sent, of each package that goes in parts: ${parts.filter(Boolean).join(', ')}`);
    expect([...uploads.values()].flatMap(partsSentAgain)).toEqual([]);
    expect(await at.left()).toEqual([]);
  });
});
