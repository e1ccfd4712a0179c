import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { msToTs } from '@temporalio/common/lib/time';
import type { TemporalClient } from '../../src/temporal/connection';
import { clockOffset, ServerClock } from '../../src/temporal/server-clock';

const HOUR_MS = 3_600_000;

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

interface Asked {
  readonly identity: string;
}

/** A server that is asked for work, and then who asked. */
function serverOf(
  poll: (asked: Asked) => Promise<unknown>,
  describeQueue: () => Promise<unknown>,
): TemporalClient {
  const connection = {
    withAbortSignal: (signal: AbortSignal, work: () => Promise<unknown>) =>
      Promise.race([
        work(),
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('left')))),
      ]),
    withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
    workflowService: { pollWorkflowTaskQueue: poll, describeTaskQueue: describeQueue },
  };
  return { connection, namespace: 'default' } as unknown as TemporalClient;
}

const never = (): Promise<never> => new Promise(() => {});

describe('what a server tells of its time', () => {
  it('is nothing where the clock of this machine was set while it was asked', async () => {
    const real = Date.now;
    let identity = '';
    const server = serverOf(
      (asked) => {
        ({ identity } = asked);
        return never();
      },
      async () => {
        const pollers = [{ identity, lastAccessTime: msToTs(real()) }];
        jest.spyOn(Date, 'now').mockImplementation(() => real() + HOUR_MS);
        return await Promise.resolve({ pollers });
      },
    );
    expect(await clockOffset(server, 'queue')).toBeUndefined();
  });

  it('is nothing, and asked for no longer, where this account may not ask for work', async () => {
    let looks = 0;
    const server = serverOf(
      () => Promise.reject(new Error('PERMISSION_DENIED')),
      async () => {
        looks += 1;
        return await Promise.resolve({ pollers: [] });
      },
    );
    expect(await clockOffset(server, 'queue')).toBeUndefined();
    expect(looks).toBeLessThan(3);
  });
});

describe('a clock that goes by that of a server', () => {
  it('asks again within seconds once the clock of its machine was set, and else every few minutes', async () => {
    jest.useFakeTimers();
    let offset = HOUR_MS;
    let asked = 0;
    const clock = new ServerClock();
    const leave = await clock.keepUp(() => {
      asked += 1;
      return Promise.resolve(offset);
    });
    await jest.advanceTimersByTimeAsync(4 * 60_000);
    expect([asked, clock.now() - Date.now()]).toEqual([1, HOUR_MS]);
    jest.setSystemTime(Date.now() + HOUR_MS);
    offset = 0;
    await jest.advanceTimersByTimeAsync(5_000);
    expect([asked, clock.now() - Date.now()]).toEqual([2, 0]);
    await jest.advanceTimersByTimeAsync(5 * 60_000);
    expect(asked).toBe(3);
    leave();
    await jest.advanceTimersByTimeAsync(10 * 60_000);
    expect(asked).toBe(3);
  });
});
