import { allSchedules } from '../../config/resolve-rule';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { searchAttributeNames, scheduleId, scheduleName, watchId } from '../../model/run/run-id';
import { readScheduleMemo, type ScheduleMemo } from '../../model/schedule/schedule';
import type { TemporalClient } from '../../temporal/connection';
import { WATCH_NAME } from './desired-schedules';

/** A schedule as the server has it. */
export interface ServerSchedule {
  readonly id: string;
  readonly name: string;
  /** The definition in the file when it was applied; undefined if another tool created the schedule. */
  readonly made?: ScheduleMemo;
  readonly description: ScheduleDescription;
}

/** What a server schedule starts: kind of run, and route or pipeline if given. */
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

/** A schedule as Temporal's list has it. The list leaves out what it starts, its policies and its counters. */
export interface ListedSchedule {
  readonly id: string;
  readonly name: string;
  /** Type of the workflow that it starts. */
  readonly kind: string;
  /** Route or pipeline; undefined if another tool made the schedule. */
  readonly route?: string;
  readonly spec: ScheduleDescription['spec'];
  readonly state: Pick<ScheduleDescription['state'], 'paused' | 'note'>;
  /** The list has fewer last starts than a description. */
  readonly info: Pick<ScheduleDescription['info'], 'recentActions' | 'nextActionTimes'>;
}

const ofRoute = defineSearchAttributeKey(searchAttributeNames.route, 'KEYWORD');

/** The most that Temporal returns at a time. */
const PAGE = 1_000;

/** All schedules of this configuration, by name. The list may be some seconds late. */
export async function listSchedules(
  { client }: TemporalClient,
  { temporal: { taskQueue } }: Pick<Config, 'temporal'>,
): Promise<ListedSchedule[]> {
  const listed: ListedSchedule[] = [];
  for await (const summary of client.schedule.list({ pageSize: PAGE })) {
    const { scheduleId: id, action, spec, state, info, typedSearchAttributes } = summary;
    const name = nameOf(taskQueue, id);
    if (name === undefined) continue;
    const kind = action?.workflowType ?? '';
    const route = typedSearchAttributes?.get(ofRoute);
    listed.push({ id, name, kind, route, spec: spec ?? {}, state, info });
  }
  return listed.sort((a, b) => a.name.localeCompare(b.name));
}

/** Poll interval and time limit. @format milliseconds */
const LOOK_AGAIN_MS = 200;
const LISTED_WITHIN_MS = 5_000;

/** Waits until the list shows a change, so that the next reader sees it, but no longer than the list usually lags. */
export async function untilListed(
  sources: { readonly temporal: TemporalClient; readonly config: Pick<Config, 'temporal'> },
  isShown: (listed: readonly ListedSchedule[]) => boolean,
): Promise<void> {
  const until = performance.now() + LISTED_WITHIN_MS;
  while (!isShown(await listSchedules(sources.temporal, sources.config)) && performance.now() < until)
    await sleep(LOOK_AGAIN_MS);
}

/** Schedules that are described at a time. */
const CONCURRENCY = 8;

/** Everything about those of these ids that exist. */
export async function describeSchedules(
  { client }: TemporalClient,
  { temporal: { taskQueue } }: Pick<Config, 'temporal'>,
  ids: Iterable<string>,
): Promise<ServerSchedule[]> {
  const found = await mapLimited([...ids], CONCURRENCY, (id) =>
    describeSchedule(client.schedule.getHandle(id), taskQueue),
  );
  return found.flatMap((each) => each ?? []);
}

/** Undefined for a schedule of another configuration. */
const nameOf = (taskQueue: string, id: string): string | undefined =>
  id === watchId(taskQueue) ? WATCH_NAME : scheduleName(taskQueue, id);

/** Undefined where there is none. */
async function describeSchedule(
  handle: ScheduleHandle,
  taskQueue: string,
): Promise<ServerSchedule | undefined> {
  const id = handle.scheduleId;
  try {
    const description = await handle.describe();
    return {
      id,
      name: nameOf(taskQueue, id) ?? id,
      made: readScheduleMemo(description.action.memo),
      description,
    };
  } catch (thrown) {
    if (thrown instanceof ScheduleNotFoundError) return undefined;
    throw thrown;
  }
}

export const handleOf = ({ client }: TemporalClient, id: string): ScheduleHandle =>
  client.schedule.getHandle(id);

/** Finds a schedule. Throws `SCHEDULE_NOT_FOUND` with the defined names. */
export async function findSchedule(
  temporal: TemporalClient,
  config: Config,
  name: string,
): Promise<ServerSchedule> {
  const { taskQueue } = config.temporal;
  const found = await describeSchedule(handleOf(temporal, scheduleId(taskQueue, name)), taskQueue);
  if (found) return found;
  const others = (await listSchedules(temporal, config))
    .map((each) => each.name)
    .filter((each) => each !== WATCH_NAME);
  const isInFile = allSchedules(config).has(name);
  throw new PortolanError(
    'SCHEDULE_NOT_FOUND',
    isInFile
      ? `Schedule "${name}" is in ${config.path}, but not yet on the server.`
      : `No schedule "${name}"; defined: ${others.join(', ') || 'none'}.`,
    isInFile ? { hint: 'Apply it: portolan schedule apply' } : {},
  );
}
