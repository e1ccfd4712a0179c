import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { msToTs } from '@temporalio/common/lib/time';
import type { TemporalClient } from '../../src/temporal/connection';
import { clockOffset, serverTime, watchServer } from '../../src/temporal/server-clock';

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
    close: () => Promise.resolve(),
  };
  return { connection, namespace: 'default' } as unknown as TemporalClient;
}

const never = (): Promise<never> => new Promise(() => {});

describe('the clock of a server', () => {
  it('is unknown if the clock of this machine changed meanwhile', async () => {
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

  it('is unknown to an account that may not poll', async () => {
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

describe("a worker's watch of the server", () => {
  /** A server whose clock is ahead of this machine's; counts how often it was asked. */
  class Ahead {
    asked = 0;
    ms = HOUR_MS;
    readonly connect = (): Promise<TemporalClient> => {
      this.asked += 1;
      let identity = '';
      const server = serverOf(
        (given) => {
          ({ identity } = given);
          return never();
        },
        () => Promise.resolve({ pollers: [{ identity, lastAccessTime: msToTs(Date.now() + this.ms) }] }),
      );
      return Promise.resolve(server);
    };
  }
  const ended: AbortController[] = [];
  const watch = async (server: Ahead): Promise<AbortController> => {
    const end = new AbortController();
    ended.push(end);
    await watchServer(server.connect, 'queue', end.signal);
    return end;
  };
  const offset = (): number => serverTime() - Date.now();
  afterEach(() => {
    for (const end of ended.splice(0)) end.abort();
  });

  it('asks each minute, and within seconds after its clock changed', async () => {
    jest.useFakeTimers();
    const server = new Ahead();
    const end = await watch(server);
    await jest.advanceTimersByTimeAsync(55_000);
    expect([server.asked, offset()]).toEqual([1, HOUR_MS]);
    jest.setSystemTime(Date.now() + HOUR_MS);
    server.ms = 0;
    await jest.advanceTimersByTimeAsync(5_000);
    expect([server.asked, offset()]).toEqual([2, 0]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(server.asked).toBe(3);
    end.abort();
    await jest.advanceTimersByTimeAsync(10 * 60_000);
    expect(server.asked).toBe(3);
  });

  it('continues after another worker of the process has ended', async () => {
    jest.useFakeTimers();
    const server = new Ahead();
    await watch(server);
    (await watch(new Ahead())).abort();
    server.ms = 2 * HOUR_MS;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(offset()).toBe(2 * HOUR_MS);
  });
});
