import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { tsToMs } from '@temporalio/common/lib/time';
import { isRefusedAccess, type TemporalClient } from './connection';

const WITHIN_MS = 10_000;
/** First pause between two polls. Each later one doubles, up to the longest. @format milliseconds */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** Clocks closer than this count as equal. @format milliseconds */
const SAME_MS = 5_000;

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
  const queue = { namespace, taskQueue: { name: `${taskQueue}-clock` } };
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
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
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
class Moment {
  readonly at = Date.now();
  /** @format milliseconds */
  readonly elapsed = performance.now();

  /** Whether the local clock was set in between, or stood still. */
  wasSetSince(before: Moment): boolean {
    return Math.abs(this.at - before.at - (this.elapsed - before.elapsed)) >= SAME_MS / 2;
  }
}

/** @format milliseconds */
const ASK_EVERY_MS = 60_000;
/** How often to check whether the local clock was set. @format milliseconds */
const LOOK_EVERY_MS = 5_000;
/** A single refusal may be temporary. */
const REFUSALS_MAX = 3;

/** Offset of Temporal's clock, as this process read it last. */
let offsetMs = 0;

/**
 * Temporal's time. Times compared between machines, such as soak times, use it, because local clocks differ.
 * @returns milliseconds since 1970; the local time until Temporal's is known
 */
export const serverTime = (): number => Date.now() + offsetMs;

/**
 * Asks Temporal for its time, and whether it still accepts this worker: the SDK retries forever without a message after
 * a key or certificate expires. Asks now, every minute, and after the local clock was set.
 * @returns `refused` rejects once Temporal has refused access several times in a row
 */
export async function watchServer(
  connect: () => Promise<TemporalClient>,
  taskQueue: string,
  ended: AbortSignal,
  everyMs = ASK_EVERY_MS,
): Promise<{ readonly refused: Promise<never> }> {
  let asked = new Moment();
  let refusals = 0;
  let refuse: (refusal: unknown) => void = () => undefined;
  const refused = new Promise<never>((_resolve, reject) => (refuse = reject));
  refused.catch(() => undefined);
  const ask = async (): Promise<void> => {
    asked = new Moment();
    try {
      const temporal = await connect();
      const read = await clockOffset(temporal, taskQueue).finally(() => temporal.connection.close());
      offsetMs = read ?? offsetMs;
      refusals = 0;
    } catch (thrown) {
      refusals = isRefusedAccess(thrown) ? refusals + 1 : 0;
      if (refusals >= REFUSALS_MAX) refuse(thrown);
    }
  };
  const look = (): void => {
    const now = new Moment();
    if (now.elapsed - asked.elapsed >= everyMs || now.wasSetSince(asked)) void ask();
  };
  await ask();
  const timer = setInterval(look, Math.min(everyMs, LOOK_EVERY_MS)).unref();
  ended.addEventListener('abort', () => clearInterval(timer));
  return { refused };
}
