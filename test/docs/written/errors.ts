import ms from 'ms';
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
import type { OddAnswer } from '../../portal/odd-answers/odd-answer';
import { oddAnswers } from '../../portal/odd-answers/odd-answers';
import { placeOf } from '../../portal/odd-answers/places';
import { table, writtenBy } from './table';

export const errorsPage = (): string => `# Errors

${writtenBy('the tables of the code')}

A failed run names a code of the first table: what it means, whether it was tried again, and what to do. The second says for how long what fails is tried; the third, what Portolan makes of each answer that a portal, a proxy or a network gives now and then.

## Codes

_transient_ goes away by itself, _permanent_ needs a person, _unknown_ may be either. Where the work of a write may have begun, it is never simply sent again: Portolan first looks at what became of it.

${table(['Code', 'Kind', 'Can the work have begun?', 'Tried again?', 'Exit status', 'What to do'], codeRows())}

## Budgets

${table(['What', 'How long, or how often', 'Then'], budgetRows())}

The time in which no worker was up counts neither as failing nor as standing still.

## Answers

Each row is played on a real socket to the call that meets it, by \`test/portal/http/error-table.test.ts\`. _Ends_: it is not tried again, and the run ends or parks. _Looks first_: the next attempt does. What to do stands here where more is known than the code says.

${oddAnswers.map(({ title, answers }) => `### ${title}\n\n${answerTable(answers)}`).join('\n\n')}
`;

const codeRows = (): string[][] =>
  (Object.keys(errorTable) as ErrorCode[]).map((code) => {
    const { kind, begun, exit, hint } = meaningOf(code);
    return [`\`${code}\``, kind, begun, again(meaningOf(code)), String(exit), hint];
  });

function again({ kind, begun }: Pick<ErrorMeaning, 'kind' | 'begun'>): string {
  if (kind === 'permanent') return 'no';
  return begun === 'no' ? 'yes' : 'yes; a write after a look';
}

const time = (milliseconds: number): string => ms(milliseconds, { long: true });

function budgetRows(): string[][] {
  const line = timeoutsFor();
  return [
    [
      'Calls that read, and looks at what a write has done',
      `${time(READS_FAIL_MS)} of failures in a row, without any progress`,
      'the run ends, or parks, with the last error',
    ],
    ['The first answer of a write', 'one attempt', 'Portolan looks at what became of it'],
    [
      'An export whose answer was lost',
      `no package comes for ${time(SETTLE_MS)}; posted ${EXPORT_ROUNDS_MAX} times at the most`,
      '`EXPORT_UNDECIDED`',
    ],
    [
      'An import whose answer was lost',
      `nothing stirs on the target for ${time(SETTLE_MS)}; never posted again`,
      '`IMPORT_UNDECIDED`',
    ],
    ['A transfer', `${time(TRANSFER_STALLS_MS)} without a new byte`, '`TRANSFER_STALLED`'],
    [
      'A transfer, and a copy for a safeguard',
      `under ${TRANSFER_LEAST_RATE} bytes a second, on average over ${time(TRANSFER_STALLS_MS)}; while a portal is away it is not slow`,
      '`TRANSFER_STALLED`',
    ],
    ['Polls of a job that fail', `${time(POLLS_FAIL_MS)} in a row`, 'the last error; the job may go on'],
    ['A job', "the route's `jobDeadline`", '`JOB_DEADLINE`, with its last word'],
    ['A job that the portal does not know', `${time(JOB_UNKNOWN_MS)} after its start`, '`JOB_LOST`'],
    ['An uploaded package that cannot be read', time(PACKAGE_READABLE_MS), '`ITEM_NOT_FOUND`'],
    [
      'The pause before the next attempt',
      `${time(FIRST_PAUSE_MS)}, then twice as long each time up to ${time(LONGEST_PAUSE_MS)}; what \`Retry-After\` says comes first, up to ${time(RETRY_AFTER_MAX_MS)}`,
      '',
    ],
    ['Any call, all attempts together; a poll beyond its deadline', time(CALLS_END_MS), '`TIMEOUT`'],
    ['A line to a portal', `stands within ${time(line.connect)}`, '`CONNECTION_REFUSED`'],
    [
      'An answer',
      `begins within ${time(line.headers)}, or the \`timeout\` of the portal; after an upload five times that`,
      '`TIMEOUT`',
    ],
    ['Between two pieces of an answer', time(line.body), '`TIMEOUT`'],
    ['A JSON call, signing in included', time(line.call), '`TIMEOUT`'],
    ['A password that was refused', `not tried again for ${time(REFUSAL_REMEMBERED_MS)}`, ''],
    ['Redirects in a row', `${REDIRECTS_MAX} are followed`, '`REDIRECT_LOOP`'],
  ];
}

const answerTable = (answers: readonly OddAnswer[]): string =>
  table(
    ['What came', 'To', 'Code', 'First', 'A read then', 'A write then', 'Exit status', 'What to do'],
    answers.map((answer) => {
      const met = answer.on.map(placeOf);
      const reads = met.some(({ writes }) => !writes);
      const writes = met.some((place) => place.writes);
      return [
        answer.came,
        met.map(({ title }) => title).join(', '),
        `\`${answer.code}\``,
        answer.first ?? '',
        reads ? next(answer, 'read') : '',
        writes ? next(answer, 'write') : '',
        String(answer.means.exit),
        answer.hint ?? '',
      ];
    }),
  );

function next({ means, pauseMs }: OddAnswer, call: 'read' | 'write'): string {
  if (means.kind === 'permanent') return 'ends';
  const pause = pauseMs === undefined ? '' : ` after ${time(pauseMs)}`;
  return call === 'write' && means.begun === 'maybe' ? `looks first${pause}` : `tried again${pause}`;
}
