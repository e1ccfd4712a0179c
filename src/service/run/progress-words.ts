import type { PendingActivity } from '../../contract/runs';
import { oneLine } from '../../model/text/plain-text';
import { bytesText, countOf, durationWords } from '../../model/text/words';

/** The progress of an activity in one line: `1.2 GB of 1.9 GB, 63 %, 84 MB/s, 8.5s left`, `job "processing"`. */
export function progressWords(pending: PendingActivity, now = Date.now()): string {
  const details = isRecord(pending.details) ? pending.details : {};
  const parts = [
    ...transferWords(details, pending, now),
    ...jobWords(details),
    ...failureWords(pending, details),
  ];
  return parts.join(', ');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function transferWords(
  { bytes, total, parts }: Record<string, unknown>,
  { scheduledAt, attempt }: PendingActivity,
  now: number,
): string[] {
  if (typeof bytes !== 'number') return [];
  const whole =
    typeof total === 'number' && total > 0 ? ` of ${bytesText(total)}, ${percent(bytes, total)} %` : '';
  const sent = typeof parts === 'number' ? [countOf(parts, 'part')] : [];
  // The time spent by earlier attempts is not known here, so no rate is shown.
  const seconds = scheduledAt === undefined || attempt > 1 ? 0 : (now - scheduledAt) / 1_000;
  const rate = seconds >= 1 && bytes > 0 ? bytes / seconds : undefined;
  const left = rate !== undefined && typeof total === 'number' && total > bytes ? (total - bytes) / rate : 0;
  const speed = rate === undefined ? '' : `, ${bytesText(Math.round(rate))}/s`;
  return [
    `${bytesText(bytes)}${whole}${speed}${left > 0 ? `, ${durationWords(left * 1_000)} left` : ''}`,
    ...sent,
  ];
}

const percent = (bytes: number, total: number): number => Math.floor((100 * bytes) / total);

function jobWords({ lastStatus, consecutiveErrors }: Record<string, unknown>): string[] {
  const status = typeof lastStatus === 'string' ? [`job "${oneLine(lastStatus)}"`] : [];
  const errors =
    typeof consecutiveErrors === 'number' && consecutiveErrors > 0
      ? [`${countOf(consecutiveErrors, 'failed poll')} in a row`]
      : [];
  return [...status, ...errors];
}

/** Every poll ends with "not yet", so only failures of other activities are shown. */
function failureWords(pending: PendingActivity, details: Record<string, unknown>): string[] {
  if (pending.attempt < 2 || pending.lastFailure === undefined || 'consecutiveErrors' in details) return [];
  const wait =
    pending.nextAttemptAt === undefined
      ? ''
      : `, retry in ${durationWords(pending.nextAttemptAt - Date.now())}`;
  return [`attempt ${pending.attempt}${wait}: ${oneLine(pending.lastFailure)}`];
}

/** The progress of the running phase, from all its activities. */
export const runningProgress = (pending: readonly PendingActivity[]): string =>
  pending
    .map((each) => progressWords(each))
    .filter((words) => words !== '')
    .join('; ');
