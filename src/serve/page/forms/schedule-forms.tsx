import type { ScheduleRow } from '../../../service/schedule/schedule-view';
import { addressOfSchedule } from '../addresses';
import { Action, Reason } from '../parts/action';

/** Pauses a schedule or lets it go on, and starts a run of it now. */
export const ScheduleForms = ({ row: { name, paused, route } }: { readonly row: ScheduleRow }) => (
  <div class="ways">
    {paused ? (
      <Action
        {...{
          button: 'Let it go on',
          right: 'operate',
          with: route,
          command: `portolan schedule resume ${name}`,
        }}
        to={`${addressOfSchedule(name)}/resume`}
      />
    ) : (
      <Action
        {...{ button: 'Pause', right: 'operate', with: route }}
        to={`${addressOfSchedule(name)}/pause`}
        command={`portolan schedule pause ${name} --reason "..."`}
      >
        <Reason isNeeded />
      </Action>
    )}
    <Action
      {...{
        button: 'Start it now',
        right: 'start',
        with: route,
        command: `portolan schedule trigger ${name}`,
      }}
      to={`${addressOfSchedule(name)}/trigger`}
    />
  </div>
);
