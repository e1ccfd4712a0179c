import { afterEach, expect, it, jest } from '@jest/globals';
import { TypedSearchAttributes } from '@temporalio/common';
import { memoKey, searchAttributeNames } from '../../../src/model/run/run-id';
import type { ReadContext } from '../../../src/service/run/run-sources';
import { readLastSuccesses } from '../../../src/service/metrics/last-successes';
import { AStore } from '../snapshot/a-store';

const HOUR_MS = 3_600_000;

afterEach(() => {
  jest.restoreAllMocks();
});

/** A server with runs of one route that ended then, by its own clock. */
function sourcesWith(ends: number[]) {
  const queries: string[] = [];
  const list = async function* ({ query }: { query: string }): AsyncGenerator<object> {
    queries.push(query);
    const [, since] = /CloseTime > '([^']+)'/.exec(query) ?? [];
    if (!since && !query.includes(`${searchAttributeNames.kind} = 'sync'`)) return;
    for (const at of ends.toReversed()) {
      if (since && at <= Date.parse(since)) continue;
      yield await Promise.resolve({
        workflowId: `sync-transport-${at}`,
        status: { name: 'COMPLETED' },
        memo: { [memoKey]: { route: { name: 'transport' }, startedBy: 'ann@north' } },
        typedSearchAttributes: new TypedSearchAttributes(),
        startTime: new Date(at),
        closeTime: new Date(at),
      });
    }
  };
  const sources = {
    store: new AStore().store,
    config: {
      temporal: { taskQueue: 'portolan' },
      routes: new Map([['transport', { name: 'transport', source: { group: 'a' }, target: { group: 'b' } }]]),
    },
    temporal: { client: { workflow: { list } } },
  } as unknown as Required<ReadContext>;
  return { sources, queries };
}

it("shows a route's last success although its clock is an hour ahead of Temporal's", async () => {
  const temporals = Date.now();
  const ends = [temporals - 2 * HOUR_MS];
  const { sources, queries } = sourcesWith(ends);
  jest.spyOn(Date, 'now').mockReturnValue(temporals + HOUR_MS);
  const before = await readLastSuccesses(sources);
  expect(before.map(({ at }) => at)).toEqual(ends);
  ends.push(temporals);
  const after = await readLastSuccesses(sources, before);
  expect(after.map(({ at }) => at)).toEqual([temporals]);
  // What was looked at once is not asked for again, but for what comes to the index late.
  await readLastSuccesses(sources, after);
  expect(queries.at(-1)).toContain(new Date(temporals - 5 * 60_000).toISOString());
});
