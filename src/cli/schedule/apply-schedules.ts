import { ScheduleAlreadyRunning, type ScheduleUpdateOptions } from '@temporalio/client';
import { registerSearchAttributes } from '../../temporal/search-attributes';
import { PortolanError } from '../../model/errors/errors';
import { readScheduleMemo } from '../../model/schedule/schedule';
import { type ScheduleChange, stateAfter } from './schedule-difference';
import { handleOf } from './server-schedules';
import type { TemporalClient } from '../../temporal/session';
import type { DesiredSchedule } from './desired-schedules';

/** Makes the server's schedules what the difference says, one after the other; `onDone` is told of each. */
export async function applyChanges(
  temporal: TemporalClient,
  changes: readonly ScheduleChange[],
  onDone: (change: ScheduleChange) => void,
): Promise<void> {
  // Runs of the schedules carry them, and no worker may have met this server yet.
  await registerSearchAttributes(temporal.connection, temporal.namespace);
  for (const change of changes) {
    const { desired, found } = change;
    if (change.change === 'create' && desired) await createSchedule(temporal, desired);
    else if (change.change === 'change' && desired) await updateSchedule(temporal, desired);
    else if (change.change === 'delete' && found) await handleOf(temporal, found.id).delete();
    else continue;
    onDone(change);
  }
}

/** Makes a new schedule; one that came to be meanwhile becomes what is desired. */
async function createSchedule(temporal: TemporalClient, desired: DesiredSchedule): Promise<void> {
  const { id: scheduleId, options } = desired;
  try {
    await temporal.client.schedule.create({ scheduleId, ...options, state: stateAfter(desired, undefined) });
  } catch (thrown) {
    if (!(thrown instanceof ScheduleAlreadyRunning)) throw refusedBy(thrown, desired);
    await updateSchedule(temporal, desired);
  }
}

async function updateSchedule(temporal: TemporalClient, desired: DesiredSchedule): Promise<void> {
  try {
    await handleOf(temporal, desired.id).update((description): ScheduleUpdateOptions => {
      // Somebody may have paused it since the difference was shown.
      const found = { made: readScheduleMemo(description.action.memo), description };
      return { ...desired.options, state: stateAfter(desired, found) };
    });
  } catch (thrown) {
    throw refusedBy(thrown, desired);
  }
}

/** The client throws a plain TypeError where the server does not take what it was sent, as a zone that it lacks. */
const refusedBy = (thrown: unknown, { name }: DesiredSchedule): unknown =>
  thrown instanceof TypeError
    ? new PortolanError('CONFIG_INVALID', `Temporal does not take schedule "${name}": ${thrown.message}.`, {
        hint: `Correct schedules.${name} in portolan.yaml.`,
      })
    : thrown;
