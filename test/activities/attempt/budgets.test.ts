import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { notYet, toFailure } from '../../../src/activities/attempt/failure';
import { lastError, lastProgress, progress } from '../../../src/activities/attempt/heartbeat';
import { pollJob, type PollJob } from '../../../src/activities/transfer/jobs';
import { hashOf } from '../../../src/activities/transfer/packages';
import { TransferWatch } from '../../../src/activities/attempt/transfer-watch';
import { POLLS_FAIL_MS, READS_FAIL_MS, TRANSFER_STALLS_MS } from '../../../src/model/errors/budgets';
import { PortolanError } from '../../../src/model/errors/errors';
import { LocalStore } from '../../../src/store/local/local-store';
import { json, RawPortal, words } from '../../portal/raw-portal';
import { Attempts } from './attempts';
import { testControl } from '../../support/control';

const MINUTE = 60_000;

const clock = { now: 0 };
beforeEach(() => {
  clock.now = Date.UTC(2026, 10, 21);
  jest.spyOn(Date, 'now').mockImplementation(() => clock.now);
});
afterEach(() => void jest.restoreAllMocks());

const down = () =>
  new PortolanError('UNAVAILABLE', 'staging answered item.read: HTTP 503', { portal: 'staging' });

describe('a call that fails again and again', () => {
  it('is tried for half an hour, then no more, and says what it was and for how long', async () => {
    const call = new Attempts(() => Promise.reject(down()), clock);
    expect(await call.next()).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
    expect(await call.after(READS_FAIL_MS)).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
    expect(await call.after(1)).toMatchObject({
      type: 'UNAVAILABLE',
      nonRetryable: true,
      message: 'staging answered item.read: HTTP 503; retried for 30 minutes',
      details: [{ code: 'UNAVAILABLE', portal: 'staging', triedForMs: READS_FAIL_MS + 1 }],
    });
  });

  it('has half an hour again whenever it got further', async () => {
    let next = 0;
    const sweep = new Attempts(() => {
      progress({ next });
      return Promise.reject(down());
    }, clock);
    for (; next < 3; next += 1) {
      expect(await sweep.after(1)).toMatchObject({ nonRetryable: false });
      expect(await sweep.after(READS_FAIL_MS)).toMatchObject({ nonRetryable: false });
    }
    next -= 1;
    expect(await sweep.after(1)).toMatchObject({ nonRetryable: true });
  });

  it('of many calls is left alone, unless it was stopped with its worker: that says nothing about it [P07]', async () => {
    const environment = new MockActivityEnvironment({ attempt: 6 }, { logger: new DefaultLogger('ERROR') });
    const giveUp = (thrown: Error) => environment.run(() => Promise.resolve(lastError(thrown)));
    const denied = new PortolanError('PERMISSION_DENIED', 'production refuses');
    const stopped = new PortolanError('ABORTED', 'the call was aborted');
    expect(await giveUp(denied)).toBe(denied);
    await expect(giveUp(stopped)).rejects.toBe(stopped);
    environment.cancel();
    await expect(giveUp(new Error('whatever a library calls it'))).rejects.toThrow('a library');
  });

  it('that starts over with each attempt is no further for it', async () => {
    const listing = new Attempts(() => {
      progress({ listed: 100 });
      progress({ listed: 200 });
      return Promise.reject(down());
    }, clock);
    await listing.next();
    expect(await listing.after(READS_FAIL_MS + 1)).toMatchObject({ nonRetryable: true });
  });

  it('got further also in an attempt whose worker was killed', async () => {
    let dies = false;
    let next = 0;
    const sweep = new Attempts(async () => {
      progress({ next });
      if (dies) return 'killed after its last heartbeat';
      throw down();
    }, clock);
    await sweep.next();
    await sweep.after(READS_FAIL_MS);
    [dies, next] = [true, 40];
    await sweep.next();
    dies = false;
    expect(await sweep.after(1)).toMatchObject({ nonRetryable: false });
    expect(await sweep.after(READS_FAIL_MS + 1)).toMatchObject({ nonRetryable: true });
  });

  it('is not blamed for the time in which no worker was up', async () => {
    const call = new Attempts(() => Promise.reject(down()), clock);
    await call.next();
    const dueAt = clock.now;
    clock.now += 10 * READS_FAIL_MS;
    expect(await call.next(dueAt)).toMatchObject({ nonRetryable: false });
    expect(await call.after(READS_FAIL_MS + 1)).toMatchObject({ nonRetryable: true });
  });

  it('is no failure where the portal answers that it is not ready', async () => {
    let ready = true;
    const ends = () => (ready ? down() : notYet('not ready', 1_000));
    const call = new Attempts(() => Promise.reject(ends()), clock);
    await call.next();
    await call.after(READS_FAIL_MS);
    ready = false;
    expect(await call.next()).toMatchObject({ type: 'NOT_YET' });
    ready = true;
    expect(await call.after(MINUTE)).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
    expect(await call.after(READS_FAIL_MS + 1)).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: true });
  });

  it('finds the progress that it noted itself, and nothing else', async () => {
    const found: unknown[] = [];
    const call = new Attempts(() => {
      found.push(lastProgress());
      if (found.length > 1) progress({ next: found.length });
      return Promise.reject(down());
    }, clock);
    for (let attempts = 0; attempts < 4; attempts++) await call.next();
    expect(found).toEqual([undefined, undefined, { next: 2 }, { next: 3 }]);
  });
});

