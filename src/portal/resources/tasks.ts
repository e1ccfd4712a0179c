import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { type TaskRef, type TaskSpeaker, reportingRun } from '../../model/portal-change/task-run';
import type { TaskRunStatus } from '../../model/run/phase';
import type { Portal } from '../client';
import { optionalId, requiredId } from '../http/ids';
import { pathOf } from '../http/address';
import { flag, number, readableOf, text } from '../http/reading';
import type { CallOptions } from '../http/request';

interface TaskRunAddress {
  readonly username: string;
  readonly taskId: string;
  readonly runId: string;
}

/** docs/reference/portal-interface.md, "Task runs" */
const taskRun = z.looseObject({
  runId: requiredId('task run'),
  status: text,
  result: text,
  created: number,
});
export type TaskRun = z.infer<typeof taskRun>;

/** The runs of a task that the portal keeps, 30 unless it is set otherwise. docs/reference/portal-interface.md, "Task runs" */
export async function readTaskRuns(
  portal: Portal,
  { username, taskId }: Omit<TaskRunAddress, 'runId'>,
  options?: CallOptions,
): Promise<TaskRun[]> {
  const { runs } = await portal.call(
    {
      operation: 'taskRun.list',
      path: pathOf`community/users/${username}/tasks/${taskId}/runs`,
      schema: z.looseObject({ runs: readableOf(taskRun) }),
    },
    options,
  );
  return runs;
}

export const readTaskRun = async (
  portal: Portal,
  { username, taskId, runId }: TaskRunAddress,
  options?: CallOptions,
): Promise<TaskRun> =>
  portal.call(
    {
      operation: 'taskRun.read',
      path: pathOf`community/users/${username}/tasks/${taskId}/runs/${runId}`,
      schema: taskRun,
      // A run that failed says so of itself.
      statusIsData: true,
    },
    options,
  );

const updated = z.looseObject({ success: flag, taskId: optionalId('task'), runId: optionalId('task run') });

/**
 * Sets status and result of a run; the result may be empty. Without one some portals clear the old one:
 * send it along to keep it. docs/reference/portal-interface.md, "Task runs"
 */
export async function updateTaskRun(
  portal: Portal,
  { username, taskId, runId, status, result }: TaskRunAddress & { status: TaskRunStatus; result?: string },
  options?: CallOptions,
): Promise<{ taskId: string; runId: string }> {
  const answer = await portal.call(
    {
      operation: 'taskRun.update',
      method: 'POST',
      path: pathOf`community/users/${username}/tasks/${taskId}/runs/${runId}/update`,
      params: { status, ...(result !== undefined && { result: { verbatim: result } }) },
      schema: updated,
    },
    options,
  );
  return { taskId: answer.taskId ?? taskId, runId: answer.runId ?? runId };
}

/** A portal makes the run of a task about when, or at most so long before, ours is due. @format milliseconds */
const ONE_NIGHT_MS = 3_600_000;

const over: readonly string[] = ['succeeded', 'skipped', 'failed', 'submitfailed'];

/** A task, or one of its runs that is named. */
interface TaskPlace extends Omit<TaskRef, 'portal'> {
  /** Who wants to write there: what others have said stays. @default anybody, about whatever stands there */
  readonly by?: TaskSpeaker;
}

/**
 * The run of a task that is named, or in which who asks has spoken already, or that was created last.
 * docs/reference/portal-interface.md, "Task runs"
 *
 * @param place `createdUntil`: runs that were created later are another's, milliseconds since the epoch
 * @throws PortolanError NOT_FOUND where the task has no run, or none of this night
 */
export async function newestTaskRun(
  portal: Portal,
  place: TaskPlace & { readonly createdUntil?: number },
  options?: CallOptions,
): Promise<TaskRun> {
  const { username, taskId, taskRunId, createdUntil = Infinity, by } = place;
  if (taskRunId !== undefined) {
    const named = await readTaskRun(portal, { username, taskId, runId: taskRunId }, options);
    requireFree(portal, named, place);
    return named;
  }
  const runs = await readTaskRuns(portal, { username, taskId }, options);
  const spoken = newestOf(runs.filter(({ result }) => by?.runIds.includes(reportingRun(result) ?? '')));
  if (spoken) return spoken;
  const newest = newestOf(runs.filter(({ created }) => (created ?? 0) <= createdUntil));
  if (!newest)
    throw new PortolanError('NOT_FOUND', `Task ${taskId} of ${username} on ${portal.name} has no run yet.`, {
      portal: portal.name,
      hint: 'The portal creates a run when its task is due. Choose a task that has one.',
    });
  requireFree(portal, newest, place);
  return newest;
}

/**
 * Refuses to write over what was said of another night: what another run of ours wrote and, of a run that is not named,
 * how it ended before ours was due.
 *
 * @throws PortolanError NOT_FOUND
 */
export function requireFree(
  portal: Portal,
  { runId, status, result, created }: TaskRun,
  { username, taskId, taskRunId, by }: TaskPlace,
): void {
  if (!by) return;
  const said = reportingRun(result);
  if (said !== undefined && by.runIds.includes(said)) return;
  const isNamed = taskRunId !== undefined;
  const isEarlier = over.includes(status ?? '') && (created ?? Infinity) < by.dueAt - ONE_NIGHT_MS;
  if (said === undefined && (isNamed || !isEarlier)) return;
  const why = said === undefined ? `is from an earlier night (status ${status})` : `reports on ${said}`;
  throw new PortolanError(
    'NOT_FOUND',
    `run ${runId} of task ${taskId} of ${username} on ${portal.name} ${why}; Portolan leaves it unchanged`,
    {
      portal: portal.name,
      hint: 'The portal creates a run when its task is due. To update this one by hand: portolan task-run update',
    },
  );
}

const newestOf = (runs: readonly TaskRun[]): TaskRun | undefined =>
  runs.reduce<TaskRun | undefined>(
    (best, run) => (best === undefined || (run.created ?? 0) >= (best.created ?? 0) ? run : best),
    undefined,
  );
