import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TemporalClient } from '../../../src/temporal/connection';
import { clockOffset, serverTime, watchServer } from '../../../src/temporal/server-clock';
import { pollersOf } from '../../../src/temporal/task-queue';
import { connectToTestServer } from '../../support/temporal';
import { until } from '../../support/until';

const HOUR_MS = 3_600_000;
/** What a call may take on a busy machine. @format milliseconds */
const NEARLY_MS = 10_000;

describe("Temporal's time", () => {
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

  /** This machine's clock, set wrong. */
  const machineAhead = (ms: number): void => {
    const real = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => real() + ms);
  };

  it('is that of the machine where both tell the same', async () => {
    expect(await clockOffset(temporal, taskQueue)).toBe(0);
  });

  it('is known to whose clock is an hour ahead of it', async () => {
    const real = Date.now();
    machineAhead(HOUR_MS);
    await watchServer(connectToTestServer, taskQueue, ended.signal);
    expect(Math.abs(serverTime() - real)).toBeLessThan(NEARLY_MS);
  });

  it('stays as it was known if the server does not respond', async () => {
    const offset = serverTime() - Date.now();
    machineAhead(HOUR_MS);
    await watchServer(() => Promise.reject(new Error('away')), taskQueue, ended.signal);
    expect(Math.abs(serverTime() - Date.now() - offset)).toBeLessThan(NEARLY_MS);
  });

  it('has workers found by whose clock is an hour ahead of it', async () => {
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