describe('what an activity tells history', () => {
  it('ends the run by a code where portals made it longer than history takes [P17]', async () => {
    const told = new Attempts(() => Promise.resolve({ version: 'v'.repeat(1_600_000) }), clock);
    expect(await told.next()).toMatchObject({
      type: 'ANSWER_TOO_LARGE',
      nonRetryable: true,
      message: expect.stringMatching(/^portals sent 1600014 bytes to .* \(limit 1500000\)$/),
    });
  });

  it('is the beginning of the words of an error', async () => {
    const words = new PortolanError('SERVER_ERROR', 'w'.repeat(1_000_000));
    const { message } = (await new Attempts(() => Promise.reject(words), clock).next()) as Error;
    expect(message.length).toBeLessThan(5_000);
  });
});

describe('a pause that a portal asks for', () => {
  it.each([
    ['is kept', 7_000, 7_000],
    ['of no time at all is the usual pause, since Temporal takes none for the end', 0, undefined],
  ])('%s', (_title, retryAfterMs, nextRetryDelay) => {
    expect(toFailure(down().with({ retryAfterMs }))).toMatchObject({ nextRetryDelay, nonRetryable: false });
  });

  it('is never none while something is waited for', () => {
    expect(notYet('not ready', 0).nextRetryDelay).toBe(1);
  });
});

