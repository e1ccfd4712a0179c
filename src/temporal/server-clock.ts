import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { tsToMs } from '@temporalio/common/lib/time';
import type { TemporalClient } from './connection';

const WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;
/** Below that two clocks are taken for one. @format milliseconds */
const SAME_MS = 5_000;
/** @format milliseconds */
const ASKED_EVERY_MS = 5 * 60_000;

/** Nobody works on it: whoever asks there is noted by the server, with the time. */
const clockQueueOf = (taskQueue: string): string => `${taskQueue}-clock`;

/**
 * By how much Temporal's clock is ahead of this machine's, to some milliseconds; 0 where they tell the same to five
 * seconds, undefined where the server does not tell. No call of Temporal's tells the time; so this asks for work on a
 * queue that has none, and reads when the server saw that.
 * @format milliseconds
 */
export async function clockOffset(
  { connection, namespace }: TemporalClient,
  taskQueue: string,
): Promise<number | undefined> {
  const identity = `clock-${randomBytes(6).toString('hex')}`;
  const queue = { namespace, taskQueue: { name: clockQueueOf(taskQueue) } };
  const asking = new AbortController();
  const before = Date.now();
  const deadline = before + WITHIN_MS;
  const asked = connection
    .withAbortSignal(asking.signal, () =>
      connection.withDeadline(deadline, () =>
        connection.workflowService.pollWorkflowTaskQueue({ ...queue, identity }),
      ),
    )
    .catch(() => undefined);
  try {
    for (; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
      const { pollers } = await connection.workflowService.describeTaskQueue({ ...queue, taskQueueType: 1 });
      const seen = pollers?.find((poller) => poller.identity === identity)?.lastAccessTime;
      if (!seen) continue;
      const offset = tsToMs(seen) - (before + Date.now()) / 2;
      return Math.abs(offset) < SAME_MS ? 0 : offset;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    asking.abort();
    await asked;
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
   * Asks for it now, and from then on every few minutes, since a machine's clock may be set while a program runs.
   * @param offset as `clockOffset` gives it; where it gives none, what was known stays
   * @returns ends that
   */
  async keepUp(offset: () => Promise<number | undefined>): Promise<() => void> {
    const ask = async (): Promise<void> => {
      this.offsetMs = (await offset().catch(() => undefined)) ?? this.offsetMs;
    };
    await ask();
    const timer = setInterval(() => void ask(), ASKED_EVERY_MS).unref();
    return () => clearInterval(timer);
  }
}
