import { oneLine } from '../../../model/text/plain-text';
import { bytesText } from '../../../model/text/bytes-text';
import { countOf, durationWords } from '../../terminal/words';
import type { PendingActivity } from '../run-view';

/** One line that says how far an activity is: `1.2 GB of 1.9 GB, 63 %`, `job "processing"`. */
export function progressWords(pending: PendingActivity): string {
  const details = isRecord(pending.details) ? pending.details : {};
  const parts = [...transferWords(details), ...jobWords(details), ...failureWords(pending, details)];
  return parts.join('  ');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function transferWords({ bytes, total, parts }: Record<string, unknown>): string[] {
  if (typeof bytes !== 'number') return [];
  const whole =
    typeof total === 'number' && total > 0 ? ` of ${bytesText(total)}, ${percent(bytes, total)} %` : '';
  const sent = typeof parts === 'number' ? [countOf(parts, 'part')] : [];
  return [`${bytesText(bytes)}${whole}`, ...sent];
}

const percent = (bytes: number, total: number): number => Math.floor((100 * bytes) / total);

function jobWords({ lastStatus, consecutiveErrors }: Record<string, unknown>): string[] {
  const status = typeof lastStatus === 'string' ? [`job "${oneLine(lastStatus)}"`] : [];
  const errors =
    typeof consecutiveErrors === 'number' && consecutiveErrors > 0
      ? [`${countOf(consecutiveErrors, 'failed look')} at it in a row`]
      : [];
  return [...status, ...errors];
}

/** A poll ends every attempt with "not yet"; only what is no poll has a failure worth showing. */
function failureWords(pending: PendingActivity, details: Record<string, unknown>): string[] {
  if (pending.attempt < 2 || pending.lastFailure === undefined || 'polls' in details) return [];
  const wait =
    pending.nextAttemptAt === undefined
      ? ''
      : `, again in ${durationWords(pending.nextAttemptAt - Date.now())}`;
  return [`attempt ${pending.attempt}${wait}: ${oneLine(pending.lastFailure)}`];
}
