import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TemporalClient } from '../../../src/temporal/connection';
import { clockOffset, serverTime, watchServer } from '../../../src/temporal/server-clock';
import { pollersOf } from '../../../src/temporal/task-queue';
import { connectToTestServer } from '../../support/temporal';
import { until } from '../../support/until';

const HOUR_MS = 3_600_000;
/** Longer than any call on a busy machine. */
const NEARLY_MS = 10_000;

describe('time of Temporal', () => {
  let temporal: TemporalClient;
  const taskQueue = `clock-${randomBytes(4).toString('hex')}`;
  const ended = new AbortController();
  beforeAll(async () => {
    temporal = await connectToTestServer();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    ended.abort();
    await temporal?.connection.close();
  });

  const machineAhead = (ms: number) => {
    const real = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => real() + ms);
  };

  it('is known to a machine whose clock is wrong, even once the server is away', async () => {
    expect(await clockOffset(temporal, taskQueue)).toBe(0);
    const real = Date.now();
    machineAhead(HOUR_MS);
    await watchServer(connectToTestServer, taskQueue, ended.signal);
    expect(Math.abs(serverTime() - real)).toBeLessThan(NEARLY_MS);
    await watchServer(() => Promise.reject(new Error('away')), taskQueue, ended.signal);
    expect(Math.abs(serverTime() - real)).toBeLessThan(NEARLY_MS);
  });

  it('shows workers to a machine whose clock is an hour ahead', async () => {
    const asking = new AbortController();
    const identity = `another@${os.hostname()}`;
    const { connection, namespace } = temporal;
    const polling = connection
      .withAbortSignal(asking.signal, () =>
        connection.withDeadline(Date.now() + HOUR_MS, () =>
          connection.workflowService.pollWorkflowTaskQueue({
            namespace,
            taskQueue: { name: taskQueue },
            identity,
          }),
        ),
      )
      .catch(() => undefined);
    try {
      await until('the worker to be seen', async () => (await pollersOf(temporal, taskQueue)).length > 0);
      machineAhead(HOUR_MS);
      expect((await pollersOf(temporal, taskQueue)).map((poller) => poller.identity)).toEqual([identity]);
    } finally {
      asking.abort();
      await polling;
    }
  });
});
