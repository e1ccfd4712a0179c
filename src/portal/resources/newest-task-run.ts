import { PortolanError } from '../../model/errors/errors';
import type { TaskRef } from '../../model/portal-change/task-run';
import type { Portal } from '../client';
import type { CallOptions } from '../http/request';
import { readTaskRun, readTaskRuns, type TaskRun } from './tasks';

/**
 * The run of a task that is named, or the one that was created last. docs/reference/portal-interface.md, "Task runs"
 *
 * @param place `createdUntil`: runs that were created later are another's, milliseconds since the epoch
 * @throws PortolanError NOT_FOUND where the task has no run
 */
export async function newestTaskRun(
  portal: Portal,
  place: Omit<TaskRef, 'portal'> & { readonly createdUntil?: number },
  options?: CallOptions,
): Promise<TaskRun> {
  const { username, taskId, taskRunId, createdUntil = Infinity } = place;
  if (taskRunId !== undefined) {
    return await readTaskRun(portal, { username, taskId, runId: taskRunId }, options);
  }
  const runs = await readTaskRuns(portal, { username, taskId }, options);
  const newest = runs
    .filter(({ created }) => (created ?? 0) <= createdUntil)
    .reduce<TaskRun | undefined>(
      (best, run) => (best === undefined || (run.created ?? 0) >= (best.created ?? 0) ? run : best),
      undefined,
    );
  if (newest) return newest;
  throw new PortolanError('NOT_FOUND', `Task ${taskId} of ${username} on ${portal.name} has no run yet.`, {
    portal: portal.name,
    hint: 'A run of a task is made by the portal when its time comes; name a task that has one.',
  });
}
