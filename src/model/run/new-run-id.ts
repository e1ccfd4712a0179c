import { createHash, randomInt } from 'node:crypto';

/** Letters and digits that are not mistaken for each other when read aloud or typed. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Length of the random end of a run id; also the shortest form that people type. */
const suffixLength = 4;

const timeStamp = (at: Date): string => at.toISOString().replace(/[-:]|\.\d+/g, '');

/** A new run id, such as `sync-transport-20261121T030000Z-k7q2`. It is the Temporal workflow id as well. */
export function newRunId(kind: string, route: string, at = new Date()): string {
  const suffix = Array.from({ length: suffixLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${kind}-${route}-${timeStamp(at)}-${suffix}`;
}

/**
 * The run id that belongs to a request id: the same for the same kind, route and request id, so that a
 * repeated request meets the run that the first one started, on whichever machine it is typed.
 */
export function requestedRunId(kind: string, route: string, requestId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, route, requestId]))
    .digest();
  const suffix = Array.from(digest.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
  return `${kind}-${route}-request-${suffix}`;
}
