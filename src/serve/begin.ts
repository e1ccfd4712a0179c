import { scheduledKinds } from '../model/schedule/schedule';
import type { WriteContext } from '../service/run/run-sources';
import { findSchedule, type ServerSchedule, startOfSchedule } from '../service/schedule/server-schedules';
import { type Caller, May } from '../service/may';

/**
 * The schedule of that name, where whoever asks may do more than look with what it starts: by what the server has, which
 * may be of another route than the file says by now. Throws `SCHEDULE_NOT_FOUND`.
 */
export async function findOwnSchedule(
  caller: Caller,
  { temporal, config }: WriteContext,
  name: string,
): Promise<ServerSchedule> {
  const schedule = await findSchedule(temporal, config, name);
  const { kind, route } = startOfSchedule(schedule);
  const known = scheduledKinds.find((each) => each === kind);
  // What another tool has made says of itself what it likes.
  if (!schedule.made || known === undefined || route === undefined) new May(caller).changeShared();
  else new May(caller).changeRun({ kind: known, route: { name: route } });
  return schedule;
}
