import type { Part } from '../../portal/resources/items/upload';

/** Parts under way at a time: enough to fill a line, few enough for two cores and the portal. */
const PARTS_AT_A_TIME = 4;

/**
 * Sends parts several at a time. All senders have ended when it throws: a part still under way would race with
 * those of the next attempt.
 */
export async function sendParts(
  parts: readonly Part[],
  signal: AbortSignal,
  send: (part: Part) => Promise<void>,
): Promise<void> {
  const queue = [...parts];
  let failed = false;
  const sender = async (): Promise<void> => {
    for (let part = queue.shift(); part && !failed; part = queue.shift()) {
      signal.throwIfAborted();
      try {
        await send(part);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: PARTS_AT_A_TIME }, sender));
  const rejected = ends.find((end) => end.status === 'rejected');
  if (rejected) throw rejected.reason;
}
