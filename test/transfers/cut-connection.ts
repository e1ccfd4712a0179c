import type { FaultRule } from '../../src/simulator/faults';
import type { RequestLogEntry } from '../../src/simulator/request-log';

const MiB = 1024 ** 2;

/** The answer with an item's file is cut after so many bytes, once for each number. */
export const cutDownloads = (
  bytes: readonly number[],
  operation: 'item.data' | 'storage.data' = 'item.data',
): FaultRule[] =>
  bytes.map((cut, index) => ({ match: { operation }, nth: index + 1, do: { cut: Math.floor(cut) } }));

/** How the sending of one part breaks: in its middle, or once the portal has it and before it says so. */
const breaks: readonly Pick<FaultRule, 'when' | 'do'>[] = [
  { when: 'before', do: { cutRequest: 16 * MiB } },
  { when: 'after', do: 'reset' },
];

/** These parts of an upload break, counted as they are sent, in either way by turns. */
export const cutParts = (...nths: number[]): FaultRule[] =>
  nths.map((nth, index) => ({
    match: { operation: 'item.addPart' },
    nth,
    ...breaks[index % breaks.length]!,
  }));

/** The connection breaks as an upload in parts is to end: before the portal hears of it, or after it has begun to join them. */
export const cutCommit = (...whens: ('before' | 'after')[]): FaultRule[] =>
  whens.map((when, index) => ({ match: { operation: 'item.commit' }, nth: index + 1, when, do: 'reset' }));

/** Parts that a listing named as there, and that were sent again all the same. */
export function partsSentAgain(requests: readonly RequestLogEntry[]): string[] {
  const [taken, listed] = [new Set<string>(), new Set<string>()];
  const again: string[] = [];
  for (const { operation, params, path, bytes } of requests) {
    const [item = ''] = /[0-9a-f]{32}/.exec(path) ?? [];
    if (operation === 'item.parts') for (const part of taken) if (part.startsWith(item)) listed.add(part);
    if (operation !== 'item.addPart') continue;
    const part = `${item} ${params['partNum']}`;
    if (listed.has(part)) again.push(part);
    // One that was cut in its middle has no bytes: nothing of it is there.
    if (bytes > 0) taken.add(part);
  }
  return again;
}

/** Faults of these operations that were played. */
export const played = (requests: readonly RequestLogEntry[], ...operations: string[]): number =>
  requests.filter(({ operation, fault }) => fault !== undefined && operations.includes(operation)).length;
