import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { ActivityInterceptor } from '../../src/activities/heartbeat';

const quiet = new DefaultLogger('ERROR');

/** One activity over its attempts, as Temporal makes them: each finds what the one before it said last. */
export class Attempts<T> {
  /** Details of the last heartbeat. */
  said: unknown;
  #count = 0;

  constructor(private readonly activity: () => Promise<T>) {}

  /**
   * Makes the next attempt; what it threw, or its result.
   * @param waitedMs how long it was due before a worker took it
   */
  async next(waitedMs = 0): Promise<ApplicationFailure | T> {
    this.#count += 1;
    const environment = new MockActivityEnvironment(
      {
        attempt: this.#count,
        heartbeatDetails: this.said,
        currentAttemptScheduledTimestampMs: Date.now() - waitedMs,
      },
      { interceptors: [(context) => ({ inbound: new ActivityInterceptor(context) })], logger: quiet },
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
