import type { ScheduleRow } from '../../../contract/schedules';
import { scheduleFacts, scheduleTable } from '../../../service/schedule/schedule-sheets';
import { SheetPart } from '../parts/sheet';
import { Words } from '../parts/words';
import { ScheduleForms } from '../forms/schedule-forms';

export interface SchedulesView {
  /** Undefined if Temporal, which stores them, cannot be reached. */
  readonly rows?: readonly ScheduleRow[];
  /** Names of the schedules in portolan.yaml. */
  readonly configured: readonly string[];
}

/** The schedules: when each is due, its last run, and whether it is paused. */
export const SchedulesPage = ({ rows, configured }: SchedulesView) => (
  <>
    <h1>Schedules</h1>
    {rows === undefined ? (
      <p class="banner bad">
        Cannot reach Temporal, which stores the schedules. Configured in portolan.yaml:{' '}
        {configured.join(', ') || 'none'}.
      </p>
    ) : rows.length === 0 ? (
      <SheetPart sheet={[scheduleTable(rows)]} name="Schedules" />
    ) : (
      rows.map((row) => <Schedule row={row} />)
    )}
  </>
);

const Schedule = ({ row }: { readonly row: ScheduleRow }) => (
  <section id={`schedule-${row.name}`} class="card">
    <h2>
      <Words text={row.name} most={80} />
    </h2>
    <SheetPart sheet={[scheduleFacts(row)]} name={row.name} />
    {row.standing !== 'not applied' && <ScheduleForms row={row} />}
  </section>
);
