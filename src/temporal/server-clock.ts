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

/** A task queue without work: the server records when someone polls it. */
const clockQueueOf = (taskQueue: string): string => `${taskQueue}-clock`;

/**
 * Offset of Temporal's clock to this machine's, as precise as the request; 0 if they agree within five seconds;
 * undefined if the server does not report it within ten, or the local clock was set meanwhile. No Temporal API
 * returns the time, so this polls an empty task queue and reads the poller's last access time.
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
      // A poller without access never appears.
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

/** Current wall-clock and monotonic time. */
export class Moment {
  readonly at = Date.now();
  /** @format milliseconds */
  readonly elapsed = performance.now();

  /** Whether the local clock was set in between, or stood still. */
  wasSetSince(before: Moment): boolean {
    return Math.abs(this.at - before.at - (this.elapsed - before.elapsed)) >= SAME_MS / 2;
  }
}
