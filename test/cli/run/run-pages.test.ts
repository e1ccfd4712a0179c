import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { newestIndexed, quoted, type RunFilter } from '../../../src/service/run/lookup/indexed-runs';
import { runPage } from '../../../src/service/run/run-rows';
import { resolveRun } from '../../../src/service/run/find-run';
import type { ReadContext } from '../../../src/service/run/run-sources';
import { portolanWith } from '../../../src/service/local';
import type { RunRow } from '../../../src/contract/run-row';
import { memoKey } from '../../../src/model/run/run-id';
import { keys } from '../../../src/store/keys';
import type { Store } from '../../../src/store/store';
import type { TemporalClient } from '../../../src/temporal/connection';
import { expectEnd } from '../../support/in-process';
import { aStoreAlone } from './a-store-alone';
import { typedIn } from '../../support/typed-in';

const minute = 60_000;
const first = Date.parse('2026-01-01T00:00:00Z');
const isoOf = (number: number) => new Date(first + number * minute).toISOString();
const idOf = (number: number) =>
  `sync-transport-${isoOf(number).replace(/[-:]|\.\d+/g, '')}-r${String(number).padStart(3, '0')}`;

const { folder, config, store: opened, put } = aStoreAlone();
const stored = 60;
/** Of a request id, so that its id does not tell when it was started: between the last two. */
const requested = 'sync-transport-request-abcdefghij';
let store: Store;
let reads: string[] = [];
const listed: string[] = [];

beforeAll(async () => {
  const write = (runId: string, startedAt: string, taskQueue?: string) => {
    const place = { workflowId: runId, runId: 'f00d', taskQueue };
    const status = runId.endsWith('0') ? 'failed' : 'succeeded';
    return put({ runId, startedAt, status, temporal: place });
  };
  for (let number = 0; number < stored; number += 1) await write(idOf(number), isoOf(number), 'ours');
  await write(requested, isoOf(stored - 1.5));
  // Of somebody who has the same store.
  await write(idOf(900), isoOf(900), 'of-others');
  const counted: Pick<Store, 'readJson' | 'names'> = {
    readJson: async (key, schema) => {
      if (key.startsWith(keys.runs)) reads.push(key);
      return await opened.readJson(key, schema);
    },
    names: async (prefix) => {
      listed.push(prefix);
      return await opened.names(prefix);
    },
  };
  store = Object.assign(Object.create(opened) as Store, counted);
});

const { run, expectRun } = typedIn(() => folder);
const typed = (options: string) => run(`run list -o json ${options}`);
const idsOf = ({ stdout }: { stdout: string }) =>
  (JSON.parse(stdout) as { runId: string }[]).map(({ runId }) => runId);

it('run watch is refused without Temporal', async () => {
  await expectRun(`run watch ${idOf(7)}`, 11, 'error TEMPORAL_UNREACHABLE');
});

it('quoted text stays inside a query of the index', () => {
  expect(quoted(`it's \\' OR 1`)).toBe(`it''s \\\\'' OR 1`);
});

describe('a page of runs', () => {
  it('reads as many records as it shows', async () => {
    reads = [];
    const { rows } = await runPage({ config, store }, { limit: 3 });
    expect(rows.map(({ runId }) => runId)).toEqual([idOf(59), requested, idOf(58)]);
    // The newest three ids, of which one is of others, the one without a time, and one more in the place of the other.
    expect(reads.length).toBeLessThan(10);
    // What a store has of a hundred thousand runs takes seconds to list, in a bucket a hundred requests.
    expect(listed).not.toContain(keys.runs);
  });

  it('is searched for a run by the end of its ID with one read', async () => {
    for (const text of [idOf(7), 'r007']) {
      reads = [];
      expect((await resolveRun({ config, store }, text)).record.runId).toBe(idOf(7));
      expect(reads.filter((key) => key === keys.record(idOf(7)))).toHaveLength(1);
      expect(reads.length).toBeLessThan(3);
    }
    await expect(resolveRun({ config, store }, '7')).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('names the command of the next page, and each run once', async () => {
    const seen: string[] = [];
    let next = '';
    for (;;) {
      const page = await typed(`--limit 20 --status succeeded ${next}`);
      seen.push(...idsOf(page));
      [, next = ''] = /portolan run list --limit 20 --status succeeded (--before .*)/.exec(page.stderr) ?? [];
      if (next === '') break;
    }
    const all = Array.from({ length: stored }, (_, number) => idOf(number)).filter((id) => !id.endsWith('0'));
    expect([...seen].sort()).toEqual([...all, requested].sort());
  });

  it('refuses an invalid cursor', async () => {
    const portolan = portolanWith({ config, store } as Required<ReadContext>);
    await expect(portolan.listRuns({ cursor: '9999999999999999' })).rejects.toMatchObject({
      code: 'USAGE',
      plainMessage: 'cursor: is not a cursor of this list',
    });
  });

  it('holds the runs of one task queue', async () => {
    expect(idsOf(await typed('--limit 1'))).toEqual([idOf(59)]);
    await expect(resolveRun({ config, store }, idOf(900))).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
      plainMessage: expect.stringContaining(
        'belongs to task queue "of-others", but this configuration uses "ours"',
      ),
    });
  });

  it('holds only runs of the requested kind, time, person or text', async () => {
    const since = `--since ${isoOf(50)}`;
    expect(idsOf(await typed(`${since} --kind sync`))).toHaveLength(11);
    expect(idsOf(await typed(`${since} --before ${isoOf(52)}`))).toEqual([idOf(51), idOf(50)]);
    for (const none of ['--kind backup', '--pipeline transport'])
      expect(idsOf(await typed(`${since} ${none}`))).toEqual([]);
    const found = async (filter: RunFilter) =>
      (await runPage({ config, store }, { ...filter, from: first + 50 * minute })).rows.length;
    const [{ startedBy }] = (await runPage({ config, store }, { limit: 1 })).rows as [RunRow];
    expect(await found({ startedBy })).toBe(11);
    expect(await found({ startedBy: 'somebody else' })).toBe(0);
    expect(await found({ text: 'R059' })).toBe(1);
    expect(await found({ parent: idOf(59) })).toBe(0);
  });

  it.each(['yesterday', '2026-13-01', '3'])('is refused before the invalid time %s', async (time) => {
    await expectEnd(typed(`--before ${time}`), 2, 'Write a time such as');
  });
});

