import { type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { readScheduleMemo, type ScheduleMemo } from '../../model/schedule/schedule';
import { scheduleId, scheduleName, watchId } from '../../model/schedule/schedule-id';
import type { TemporalClient } from '../../temporal/session';
import { WATCH_NAME } from './desired-schedules';

/** A schedule as the server has it. */
export interface ServerSchedule {
  readonly id: string;
  readonly name: string;
  /** What the file said when it was applied; undefined where another tool made the schedule. */
  readonly made?: ScheduleMemo;
  readonly description: ScheduleDescription;
}

/** What a schedule of the server starts: a kind of run, and its route or pipeline where it says one. */
export function startOfSchedule({ description: { action } }: ServerSchedule): {
  readonly kind: string;
  readonly route?: string;
} {
  const [input] = action.args ?? [];
  const { route } = (input ?? {}) as { route?: { name?: unknown } };
  return {
    kind: action.workflowType,
    route: typeof route?.name === 'string' ? route.name : undefined,
  };
}

/** Schedules that are described at a time. */
const AT_ONCE = 8;

/**
 * All schedules of this configuration that the server has, by name. Those of the file are asked for one by one, since
 * the server's list may be late.
 */
export async function serverSchedules(
  { client }: TemporalClient,
  { temporal: { taskQueue }, schedules }: Config,
): Promise<ServerSchedule[]> {
  const ids = new Set([...schedules.keys()].map((name) => scheduleId(taskQueue, name))).add(
    watchId(taskQueue),
  );
  for await (const { scheduleId: id } of client.schedule.list())
    if (scheduleName(taskQueue, id) !== undefined) ids.add(id);
  const found = await mapLimited([...ids], AT_ONCE, (id) =>
    describeSchedule(client.schedule.getHandle(id), taskQueue),
  );
  return found.flatMap((each) => each ?? []).sort((a, b) => a.name.localeCompare(b.name));
}

/** Undefined where there is none. */
async function describeSchedule(
  handle: ScheduleHandle,
  taskQueue: string,
): Promise<ServerSchedule | undefined> {
  const id = handle.scheduleId;
  try {
    const description = await handle.describe();
    const name = scheduleName(taskQueue, id) ?? WATCH_NAME;
    return { id, name, made: readScheduleMemo(description.action.memo), description };
  } catch (thrown) {
    if (thrown instanceof ScheduleNotFoundError) return undefined;
    throw thrown;
  }
}

export const handleOf = ({ client }: TemporalClient, id: string): ScheduleHandle =>
  client.schedule.getHandle(id);

/** The schedule of that name. Throws `SCHEDULE_NOT_FOUND` with the names that there are. */
export async function findSchedule(
  temporal: TemporalClient,
  config: Config,
  name: string,
): Promise<ServerSchedule> {
  const { taskQueue } = config.temporal;
  const found = await describeSchedule(handleOf(temporal, scheduleId(taskQueue, name)), taskQueue);
  if (found) return found;
  const others = (await serverSchedules(temporal, config))
    .map((each) => each.name)
    .filter((each) => each !== WATCH_NAME);
  const isInFile = config.schedules.has(name);
  throw new PortolanError(
    'SCHEDULE_NOT_FOUND',
    isInFile
      ? `Schedule "${name}" is in ${config.path}, and not yet on the server.`
      : `There is no schedule "${name}"; the schedules are: ${others.join(', ') || 'none'}.`,
    isInFile ? { hint: 'Bring it there with: portolan schedule apply' } : {},
  );
}
