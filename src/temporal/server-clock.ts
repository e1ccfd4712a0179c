import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { tsToMs } from '@temporalio/common/lib/time';
import type { TemporalClient } from './connection';

const WITHIN_MS = 10_000;
/** The first pause between two looks; each later one is twice as long, up to the longest. @format milliseconds */
const LOOK_AFTER_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** Below that two clocks are taken for one. @format milliseconds */
const SAME_MS = 5_000;
/** @format milliseconds */
const ASKED_EVERY_MS = 5 * 60_000;
/** So often it is looked whether the machine's clock was set. @format milliseconds */
const LOOKED_EVERY_MS = 5_000;

/** Nobody works on it: whoever asks there is noted by the server, with the time. */
const clockQueueOf = (taskQueue: string): string => `${taskQueue}-clock`;

/**
 * By how much Temporal's clock is ahead of this machine's, to as much as it took to ask; 0 where they tell the same to
 * five seconds, undefined where the server does not tell within ten, or this machine's clock was set meanwhile. No call of
 * Temporal's tells the time; so this asks for work on a queue that has none, and reads when the server saw that.
 * @format milliseconds
 */
export async function clockOffset(
  { connection, namespace }: TemporalClient,
  taskQueue: string,
): Promise<number | undefined> {
  const identity = `clock-${randomBytes(6).toString('hex')}`;
  const queue = { namespace, taskQueue: { name: clockQueueOf(taskQueue) } };
  const asking = new AbortController();
  const before = new Moment();
  const deadline = before.at + WITHIN_MS;
  let isOver = false;
  const over = (): void => void (isOver = true);
  const asked = connection
    .withAbortSignal(asking.signal, () =>
      connection.withDeadline(deadline, () =>
        connection.workflowService.pollWorkflowTaskQueue({ ...queue, identity }),
      ),
    )
    .then(over, over);
  try {
    for (let pauseMs = LOOK_AFTER_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      // Whoever may not ask for work is not seen, however often one looks.
      const isLast = isOver;
      const { pollers } = await connection.withDeadline(deadline, () =>
        connection.workflowService.describeTaskQueue({ ...queue, taskQueueType: 1 }),
      );
      const seen = pollers?.find((poller) => poller.identity === identity)?.lastAccessTime;
      const now = new Moment();
      if (now.elapsed - before.elapsed > WITHIN_MS || now.wasSetSince(before)) return undefined;
      if (seen) {
        const offset = Math.round(tsToMs(seen) - (before.at + now.at) / 2);
        return Math.abs(offset) < SAME_MS ? 0 : offset;
      }
      if (isLast) return undefined;
      await sleep(pauseMs);
    }
  } catch {
    return undefined;
  } finally {
    asking.abort();
    await asked;
  }
}

/** Now, by the machine's clock and by one that nobody sets. */
class Moment {
  readonly at = Date.now();
  /** @format milliseconds */
  readonly elapsed = performance.now();

  /** Whether the machine's clock was set in between, or stood still. */
  wasSetSince(before: Moment): boolean {
    return Math.abs(this.at - before.at - (this.elapsed - before.elapsed)) >= SAME_MS / 2;
  }
}

/**
 * Temporal's clock, as far as this process knows it. What machines compare with each other, such as how long a release
 * has stood, goes by this one, however far their own are apart.
 */
export class ServerClock {
  private offsetMs = 0;

  /** @returns milliseconds since 1970; by the machine's own clock until Temporal's was asked for */
  readonly now = (): number => Date.now() + this.offsetMs;

  /**
   * Asks for it now, from then on every few minutes, and whenever the machine's clock was set.
   * @param offset as `clockOffset` gives it; where it gives none, what was known stays
   * @returns ends that
   */
  async keepUp(offset: () => Promise<number | undefined>): Promise<() => void> {
    let asked = new Moment();
    let isAsking = false;
    const ask = async (): Promise<void> => {
      if (isAsking) return;
      isAsking = true;
      asked = new Moment();
      this.offsetMs = (await offset().catch(() => undefined)) ?? this.offsetMs;
      isAsking = false;
    };
    const look = (): void => {
      const now = new Moment();
      if (now.elapsed - asked.elapsed >= ASKED_EVERY_MS || now.wasSetSince(asked)) void ask();
    };
    await ask();
    const timer = setInterval(look, LOOKED_EVERY_MS).unref();
    return () => clearInterval(timer);
  }
}
