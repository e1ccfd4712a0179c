import type { CheckResult } from '../../model/release/promotion';
import type { RunRecord } from '../../model/run/run';
import {
  bad,
  type Block,
  faint,
  good,
  listed,
  type Sheet,
  strong,
  tableOf,
  type Value,
} from '../../model/text/sheet';
import { countOf, countWords, durationWords } from '../../model/text/words';
import { type LedgerList, ledgerLists, listName } from '../../model/transfer/ledger-lists';
import type { Finding, Remark } from '../../model/transfer/verification';
import { entriesOf, lengthOf } from './run-view';

/** Lists whose items are named. For what went well the count is enough. */
const named: readonly LedgerList[] = ['blocked', 'skipped', 'failed', 'notImported', 'unaccounted'];
const failures: readonly LedgerList[] = ['blocked', 'failed', 'notImported', 'unaccounted'];

/** The result of each requested item. */
export function ledgerSheet(items: RunRecord['items']): Sheet {
  if (items === undefined) return [];
  const total = ledgerLists.reduce((sum, list) => sum + lengthOf(items[list]), 0);
  const counts = ledgerLists.map((list) => {
    const count = lengthOf(items[list]);
    const words = `${countWords(count)} ${listName(list)}`;
    return count > 0 && (list === 'imported' ? good(words) : failures.includes(list) ? bad(words) : words);
  });
  return [
    { title: strong(`Results: ${countOf(total, 'item')} requested`), lines: [listed(...counts)] },
    tableOf(
      named.flatMap((list) => entriesOf(items[list]).map((entry) => ({ list, ...entry }))),
      [
        ['Result', ({ list }) => listName(list)],
        ['Title', ({ title }) => title],
        ['Type', ({ type }) => type],
        ['Item ID', itemId],
        ['Reason', ({ reason }) => reason],
      ],
    ),
  ];
}

const itemId = (row: { readonly itemId: string }): Value => ({ id: row.itemId });

/** What was verified on the target, the findings, and what could not be checked. */
export function verificationSheet(verification: RunRecord['verification']): Sheet {
  if (verification === undefined) return [];
  const { checked, references, features, notChecked, external } = verification;
  const findings = lengthOf(verification.findings);
  return [
    {
      title: strong('Verification'),
      lines: [
        [
          `${countOf(checked, 'item')}, ${countOf(references, 'reference')}, ${countOf(features, 'feature')}: `,
          ...listed(
            (findings > 0 ? bad : good)(countOf(findings, 'finding')),
            lengthOf(notChecked) > 0 && `${lengthOf(notChecked)} not checked`,
            lengthOf(external) > 0 &&
              `${countOf(lengthOf(external), 'reference')} to items on neither portal`,
          ),
        ],
      ],
    },
    findingTable(entriesOf(verification.findings)),
    remarkTable('Not checked', entriesOf(notChecked)),
    remarkTable('References to items on neither portal', entriesOf(external)),
  ];
}

const findingTable = (findings: readonly Finding[]): Block =>
  tableOf<Finding>(findings, [
    ['Finding', ({ kind }) => kind],
    ['Title', ({ title }) => title],
    ['Item ID', itemId],
    ['Place', ({ path }) => path],
    ['Value', ({ value }) => value],
    ...(findings.some(({ foundBy }) => foundBy !== undefined)
      ? [['Found by', ({ foundBy }: Finding): Value => foundBy && { run: foundBy }] as const]
      : []),
    ['Fix', ({ hint }) => hint],
  ]);

const remarkTable = (title: string, remarks: readonly Remark[]): Block =>
  tableOf(
    remarks,
    [
      ['Item ID', itemId],
      ['Place', ({ path }) => path],
      ['Value', ({ value }) => value],
      ['Reason', ({ reason }) => reason],
    ],
    { title },
  );

/** The checks of a stage, then the output of those that failed. @param most of the last lines of each output */
export const checkSheet = (checks: readonly CheckResult[] = [], most = Infinity): Sheet => [
  tableOf(
    checks,
    [
      ['Check', ({ name }) => name],
      ['Result', ({ status }) => (status === 'passed' ? good : bad)(status)],
      [
        'Took',
        ({ tookMs, tries }) => listed(durationWords(tookMs), tries > 1 && countOf(tries, 'try', 'tries')),
      ],
      ['Problem', ({ problem }) => problem],
    ],
    { title: strong('Checks') },
  ),
  ...checks
    .filter(({ status }) => status !== 'passed')
    .flatMap(({ name, output }) =>
      Object.entries(output).map(([stream, text]): Block => ({
        title: `${name}: ${stream}`,
        lines: text
          .split('\n')
          .slice(-most)
          .map((line) => faint(['| ', line])),
      })),
    ),
];
