import type { StatusView } from '../../../contract/status';
import { countOf } from '../../../model/text/words';
import type { RowWithRecord } from '../../../service/run/lookup/row-records';
import { attentionSheet, concernsOf, nextTable } from '../../../service/status/status-sheet';
import { BlockPart, SheetPart } from '../parts/sheet';
import { Part } from '../parts/table';
import { When } from '../parts/when';
import { RunCard } from './run-card';

export interface NowView {
  readonly status: StatusView;
  /** Open runs, the first few of each status. */
  readonly open: readonly RowWithRecord[];
}

/** What needs attention, what runs, and what is due next. */
export const NowPage = ({ status, open }: NowView) => {
  const { waiting, running, parked, next } = status;
  const isCalm = concernsOf(status).length === 0;
  const isQuiet = isCalm && running.length === 0;
  return (
    <>
      <h1>Now</h1>
      {isQuiet && <NothingToDo status={status} />}
      {!isCalm && (
        <Part id="attention" title="Needs attention">
          <SheetPart sheet={attentionSheet(status)} name="Needs attention" />
        </Part>
      )}
      <Runs {...{ id: 'waiting', title: 'Waiting for approval', rows: waiting, open }} />
      <Runs {...{ id: 'parked', title: 'Parked', rows: parked, open }} />
      <Runs {...{ id: 'running', title: 'Running', rows: running, open }} />
      {!isQuiet && next.length > 0 && (
        <Part id="next">
          <BlockPart block={nextTable(status)} name="Next runs" />
        </Part>
      )}
    </>
  );
};

const NothingToDo = ({ status: { backedUp, next } }: { readonly status: StatusView }) => {
  const [soonest] = next;
  return (
    <p id="well" class="well">
      <strong>Nothing needs attention.</strong>{' '}
      {backedUp !== undefined && backedUp.routes > 0 && (
        <>
          {countOf(backedUp.routes, 'route')} backed up
          {backedUp.oldestAt !== undefined && (
            <>
              , oldest <When at={backedUp.oldestAt} />
            </>
          )}
          .{' '}
        </>
      )}
      {soonest && (
        <>
          Next: <a href="/schedules">{soonest.schedule}</a> <When at={soonest.at} />.
        </>
      )}
    </p>
  );
};

interface RunsProps {
  readonly id: string;
  readonly title: string;
  readonly rows: StatusView['running'];
  readonly open: readonly RowWithRecord[];
}

const Runs = ({ id, title, rows, open }: RunsProps) => {
  if (rows.length === 0) return null;
  const shown = open.filter(({ row }) => rows.some(({ runId }) => runId === row.runId));
  return (
    <Part id={id} title={`${title} (${rows.length})`}>
      <ul class="cards">
        {shown.map((each) => (
          <li>
            <RunCard {...each} />
          </li>
        ))}
      </ul>
      {rows.length > shown.length && (
        <p>
          <a href="/runs">and {rows.length - shown.length} more</a>
        </p>
      )}
    </Part>
  );
};
