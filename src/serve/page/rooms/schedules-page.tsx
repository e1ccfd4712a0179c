import type { ScheduleRow } from '../../../service/schedule/schedule-view';
import { RunLink, StatusMark } from '../parts/run-marks';
import { Facts } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';
import { ScheduleForms } from '../forms/schedule-forms';

export interface SchedulesView {
  /** Undefined where Temporal, which keeps them, is away. */
  readonly rows?: readonly ScheduleRow[];
  /** Of portolan.yaml. */
  readonly configured: readonly string[];
}

/** What is started by the clock: when it is due, what it started last, and whether it is paused. */
export const SchedulesPage = ({ rows, configured }: SchedulesView) => (
  <>
    <h1>Schedules</h1>
    {rows === undefined ? (
      <p class="banner bad">
        Temporal does not answer, and it is what keeps the schedules. portolan.yaml has{' '}
        {configured.join(', ') || 'none'}.
      </p>
    ) : rows.length === 0 ? (
      <p>No schedules. Write them into portolan.yaml, then: portolan schedule apply</p>
    ) : (
      rows.map((row) => <Schedule row={row} />)
    )}
  </>
);

const Schedule = ({ row }: { readonly row: ScheduleRow }) => {
  const [last] = row.runs;
  const [next] = row.next;
  return (
    <section id={`schedule-${row.name}`} class="card">
      <h2>
        <Words text={row.name} most={80} />{' '}
        {row.paused ? <span class="mark parked">paused</span> : <span class="mark succeeded">on</span>}
        {row.standing !== 'as in the file' && <span class="mark waiting">{row.standing}</span>}
      </h2>
      <Facts
        facts={[
          ['starts', <Words text={`${row.kind} of ${row.route ?? '?'}`} />],
          ['due', <Words text={`${row.cron} ${row.timezone}`} />],
          ['next', row.paused ? 'none while it is paused' : next === undefined ? 'none' : <When at={next} />],
          [
            'last',
            last === undefined ? (
              'none yet'
            ) : (
              <>
                <RunLink runId={last.runId} /> <When at={last.startedAt} />{' '}
                {last.status && <StatusMark status={last.status} />}
              </>
            ),
          ],
          ...(row.note === undefined || row.note === ''
            ? []
            : [['note', <Words text={row.note} most={300} />] as const]),
        ]}
      />
      {row.standing !== 'not applied' && <ScheduleForms row={row} />}
    </section>
  );
};
