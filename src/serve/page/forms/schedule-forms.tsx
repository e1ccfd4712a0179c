import type { ScheduleRow } from '../../../contract/schedules';
import { addressOfSchedule } from '../addresses';
import { Action, Reason } from '../parts/action';

/** Pauses or resumes a schedule, and starts a run of it now. */
export const ScheduleForms = ({ row: { name, paused, kind, route } }: { readonly row: ScheduleRow }) => {
  const run = route === undefined ? undefined : { kind, route: { name: route } };
  return (
    <div class="ways">
      {paused ? (
        <Action
          {...{
            button: 'Resume',
            right: 'operate',
            with: run,
            command: `portolan schedule resume ${name}`,
          }}
          to={`${addressOfSchedule(name)}/resume`}
        />
      ) : (
        <Action
          {...{ button: 'Pause', right: 'operate', with: run }}
          to={`${addressOfSchedule(name)}/pause`}
          command={`portolan schedule pause ${name} --reason "..."`}
        >
          <Reason isNeeded />
        </Action>
      )}
      <Action
        {...{
          button: 'Run now',
          right: 'start',
          with: run,
          command: `portolan schedule trigger ${name}`,
        }}
        to={`${addressOfSchedule(name)}/trigger`}
      >
        <p class="fine">Ends a parked run of this schedule first.</p>
      </Action>
    </div>
  );
};
