import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TemporalClient } from '../../../src/temporal/connection';
import { useClock, serverTime } from '../../../src/activities/attempt/clock';
import { clockOffset, ServerClock } from '../../../src/temporal/server-clock';
import { pollersOf } from '../../../src/temporal/task-queue';
import { Rehearsal } from '../../support/rehearsal';
import { connectToTestServer } from '../../support/temporal';
import { until } from '../../support/until';

const HOUR_MS = 3_600_000;
/** What a call may take on a busy machine. @format milliseconds */
const NEARLY_MS = 10_000;

describe("Temporal's time", () => {
  let temporal: TemporalClient;
  const taskQueue = `clock-${randomBytes(4).toString('hex')}`;
  beforeAll(async () => {
    temporal = await connectToTestServer();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => temporal?.connection.close());

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
    const clock = new ServerClock();
    const leave = await clock.keepUp(() => clockOffset(temporal, taskQueue));
    leave();
    expect(Math.abs(clock.now() - real)).toBeLessThan(NEARLY_MS);
  });

  it('stays as it was known where the server does not tell it', async () => {
    machineAhead(HOUR_MS);
    const clock = new ServerClock();
    (await clock.keepUp(() => Promise.reject(new Error('away'))))();
    expect(clock.now() - Date.now()).toBe(0);
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

describe("a worker's clock", () => {
  it('is the one of the worker before it, until it has started', async () => {
    const at = await Rehearsal.open({ worker: false });
    try {
      useClock(() => 1);
      await expect(at.startWorker(at.folder)).rejects.toThrow();
      expect(serverTime()).toBe(1);
      await at.startWorker();
      expect(serverTime()).toBeGreaterThan(1);
    } finally {
      await at.close();
    }
  });
});
