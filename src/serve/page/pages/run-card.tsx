import { addressOfRun } from '../../../config/page-address';
import { countOf, durationWords, routeWords } from '../../../model/text/words';
import type { RowWithRecord } from '../../../service/run/lookup/row-records';
import { runStanding } from '../../../service/run/run-sheet';
import { runTitle } from '../../../service/run/run-words';
import { PlanFigures, StatusMark } from '../parts/run-marks';
import { Shown } from '../parts/sheet';
import { Took, When } from '../parts/when';
import { Words } from '../parts/words';
import { mayDo, useVisit } from '../visit';

/** An open run: its title, starter and progress. */
export const RunCard = ({ row, record, last }: RowWithRecord) => (
  <article class={`card ${row.status}`}>
    <h3>
      <a href={addressOfRun(row.runId)}>
        <Words text={record ? runTitle(record) : `${row.kind} ${row.route}`} most={80} />
      </a>{' '}
      <StatusMark status={row.status} />
    </h3>
    {record && (
      <p>
        <Words text={routeWords(record.route)} />
      </p>
    )}
    <p>
      <Progress {...{ row, record, last }} />
    </p>
    {record?.parked && (
      <p>
        <Words text={record.parked.reason} most={300} />
      </p>
    )}
    <StartedBy {...{ row, record }} />
    <Ask row={row} />
  </article>
);

/** The link for visitors who may act on the run. */
const Ask = ({ row: { kind, status, route, runId } }: Pick<RowWithRecord, 'row'>) => {
  const visit = useVisit();
  const run = { kind, route: { name: route }, runId };
  const isMine =
    status === 'waiting' ? mayDo(visit, 'approve', run) : status === 'parked' && mayDo(visit, 'operate', run);
  return isMine ? (
    <p>
      <a class="button" href={addressOfRun(runId)}>
        {status === 'waiting' ? 'Review plan' : 'See options'}
      </a>
    </p>
  ) : null;
};

const Progress = ({ row, record, last }: RowWithRecord) => {
  if (row.status === 'waiting' && record?.plan) return <PlanFigures figures={record.plan} />;
  const done = record?.phases.filter(({ status }) => status === 'done' || status === 'skipped').length ?? 0;
  const all = record?.phases.length ?? 0;
  return (
    <>
      {row.phase === undefined && 'waiting for a worker '}
      <Shown value={runStanding(row)} />
      {row.status === 'running' && (
        <>
          {all > 0 && (
            <progress max={all} value={done} aria-label={`${done} of ${countOf(all, 'phase')} done`} />
          )}{' '}
          <Took from={row.startedAt} />
          {last && (
            <>
              , last run took {durationWords(last.tookMs)} (<When at={last.finishedAt} />)
            </>
          )}
        </>
      )}
    </>
  );
};

const StartedBy = ({ row, record }: RowWithRecord) => {
  const why = record?.actions.find(({ what }) => what === 'start')?.reason;
  return (
    <p class="fine">
      Started{' '}
      {row.startedBy !== undefined && (
        <>
          by <Words text={row.startedBy} most={60} />{' '}
        </>
      )}
      <When at={row.startedAt} />
      {why !== undefined && (
        <>
          : “<Words text={why} />”
        </>
      )}
    </p>
  );
};
