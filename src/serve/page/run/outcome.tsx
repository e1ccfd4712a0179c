import type { RunRecord } from '../../../model/run/run';
import { countOf, durationWords } from '../../../model/text/words';
import { ledgerLists, type LedgerList, listName } from '../../../model/transfer/ledger-lists';
import type { Finding, Remark } from '../../../model/transfer/verification';
import { entriesOf, lengthOf } from '../../../service/run/run-view';
import { Part, Table } from '../parts/table';
import { Lines, ShortId, Words } from '../parts/words';

/** Lists whose entries are shown one by one. For what went well the count is enough. */
const named: readonly LedgerList[] = ['blocked', 'skipped', 'failed', 'notImported', 'unaccounted'];

/** The result of each requested item. */
export const Ledger = ({ items }: { readonly items: NonNullable<RunRecord['items']> }) => {
  const some = ledgerLists.filter((list) => lengthOf(items[list]) > 0);
  const total = ledgerLists.reduce((sum, list) => sum + lengthOf(items[list]), 0);
  const entries = named.flatMap((list) => entriesOf(items[list]).map((entry) => ({ list, ...entry })));
  return (
    <Part id="ledger" title={`Results: ${countOf(total, 'item')} requested`}>
      <p class="figures">
        {some.map((list) => (
          <span class={`figure ${list}`}>
            <b>{lengthOf(items[list])}</b> {listName(list)}
          </span>
        ))}
      </p>
      {entries.length > 0 && (
        <Table name="Items not imported" head={['Result', 'Title', 'Type', 'Reason', 'Item ID']}>
          <tbody>
            {entries.map(({ list, title, type, reason, itemId }) => (
              <tr>
                <td>{listName(list)}</td>
                <td>
                  <Words text={title ?? ''} most={120} />
                </td>
                <td>
                  <Words text={type ?? ''} most={60} />
                </td>
                <td>
                  <Words text={reason ?? ''} most={300} />
                </td>
                <td>
                  <ShortId id={itemId} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
};

/** The verification: what was checked, what is wrong, and what could not be checked. */
export const Verification = ({
  verification,
}: {
  readonly verification: NonNullable<RunRecord['verification']>;
}) => {
  const { checked, references, features, findings, notChecked, external } = verification;
  return (
    <Part id="verification" title="Verification">
      <p>
        {countOf(checked, 'item')}, {countOf(references, 'reference')}, {countOf(features, 'feature')}:{' '}
        <strong class={lengthOf(findings) > 0 ? 'bad' : 'good'}>
          {countOf(lengthOf(findings), 'finding')}
        </strong>
      </p>
      <FindingList findings={entriesOf(findings)} />
      <Remarks
        title={`${lengthOf(notChecked)} could not be checked`}
        count={lengthOf(notChecked)}
        remarks={entriesOf(notChecked)}
      />
      <Remarks
        title={`${countOf(lengthOf(external), 'reference')} to items on neither portal`}
        count={lengthOf(external)}
        remarks={entriesOf(external)}
      />
    </Part>
  );
};

const FindingList = ({ findings }: { readonly findings: readonly Finding[] }) =>
  findings.length === 0 ? null : (
    <ul class="reasons">
      {findings.map(({ itemId, title, kind, path, value, hint }) => (
        <li>
          <strong>{kind}</strong> <Words text={title ?? itemId} />{' '}
          {path !== undefined && <Words text={path} />} {value !== undefined && <Words text={value} />}{' '}
          <Words text={hint} most={300} />
        </li>
      ))}
    </ul>
  );

const Remarks = ({
  title,
  count,
  remarks,
}: {
  readonly title: string;
  readonly count: number;
  readonly remarks: readonly Remark[];
}) =>
  count === 0 ? null : (
    <details>
      <summary>{title}</summary>
      <ul>
        {remarks.map(({ itemId, path, value, reason }) => (
          <li>
            <ShortId id={itemId} /> {path !== undefined && <Words text={path} />}{' '}
            {value !== undefined && <Words text={value} />}: <Words text={reason} most={300} />
          </li>
        ))}
      </ul>
    </details>
  );

/** The checks of a stage, with the output of those that failed. */
export const Checks = ({ checks }: { readonly checks: NonNullable<RunRecord['checks']> }) => (
  <Part id="checks" title="Checks">
    <ul class="reasons">
      {checks.map(({ name, status, problem, tries, tookMs, output }) => (
        <li>
          <strong class={status === 'passed' ? 'good' : 'bad'}>{status}</strong> <Words text={name} />{' '}
          {problem !== undefined && <Words text={problem} most={300} />}{' '}
          <span class="fine">
            {durationWords(tookMs)}
            {tries > 1 && `, ${tries} attempts`}
          </span>
          {status === 'failed' &&
            Object.entries(output).map(([stream, text]) => (
              <details>
                <summary>{stream}</summary>
                <Lines text={text} most={5_000} />
              </details>
            ))}
        </li>
      ))}
    </ul>
  </Part>
);
