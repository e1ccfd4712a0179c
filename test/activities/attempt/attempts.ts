import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { LONGEST_PAUSE_MS } from '../../../src/model/errors/budgets';
import { HeartbeatInterceptor } from '../../../src/activities/attempt/heartbeat';
import { clientOfOurs } from './client-of-ours';

const quiet = new DefaultLogger('ERROR');

/** One activity over its attempts, as Temporal makes them: each finds what the one before it said last. */
export class Attempts<T> {
  /** Details of the last heartbeat. */
  said: unknown;
  #count = 0;

  constructor(
    private readonly activity: () => Promise<T>,
    /** What the test has `Date.now` say; only for `after`. */
    private readonly clock = { now: 0 },
    private readonly client = clientOfOurs,
  ) {}

  /** Makes attempts all the time; what the one after so many milliseconds threw, or its result. */
  async after(ms: number): Promise<ApplicationFailure | T> {
    const until = this.clock.now + ms;
    while (until - this.clock.now > LONGEST_PAUSE_MS) {
      this.clock.now += LONGEST_PAUSE_MS;
      await this.next();
    }
    this.clock.now = until;
    return await this.next();
  }

  /**
   * Makes the next attempt; what it threw, or its result.
   * @param dueAt since when it has waited for a worker. @format milliseconds since the epoch
   */
  async next(dueAt = Date.now()): Promise<ApplicationFailure | T> {
    this.#count += 1;
    const environment = new MockActivityEnvironment(
      {
        attempt: this.#count,
        heartbeatDetails: this.said,
        currentAttemptScheduledTimestampMs: dueAt,
      },
      {
        interceptors: [(context) => ({ inbound: new HeartbeatInterceptor(context) })],
        logger: quiet,
        client: this.client,
      },
    );
    environment.on('heartbeat', (details: unknown) => {
      this.said = details === undefined ? undefined : JSON.parse(JSON.stringify(details));
    });
    try {
      return await environment.run(this.activity);
    } catch (thrown) {
      return thrown as ApplicationFailure;
    }
  }
}
