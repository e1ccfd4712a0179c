import { addressOfRun } from '../../../config/page-address';
import type { PlanPage } from '../../../contract/runs';
import { boundFields } from '../../../domain/change/plan-change';
import type { RunRecord } from '../../../model/run/run';
import { countOf, countWords } from '../../../model/text/words';
import type { Change } from '../../../model/transfer/change';
import { isChanging, type PlanAction, planActions, type PlanRow } from '../../../model/transfer/plan';
import { changingCount, comparedWords } from '../../../model/transfer/plan-summary';
import { ChangeDetails } from '../../../service/run/change-page';
import { notCompared } from '../../../service/run/change-sheet';
import { mappedTable } from '../../../service/run/changes-sheet';
import { planColumns } from '../../../service/run/plan-sheet';
import { PlanFigures } from '../parts/run-marks';
import { FoldedBlock, Shown } from '../parts/sheet';
import { Part, Table } from '../parts/table';
import { Words } from '../parts/words';

type Shows = PlanAction | 'changed' | 'all';
type Figures = NonNullable<RunRecord['plan']>;

/** Which rows of a plan are shown. */
export interface PlanAsked {
  /** @default changed if something changes, else all */
  readonly action?: Shows;
  readonly search?: string;
  /** Index of the first row. */
  readonly from: number;
}

const shows = ({ action }: PlanAsked, figures: Figures): Shows =>
  action ?? (changingCount(figures) > 0 ? 'changed' : 'all');

/** The rows that an address asks for, as input of `readPlan`. */
export function rowsShown(
  asked: PlanAsked,
  figures: Figures,
): { readonly action?: PlanAction; readonly changed: boolean } {
  const action = shows(asked, figures);
  if (action === 'changed') return { changed: true };
  return action === 'all' ? { changed: false } : { changed: false, action };
}

interface PlanProps {
  readonly record: RunRecord;
  readonly figures: Figures;
  /** Absent if the rows cannot be read here; `why` says why. */
  readonly page?: PlanPage;
  readonly why?: string;
  readonly asked: PlanAsked;
}

const actionMeanings: Readonly<Record<PlanAction, string>> = {
  create: 'not on the target yet',
  overwrite: 'exists and will be replaced',
  restore: 'will be restored from the safeguard',
  remove: 'created by the rolled-back run and not edited since; will be deleted',
  same: 'identical, or unchanged on both sides since its last import; left alone',
  keep: 'exists and will not be overwritten',
  blocked: 'outside the target group, owned by someone else, of another type, or refused',
  extra: 'only on the target; never deleted',
};

/** The plan of an import: counts, and its rows page by page. */
export const PlanPart = ({ record, figures, page, why, asked }: PlanProps) => (
  <Part
    id="plan"
    about={figures.sha256}
    title={
      <>
        Plan <code>{figures.hash}</code>
      </>
    }
  >
    <p>
      <PlanFigures figures={figures} />
    </p>
    {comparedWords(figures) && <p class="strong">{comparedWords(figures)}</p>}
    {figures.mapped && <FoldedBlock block={mappedTable(figures.mapped)} name="Map" />}
    {page === undefined ? (
      <p class="banner">{why ?? "The plan rows are not in this server's store."}</p>
    ) : (
      <>
        <PlanFilter runId={record.runId} asked={asked} figures={figures} />
        <div id="plan-rows">
          <PlanRows page={page} asked={{ ...asked, action: shows(asked, figures) }} runId={record.runId} />
        </div>
      </>
    )}
  </Part>
);

const PlanFilter = ({
  runId,
  asked,
  figures,
}: Pick<PlanProps, 'asked' | 'figures'> & { readonly runId: string }) => (
  <form
    method="get"
    action={`${addressOfRun(runId)}#plan`}
    class="filter"
    role="search"
    data-seek="plan-rows"
  >
    <label>
      Search{' '}
      <input
        type="search"
        name="search"
        value={asked.search}
        maxLength={200}
        placeholder="title, ID or type"
      />
    </label>
    <label>
      Show{' '}
      <select name="action">
        {choicesOf(figures)
          .filter(([action, count]) => count !== 0 || action === shows(asked, figures))
          .map(([action, count]) => (
            <option value={action} selected={action === shows(asked, figures)}>
              {count === undefined ? action : `${action} (${countWords(count)})`}
            </option>
          ))}
      </select>
    </label>
    <button type="submit">Filter</button>
  </form>
);

