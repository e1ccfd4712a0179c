import type { ScheduleRow } from '../../../contract/schedules';
import { Action } from '../actions/action';

/** Pauses or resumes a schedule, and starts a run of it now. */
export const ScheduleForms = ({
  row: { name, paused, kind, route, origin },
}: {
  readonly row: ScheduleRow;
}) => {
  const of = {
    known: { schedule: name },
    // What another tool has made says of itself what it likes.
    with:
      route === undefined || origin === 'elsewhere' ? ('shared' as const) : { kind, route: { name: route } },
  };
  return (
    <div class="ways">
      <Action {...of} of={paused ? 'resumeSchedule' : 'pause'} />
      <Action {...of} of="trigger">
        <p class="fine">Ends a parked run of this schedule first.</p>
      </Action>
    </div>
  );
};
