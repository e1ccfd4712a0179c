import { addressOfRun } from '../../../config/page-address';
import type { PlanPage } from '../../../contract/runs';
import type { RunRecord } from '../../../model/run/run';
import { countOf } from '../../../model/text/words';
import { type PlanAction, planActions } from '../../../model/transfer/plan';
import { mappedTable } from '../../../service/run/changes-sheet';
import { planColumns } from '../../../service/run/plan-sheet';
import { PlanFigures } from '../parts/run-marks';
import { FoldedBlock, Shown } from '../parts/sheet';
import { Part, Table } from '../parts/table';

/** Which rows of a plan are shown. */
export interface PlanAsked {
  readonly action?: PlanAction;
  readonly search?: string;
  /** Index of the first row. */
  readonly from: number;
}

interface PlanProps {
  readonly record: RunRecord;
  readonly figures: NonNullable<RunRecord['plan']>;
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
  same: 'unchanged on both sides since its last import',
  keep: 'exists and will not be overwritten',
  blocked: 'outside the target group, owned by someone else, of another type, or refused',
  extra: 'only on the target; never deleted',
};

/** The plan of an import: counts, and its rows page by page. */
export const PlanPart = ({ record, figures, page, why, asked }: PlanProps) => (
  <Part
    id="plan"
    title={
      <>
        Plan <code>{figures.hash}</code>
      </>
    }
  >
    <p>
      <PlanFigures figures={figures} />
    </p>
    {figures.mapped && <FoldedBlock block={mappedTable(figures.mapped)} name="Map" />}
    {page === undefined ? (
      <p class="banner">{why ?? "The plan rows are not in this server's store."}</p>
    ) : (
      <>
        <PlanFilter runId={record.runId} asked={asked} figures={figures} />
        <div id="plan-rows">
          <PlanRows page={page} asked={asked} runId={record.runId} />
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
      Action{' '}
      <select name="action">
        <option value="">all</option>
        {planActions
          .filter((action) => (figures[action] ?? 0) > 0 || action === asked.action)
          .map((action) => (
            <option value={action} selected={action === asked.action}>
              {action}
            </option>
          ))}
      </select>
    </label>
    <button type="submit">Filter</button>
  </form>
);

const PlanRows = ({
  page,
  asked,
  runId,
}: {
  readonly page: PlanPage;
  readonly asked: PlanAsked;
  readonly runId: string;
}) => {
  const { rows, total, next } = page;
  if (total === 0) return <p>No matching items.</p>;
  const isFiltered = asked.search !== undefined || asked.action !== undefined;
  const columns = planColumns(rows);
  const groups = planActions
    .map((action) => [action, rows.filter((row) => row.action === action)] as const)
    .filter(([, some]) => some.length > 0);
  return (
    <>
      <p class="fine">
        {`${asked.from + 1} to ${asked.from + rows.length} of ${countOf(total, isFiltered ? 'matching item' : 'item')}`}
        {isFiltered && (
          <>
            ; <a href={`${addressOfRun(runId)}#plan`}>show all</a>
          </>
        )}
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
              <tr>
                {columns.map(([, cell]) => (
                  <td>
                    <Shown value={cell(row)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </Table>
      <nav class="pages" aria-label="Plan pages">
        {asked.from > 0 && (
          <a href={addressOf(runId, { ...asked, from: Math.max(0, asked.from - PAGE_ROWS) })}>Previous</a>
        )}
        {next !== undefined && <a href={addressOf(runId, { ...asked, from: Number(next) })}>Next</a>}
      </nav>
    </>
  );
};

/** Rows of a plan on one page. */
export const PAGE_ROWS = 100;

function addressOf(runId: string, { action, search, from }: PlanAsked): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ action, search, from: from === 0 ? undefined : String(from) }))
    if (value !== undefined) query.set(key, value);
  return `${addressOfRun(runId)}${query.size === 0 ? '' : `?${query.toString()}`}#plan`;
}