const choicesOf = (figures: Figures): readonly (readonly [Shows, number | undefined])[] => [
  ['changed', changingCount(figures)],
  ['all', undefined],
  ...planActions.map((action) => [action, figures[action] ?? 0] as const),
];

const PlanRows = ({
  page,
  asked,
  runId,
}: {
  readonly page: PlanPage;
  readonly asked: PlanAsked;
  readonly runId: string;
}) => {
  const { total, next } = page;
  const rows = boundFields(page.rows, PAGE_FIELDS);
  const isFiltered = asked.search !== undefined || asked.action !== 'all';
  const all = <a href={addressOf(runId, { action: 'all', from: 0 })}>show all</a>;
  if (total === 0) return <p>No matching items{isFiltered && <>; {all}</>}.</p>;
  const columns = planColumns(rows);
  const groups = planActions
    .map((action) => [action, rows.filter((row) => row.action === action)] as const)
    .filter(([, some]) => some.length > 0);
  return (
    <>
      <p class="fine">
        {`${asked.from + 1} to ${asked.from + rows.length} of ${countOf(total, isFiltered ? 'matching item' : 'item')}`}
        {isFiltered && <>; {all}</>}
      </p>
      <Table name="Plan" head={columns.map(([head]) => head)}>
        {groups.map(([action, some]) => (
          <tbody>
            <tr class={`group ${action}`}>
              <th scope="rowgroup" colSpan={columns.length}>
                {action} <span class="fine">{actionMeanings[action]}</span>
              </th>
            </tr>
            {some.map((row) => (
              <>
                <tr>
                  {columns.map(([, cell]) => (
                    <td>
                      <Shown value={cell(row)} />
                    </td>
                  ))}
                </tr>
                {row.change && isChanging(row) && (
                  <tr class="change">
                    <td colSpan={columns.length}>
                      <Inside {...row} change={row.change} />
                    </td>
                  </tr>
                )}
              </>
            ))}
          </tbody>
        ))}
      </Table>
      {rows.some((row, at) => row !== page.rows[at]) && (
        <p class="fine">
          This page shows the first {countWords(PAGE_FIELDS)} changed fields. Search for an item to see its
          own.
        </p>
      )}
      <nav class="pages" aria-label="Plan pages">
        {asked.from > 0 && (
          <a href={addressOf(runId, { ...asked, from: Math.max(0, asked.from - PAGE_ROWS) })}>Previous</a>
        )}
        {next !== undefined && <a href={addressOf(runId, { ...asked, from: Number(next) })}>Next</a>}
      </nav>
    </>
  );
};

/** What changes inside an item: opens to each field before and after. */
const Inside = ({ title, change }: PlanRow & { readonly change: Change }) => {
  const { fields, more = 0, why } = change;
  const [first] = fields;
  if (first === undefined)
    return (
      <p class="warn">
        <Words
          text={why === undefined ? `${countOf(more, 'changed field')} not shown` : notCompared(why)}
          most={300}
        />
      </p>
    );
  const others = fields.length - 1 + more;
  return (
    <details>
      <summary>
        In <Words text={title} most={40} />: <Words text={first.label} most={80} />
        {others > 0 && ` and ${countWords(others)} more`}
        {why !== undefined && <span class="warn">; not everything could be compared</span>}
      </summary>
      <ChangeDetails {...change} />
    </details>
  );
};

/** Rows of a plan on one page, and lines of what changes inside them. */
export const PAGE_ROWS = 100;
const PAGE_FIELDS = 1_000;

function addressOf(runId: string, { action, search, from }: PlanAsked): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ action, search, from: from === 0 ? undefined : String(from) }))
    if (value !== undefined) query.set(key, value);
  return `${addressOfRun(runId)}${query.size === 0 ? '' : `?${query.toString()}`}#plan`;
}
