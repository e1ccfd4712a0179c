import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, describe, expect, it } from '@jest/globals';
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
import { clock } from './held-clock';
import { testControl } from '../../support/control';

const MINUTE = 60_000;

const down = () =>
  new PortolanError('UNAVAILABLE', 'staging answered item.read: HTTP 503', { portal: 'staging' });

const triedAgain = { type: 'UNAVAILABLE', nonRetryable: false };

describe('a failing call', () => {
  it('is retried for half an hour, and its error says how long', async () => {
    const call = new Attempts(() => Promise.reject(down()), clock);
    expect(await call.next()).toMatchObject(triedAgain);
    expect(await call.after(READS_FAIL_MS)).toMatchObject(triedAgain);
    expect(await call.after(1)).toMatchObject({
      type: 'UNAVAILABLE',
      nonRetryable: true,
      message: 'staging answered item.read: HTTP 503; retried for 30 minutes',
      details: [{ code: 'UNAVAILABLE', portal: 'staging', triedForMs: READS_FAIL_MS + 1 }],
    });
  });

  it('is retried for half an hour again after progress', async () => {
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

  it('is reported as the last error, unless its worker was stopped [P07]', async () => {
    const environment = new MockActivityEnvironment({ attempt: 6 }, { logger: new DefaultLogger('ERROR') });
    const giveUp = (thrown: Error) => environment.run(() => Promise.resolve(lastError(thrown)));
    const denied = new PortolanError('PERMISSION_DENIED', 'production refuses');
    const stopped = new PortolanError('ABORTED', 'the call was aborted');
    expect(await giveUp(denied)).toBe(denied);
    await expect(giveUp(stopped)).rejects.toBe(stopped);
    environment.cancel();
    await expect(giveUp(new Error('whatever a library calls it'))).rejects.toThrow('a library');
  });

  it('makes no progress when each attempt starts over', async () => {
    const listing = new Attempts(() => {
      progress({ listed: 100 });
      progress({ listed: 200 });
      return Promise.reject(down());
    }, clock);
    await listing.next();
    expect(await listing.after(READS_FAIL_MS + 1)).toMatchObject({ nonRetryable: true });
  });

  it('made progress also in an attempt whose worker was killed', async () => {
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

  it('does not fail while the portal answers that it is not ready', async () => {
    let ready = true;
    const ends = () => (ready ? down() : notYet('not ready', 1_000));
    const call = new Attempts(() => Promise.reject(ends()), clock);
    await call.next();
    await call.after(READS_FAIL_MS);
    ready = false;
    expect(await call.next()).toMatchObject({ type: 'NOT_YET' });
    ready = true;
    expect(await call.after(MINUTE)).toMatchObject(triedAgain);
    expect(await call.after(READS_FAIL_MS + 1)).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: true });
  });

  it('finds only the progress of its last attempt that made any', async () => {
    const found: unknown[] = [];
    const call = new Attempts(() => {
      found.push(lastProgress());
      if (found.length > 1) progress({ next: found.length });
      return Promise.reject(down());
    }, clock);
    for (let attempts = 0; attempts < 4; attempts++) await call.next();
    expect(found).toEqual([{}, {}, { next: 2 }, { next: 3 }]);
  });
});

describe('a result in history', () => {
  it('ends the run when it is larger than history takes [P17]', async () => {
    const told = new Attempts(() => Promise.resolve({ version: 'v'.repeat(1_600_000) }), clock);
    expect(await told.next()).toMatchObject({
      type: 'ANSWER_TOO_LARGE',
      nonRetryable: true,
      message: expect.stringMatching(/^portals sent 1600014 bytes to .* \(limit 1500000\)$/),
    });
  });

  it('has only the beginning of a long error message', async () => {
    const words = new PortolanError('SERVER_ERROR', 'w'.repeat(1_000_000));
    const { message } = (await new Attempts(() => Promise.reject(words), clock).next()) as Error;
    expect(message.length).toBeLessThan(5_000);
  });
});

describe('a pause requested by a portal', () => {
  it.each([
    ['is kept', 7_000, 7_000],
    ['is the usual one when it has no length, which Temporal takes for the end', 0, undefined],
  ])('%s', (_title, retryAfterMs, nextRetryDelay) => {
    expect(toFailure(down().with({ retryAfterMs }))).toMatchObject({ nextRetryDelay, nonRetryable: false });
  });

  it('has a length while something is waited for', () => {
    expect(notYet('not ready', 0).nextRetryDelay).toBe(1);
  });
});

describe('a transfer', () => {
  it('fails for good when no byte came for ten minutes', async () => {
    const transfer = new Attempts(
      () =>
        TransferWatch.over('download from staging', 'staging', async (watch) => {
          watch.bytes(7);
          throw down();
        }),
      clock,
    );
    expect(await transfer.next()).toMatchObject(triedAgain);
    expect(await transfer.after(TRANSFER_STALLS_MS)).toMatchObject(triedAgain);
    expect(await transfer.after(1)).toMatchObject({
      type: 'TRANSFER_STALLED',
      nonRetryable: true,
      message:
        'download from staging: no new data for 10 minutes, 7 bytes so far; last error: staging answered item.read: HTTP 503',
    });
  });

  /** Attempts that each break off after a minute of so many bytes a second. */
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
  const attempts = async (transfer: Attempts<unknown>, many: number) => {
    const ends: unknown[] = [];
    for (let count = 0; count < many; count += 1) ends.push(await transfer.next());
    return ends;
  };

  it('fails for good after ten minutes of a trickle, in any number of attempts [P17]', async () => {
    const transfer = trickle(1);
    for (const end of await attempts(transfer, 9)) expect(end).toMatchObject(triedAgain);
    expect(await transfer.next()).toMatchObject({
      type: 'TRANSFER_STALLED',
      nonRetryable: true,
      message: 'download from staging: 600 bytes in 10 minutes, 600 so far; slower than 1024 bytes a second',
    });
  });

  it('continues for hours over a slow connection', async () => {
    for (const end of await attempts(trickle(1_025), 120)) expect(end).toMatchObject(triedAgain);
  });

  it('counts no time in which the portal was away as slow', async () => {
    const transfer = trickle(1_500);
    for (let outages = 0; outages < 5; outages += 1) {
      for (const end of await attempts(transfer, 7)) expect(end).toMatchObject(triedAgain);
      clock.now += TRANSFER_STALLS_MS - MINUTE;
    }
  });

  it.each([
    ['starts over each time', () => Promise.resolve('')],
    ['hashes its file first', () => hashOf({ size: 9, open: () => Readable.from([Buffer.alloc(9)]) })],
  ])('fails for good as too slow when it %s [P17]', async (_title, first) => {
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

  it('fails for good without a response for half an hour', async () => {
    reply = words('', 503);
    const poll = await polls();
    expect(await poll.next()).toMatchObject({ type: 'NOT_YET' });
    expect(await poll.after(POLLS_FAIL_MS)).toMatchObject({ type: 'NOT_YET' });
    expect(await poll.after(1)).toMatchObject({ type: 'UNAVAILABLE', nonRetryable: true });
  });

  it('never pauses past the deadline of its job', async () => {
    reply = words('', 503, { 'retry-after': '86400' });
    const poll = await polls();
    clock.now = job.deadlineAt - 7_000;
    expect(await poll.next()).toMatchObject({ type: 'NOT_YET', nextRetryDelay: 7_001 });
  });

  it('has half an hour again once it is answered', async () => {
    reply = words('', 503);
    const poll = await polls();
    await poll.next();
    await poll.after(POLLS_FAIL_MS);
    reply = json({ id: 'j', status: 'processing' });
    await poll.next();
    reply = words('', 503);
    expect(await poll.after(MINUTE)).toMatchObject({ type: 'NOT_YET' });
  });

  const failingTransfer = async () =>
    new Attempts<unknown>(
      () => TransferWatch.over('download', 'staging', () => Promise.reject(down())),
      clock,
    );
  const failingCall = async () => new Attempts<unknown>(() => Promise.reject(down()), clock);
  it.each([
    ['a call', READS_FAIL_MS, failingCall],
    ['a transfer', TRANSFER_STALLS_MS, failingTransfer],
    ['a poll', POLLS_FAIL_MS, polls],
  ])('counts no time without a worker against %s', async (_what, failMs, begin) => {
    reply = words('', 503);
    const attempts = await begin();
    await attempts.next();
    const dueAt = clock.now;
    clock.now += 2 * failMs;
    expect(await attempts.next(dueAt)).toMatchObject({ nonRetryable: false });
    expect(await attempts.after(failMs + 1)).toMatchObject({ nonRetryable: true });
  });
});
