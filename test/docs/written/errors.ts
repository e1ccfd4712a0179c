import ms from 'ms';
import { exitStatuses } from '../../../src/cli/terminal/exit-meanings';
import {
  CALLS_END_MS,
  EXPORT_ROUNDS_MAX,
  FIRST_PAUSE_MS,
  JOB_UNKNOWN_MS,
  LONGEST_PAUSE_MS,
  PACKAGE_READABLE_MS,
  POLLS_FAIL_MS,
  READS_FAIL_MS,
  RETRY_AFTER_MAX_MS,
  SETTLE_MS,
  TRANSFER_LEAST_RATE,
  TRANSFER_STALLS_MS,
} from '../../../src/model/errors/budgets';
import {
  type ErrorMeaning,
  type ErrorCode,
  errorTable,
  meaningOf,
} from '../../../src/model/errors/error-codes';
import { REDIRECTS_MAX, REFUSAL_REMEMBERED_MS, timeoutsFor } from '../../../src/portal/http/limits';
import { table, writtenBy } from './table';

export const errorsPage = (): string => `# Errors

${writtenBy('the code')}

## Codes

Portolan retries transient errors, up to the limits below. _checked_: retried after checking what the write did.

${table(['Code', 'Exit', 'Retried', 'What to do'], codeRows())}

## Exit statuses

\`portolan status\` adds meanings to 2, 3 and 4: see [commands](commands.md).

${table(['Status', 'Meaning'], exitStatusRows())}

## Retry limits

${table(['What', 'Limit', 'Then'], limitRows())}

Time without a running worker does not count, except toward the 7 days.
`;

const codeRows = () =>
  (Object.keys(errorTable) as ErrorCode[]).map((code) => {
    const { exit, hint } = meaningOf(code);
    return [`\`${code}\``, String(exit), whetherRetried(meaningOf(code)), hint];
  });

function whetherRetried({ kind, begun }: Pick<ErrorMeaning, 'kind' | 'begun'>): string {
  if (kind === 'permanent') return 'no';
  return begun === 'no' ? 'yes' : 'checked';
}

const exitStatusRows = () => exitStatuses.map(({ status, meaning }) => [String(status), meaning]);

const time = (milliseconds: number) => ms(milliseconds, { long: true });

function limitRows() {
  const line = timeoutsFor();
  return [
    [
      'Reads, and checks after a write',
      `${time(READS_FAIL_MS)} of failures without progress`,
      'the last error',
    ],
    ['The first response to a write', 'one attempt', 'a check of its result'],
    [
      'An export whose response was lost',
      `${time(SETTLE_MS)} without a package; sent at most ${EXPORT_ROUNDS_MAX} times`,
      '`EXPORT_UNDECIDED`',
    ],
    [
      'An import whose response was lost',
      `${time(SETTLE_MS)} without a change on the target; never sent again`,
      '`IMPORT_UNDECIDED`',
    ],
    ['A transfer', `${time(TRANSFER_STALLS_MS)} without a new byte`, '`TRANSFER_STALLED`'],
    [
      'A transfer, and a safeguard copy',
      `under ${TRANSFER_LEAST_RATE} bytes a second over ${time(TRANSFER_STALLS_MS)}, while the portal responds`,
      '`TRANSFER_STALLED`',
    ],
    [
      'Failed polls of a job',
      `${time(POLLS_FAIL_MS)} in a row`,
      'the last error; the job may still be running',
    ],
    ['A job', "the route's `jobDeadline`", '`JOB_DEADLINE`, with its last status'],
    ['A job the portal does not know', `${time(JOB_UNKNOWN_MS)} after its start`, '`JOB_LOST`'],
    ['An unreadable uploaded package', time(PACKAGE_READABLE_MS), '`ITEM_NOT_FOUND`'],
    [
      'The pause before a retry',
      `${time(FIRST_PAUSE_MS)}, doubling up to ${time(LONGEST_PAUSE_MS)}; \`Retry-After\` takes precedence, up to ${time(RETRY_AFTER_MAX_MS)}`,
      '',
    ],
    ['Any activity, with all retries; a poll after its deadline', time(CALLS_END_MS), '`TIMEOUT`'],
    ['Connecting to a portal', time(line.connect), '`CONNECTION_REFUSED`'],
    [
      'The start of a response',
      `${time(line.headers)}, or the portal's \`timeout\`; five times that after an upload`,
      '`TIMEOUT`',
    ],
    ['A pause within a response', time(line.body), '`TIMEOUT`'],
    ['A JSON call, including sign-in', time(line.call), '`TIMEOUT`'],
    ['A refused password', `not retried for ${time(REFUSAL_REMEMBERED_MS)}`, ''],
    ['Redirects', `${REDIRECTS_MAX} in a row`, '`REDIRECT_LOOP`'],
  ];
}
