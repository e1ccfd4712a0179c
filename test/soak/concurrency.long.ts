import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Table from 'cli-table3';
import { runRecord, type RunRecord } from '../../src/model/run/run';
import { keys } from '../../src/store/keys';
import { differences, Fleet, highestConcurrency } from './fleet';
import { type Idling, watchPortalQueues } from './queue-watch';

/** `--concurrency` of `npm run test:soak`. */
const runs = Number(process.env['PORTOLAN_SOAK_STARTED'] ?? 60);
const portals = 10;
/** A portal queue with waiting runs and no progress for longer is idle. */
const IDLE_MAX_MS = 60_000;

jest.setTimeout(60 * 60_000);

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

describe(`${runs} syncs over ${portals} pairs of portals, started at once by one client`, () => {
  let fleet: Fleet;
  let records: (RunRecord | undefined)[];
  let idling: Idling[];

  beforeAll(async () => {
    fleet = await Fleet.open({ portals, groups: runs });
    const done = new AbortController();
    const watching = watchPortalQueues(fleet, done.signal);
    const began = Date.now();
    const runIds = await Promise.all(fleet.groups.map((group) => fleet.sync(group)));
    const startedMs = Date.now() - began;
    records = await Promise.all(
      runIds.map(async (runId) => {
        await fleet.temporal.client.workflow.getHandle(runId).result();
        return await fleet.store.readJson(keys.record(runId), runRecord);
      }),
    );
    const table = new Table({ style: { head: [], border: [] } });
    table.push(
      ['runs', `${runs}, all started within ${seconds(startedMs)}`],
      ['succeeded', String(records.filter((record) => record?.status === 'succeeded').length)],
      ['from the first start to the last end', seconds(Date.now() - began)],
    );
    done.abort();
    idling = await watching;
    const longest = Math.max(0, ...idling.map(({ idleMs }) => idleMs));
    table.push(
      ['longest without progress in a portal queue with waiting runs', seconds(longest)],
      ['portal queues where that was over a minute', String(idle().length)],
    );
    say(table.toString());
  });
  afterAll(() => fleet?.close());

  const idle = (): Idling[] => idling.filter(({ idleMs }) => idleMs > IDLE_MAX_MS);

  it('leaves no portal queue idle for a minute while a run waits in it', () => {
    expect(idle()).toEqual([]);
  });

  it('brings each of them to its end, and every byte', async () => {
    expect(records.flatMap((record) => record?.error ?? [])).toEqual([]);
    expect(records.map((record) => record?.status)).toEqual(Array<string>(runs).fill('succeeded'));
    expect((await Promise.all(fleet.groups.map(differences))).flat()).toEqual([]);
  });

  it('gives a portal one export and one import at a time', () => {
    const most = fleet.portals.flatMap((portal) =>
      (['export', 'import'] as const).map((type) => highestConcurrency(portal, type)),
    );
    expect(Math.max(...most)).toBe(1);
  });
});
