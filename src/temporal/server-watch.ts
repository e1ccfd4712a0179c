import { isRefusedAccess, type TemporalClient } from './connection';
import { clockOffset, Moment } from './server-clock';

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
