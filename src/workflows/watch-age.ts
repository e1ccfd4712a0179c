import { log, workflowInfo } from '@temporalio/workflow';
import type { AgeLook, WatchInput } from '../model/snapshot/watch-age';
import { authenticateStart } from './run/define-run';
import { reading, sending, writing } from './run/activity-options';

/**
 * Checks the age of each route's last good snapshot and notifies subscribers, because a night on which no backup starts
 * leaves no run that could fail. A schedule starts it every few minutes.
 */
export async function watchAge(input: WatchInput): Promise<Pick<AgeLook, 'route' | 'ageMs'>[]> {
  await authenticateStart(input);
  const { workflowId: watchId } = workflowInfo();
  const looks = await reading('last good snapshots').lookAtAges({ watch: input, watchId });
  for (const { route, notice, note, ageMs } of looks) {
    if (notice) {
      const warnings = await sending(notice.event).notify({ ...notice, watch: input });
      for (const warning of warnings) log.warn(warning);
    }
    if (note !== undefined)
      await writing(`backup age of ${route.name}`).noteAge({ route, note, watch: input });
    log.debug('age of the last good snapshot', { route: route.name, ageMs });
  }
  return looks.map(({ route, ageMs }) => ({ route, ageMs }));
}