describe('a transfer', () => {
  it('ends for good when no byte came for ten minutes, however often it is tried', async () => {
    const transfer = new Attempts(
      () =>
        TransferWatch.over('download from staging', 'staging', async (watch) => {
          watch.bytes(7);
          throw down();
        }),
      clock,
    );
    expect(await transfer.next()).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
    expect(await transfer.after(TRANSFER_STALLS_MS)).toMatchObject({
      type: 'UNAVAILABLE',
      nonRetryable: false,
    });
    expect(await transfer.after(1)).toMatchObject({
      type: 'TRANSFER_STALLED',
      nonRetryable: true,
      message:
        'download from staging: no new data for 10 minutes, 7 bytes so far; last error: staging answered item.read: HTTP 503',
    });
  });

  /** Attempts of a minute each, with so many bytes in each second, that break off one after the other. */
  const trickle = (bytesASecond: number) => {
    let total = 0;
    return new Attempts(
      () =>
        TransferWatch.over('download from staging', 'staging', async (watch) => {
          watch.bytes(total);
          for (let seconds = 0; seconds < 60; seconds += 1) {
            clock.now += 1_000;
            watch.bytes((total += bytesASecond));
          }
          throw down();
        }),
      clock,
    );
  };
  const attempts = async (transfer: Attempts<unknown>, many: number): Promise<unknown[]> => {
    const ends: unknown[] = [];
    for (let count = 0; count < many; count += 1) ends.push(await transfer.next());
    return ends;
  };

  it('that trickles ends for good after ten minutes of it, in however many attempts [P17]', async () => {
    const transfer = trickle(1);
    for (const end of await attempts(transfer, 9))
      expect(end).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
    expect(await transfer.next()).toMatchObject({
      type: 'TRANSFER_STALLED',
      nonRetryable: true,
      message: 'download from staging: 600 bytes in 10 minutes, 600 so far; slower than 1024 bytes a second',
    });
  });

  it('over a slow line goes on for hours', async () => {
    for (const end of await attempts(trickle(1_025), 120))
      expect(end).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
  });

  it('over a slow line is not blamed for the minutes in which the portal was away', async () => {
    const transfer = trickle(1_500);
    for (let outages = 0; outages < 5; outages += 1) {
      for (const end of await attempts(transfer, 7))
        expect(end).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: false });
      clock.now += TRANSFER_STALLS_MS - MINUTE;
    }
  });

  it.each([
    ['begins anew each time', () => Promise.resolve('')],
    ['hashes its file first', () => hashOf({ size: 9, open: () => Readable.from([Buffer.alloc(9)]) })],
  ])('that %s is as slow as it is [P17]', async (_title, first) => {
    const anew = new Attempts(async () => {
      await first();
      return await TransferWatch.over('download from staging', 'staging', async (watch) => {
        for (let bytes = 1; bytes <= 60; bytes += 1) {
          clock.now += 1_000;
          watch.bytes(bytes);
        }
        throw down();
      });
    }, clock);
    expect((await attempts(anew, 10)).at(-1)).toMatchObject({ type: 'TRANSFER_STALLED', nonRetryable: true });
  });

  it('is not blamed for the time in which no worker was up', async () => {
    const transfer = new Attempts(
      () => TransferWatch.over('download', 'staging', () => Promise.reject(down())),
      clock,
    );
    await transfer.next();
    const dueAt = clock.now;
    clock.now += 2 * TRANSFER_STALLS_MS;
    expect(await transfer.next(dueAt)).toMatchObject({ type: 'UNAVAILABLE' });
    expect(await transfer.after(TRANSFER_STALLS_MS + 1)).toMatchObject({
      type: 'TRANSFER_STALLED',
      nonRetryable: true,
    });
  });
});

describe('a poll', () => {
  const job: PollJob = {
    runId: 'r',
    portal: 'staging',
    portalId: 'p',
    name: 'import',
    packageIndex: 0,
    maker: { name: 'staging' },
    jobId: 'j',
    startedAt: Date.UTC(2026, 10, 21),
    deadlineAt: Date.UTC(2026, 10, 22),
  };
  let portal: RawPortal;
  let reply = words('', 503);
  const polls = async () => {
    portal = await RawPortal.start({ 'portals/p/jobs/j': (seen, response) => reply(seen, response) });
    const client = portal.client();
    const deps = {
      portals: { open: () => client, urlOf: () => undefined, isScratch: () => false },
      store: new LocalStore('/nowhere'),
      openControl: async () => testControl,
    };
    return new Attempts(() => pollJob(deps, job), clock);
  };
  afterEach(() => portal.stop());

  it('ends for good when the portal has answered none for half an hour', async () => {
    reply = words('', 503);
    const poll = await polls();
    expect(await poll.next()).toMatchObject({ type: 'NOT_YET' });
    expect(await poll.after(POLLS_FAIL_MS)).toMatchObject({ type: 'NOT_YET' });
    expect(await poll.after(1)).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: true });
  });

  it('never waits past the deadline of its job for a portal that asks it to', async () => {
    reply = words('', 503, { 'retry-after': '86400' });
    const poll = await polls();
    clock.now = job.deadlineAt - 7_000;
    expect(await poll.next()).toMatchObject({ type: 'NOT_YET', nextRetryDelay: 7_001 });
  });

  it('is not blamed for the time in which no worker was up', async () => {
    reply = words('', 503);
    const poll = await polls();
    await poll.next();
    const dueAt = clock.now;
    clock.now += 2 * POLLS_FAIL_MS;
    expect(await poll.next(dueAt)).toMatchObject({ type: 'NOT_YET' });
    expect(await poll.after(POLLS_FAIL_MS + 1)).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: true });
  });

  it('that is answered once has half an hour again', async () => {
    reply = words('', 503);
    const poll = await polls();
    await poll.next();
    await poll.after(POLLS_FAIL_MS);
    reply = json({ id: 'j', status: 'processing' });
    await poll.next();
    reply = words('', 503);
    expect(await poll.after(MINUTE)).toMatchObject({ type: 'NOT_YET' });
  });
});