describe('Temporal’s index', () => {
  const info = (number: number, took = 1) =>
    ({
      workflowId: idOf(number),
      memo: { [memoKey]: { route: { name: 'transport' }, startedBy: 'a@b' } },
      status: { name: 'COMPLETED' },
      startTime: new Date(first + number * minute),
      closeTime: new Date(first + (number + took) * minute),
      typedSearchAttributes: { getAll: () => [] },
    }) as unknown as WorkflowExecutionInfo;

  /** What is read of the runs that are over until the newest three are known. */
  async function readOf(infos: readonly WorkflowExecutionInfo[], filter: RunFilter = {}) {
    let read = 0;
    const queries: string[] = [];
    const list = async function* ({ query }: { query: string }) {
      queries.push(query);
      if (query.includes('CloseTime IS NULL')) return;
      for (const each of infos) {
        read += 1;
        yield each;
      }
    };
    const temporal = { client: { workflow: { list } } } as unknown as TemporalClient;
    const { rows, readTo } = await newestIndexed(temporal, 'ours', filter, 3);
    const ids = rows.sort((a, b) => b.startedAt.localeCompare(a.startedAt)).map(({ runId }) => runId);
    return { read, queries, ids: ids.slice(0, 3), readTo };
  }
  const newestThree = [idOf(999), idOf(998), idOf(997)];
  const endedLastFirst = Array.from({ length: 1000 }, (_, index) => info(999 - index));

  it('is read until the newest runs are known', async () => {
    const { read, queries, ids } = await readOf(endedLastFirst);
    expect([ids, read < 10]).toEqual([newestThree, true]);
    expect(queries.every((query) => query.includes("TaskQueue = 'ours'"))).toBe(true);
  });

  it('is read past long runs, and to its end if sorted otherwise', async () => {
    const long = Array.from({ length: 50 }, (_, index) => info(index, 5000));
    const behindLong = await readOf([
      ...long.sort((a, b) => +b.closeTime! - +a.closeTime!),
      ...endedLastFirst,
    ]);
    expect([behindLong.ids, behindLong.read < 60]).toEqual([newestThree, true]);
    const { read, ids } = await readOf([...endedLastFirst].reverse());
    expect([ids, read]).toEqual([newestThree, 1000]);
  });

  it('is read to a limit for one page, and continued from there', async () => {
    const many = Array.from({ length: 6000 }, (_, index) => info(5999 - index));
    const { read, ids, readTo } = await readOf(many, { startedBy: 'nobody' });
    expect([ids, read]).toEqual([[], 5001]);
    // What is left had ended by then.
    expect(readTo).toBe(first + 1000 * minute + 1);
    // Whoever continues there gets further, though as many have ended since.
    const next = await readOf(many, { startedBy: 'nobody', before: readTo });
    expect([next.read, next.readTo]).toEqual([5002, first + 999 * minute + 1]);
  });

  it('is asked for a kind, pipeline, route, status and time', async () => {
    const { queries: ofKind } = await readOf([], { kind: 'sync', pipeline: 'city', from: first });
    expect(ofKind[0]).toContain("PortolanKind = 'sync'");
    expect(ofKind[0]).toContain("(PortolanRoute = 'city' OR PortolanRoute STARTS_WITH 'city.')");
    expect(ofKind[0]).toContain("StartTime >= '2026-01-01T00:00:00.000Z'");
    const { queries } = await readOf([], { route: "o'brien", status: 'failed', before: first });
    expect(queries).toHaveLength(1);
    expect(queries[0]).toContain("PortolanRoute = 'o''brien'");
    expect(queries[0]).toContain("PortolanOutcome IN ('failed'");
    expect(queries[0]).toContain("StartTime < '2026-01-01T00:00:00.000Z'");
  });
});
