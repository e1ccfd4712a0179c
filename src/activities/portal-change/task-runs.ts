import type { IntendedWrite } from '../../model/run/policy';
import type { TaskAddress, TaskReport, TaskSpeaker } from '../../model/portal-change/task-run';
import {
  newestTaskRun,
  readTaskRun,
  requireFree,
  type TaskRun,
  updateTaskRun,
} from '../../portal/resources/tasks';
import { type ActivityDeps, openPortalRef } from '../deps';
import { writeOnce } from '../attempt/post-once';

interface WrittenTask {
  readonly task: Required<TaskAddress>;
  readonly report: TaskReport;
}

/**
 * Reads a portal task's run: the named one, or the newest. Throws NOT_FOUND, also if it already holds the status of
 * another night's run, and what the portal's policy refuses.
 */
export async function findTaskRun(
  { policy, portals }: ActivityDeps,
  task: TaskAddress & { readonly createdUntil?: number; readonly by?: TaskSpeaker },
): Promise<{ taskRunId: string; status: string | undefined; result: string | undefined }> {
  const portal = openPortalRef(portals, task);
  await policy.require(updateOf(task));
  const run = await newestTaskRun(portal, task);
  return { taskRunId: run.runId, status: run.status, result: run.result };
}

/**
 * Sets status and result of a portal task's run. Safe to repeat. Throws NOT_FOUND if another run has set its status
 * meanwhile.
 */
export async function writeTaskRun(
  { policy, portals }: ActivityDeps,
  { task, report, by }: WrittenTask & { readonly by?: TaskSpeaker },
): Promise<void> {
  const portal = openPortalRef(portals, task);
  const address = { ...task, runId: task.taskRunId };
  const read = () => readTaskRun(portal, address);
  await writeOnce({
    isThere: async () => saysSo(await read(), report),
    post: async (writing) => {
      await policy.require(updateOf(task));
      if (by) requireFree(portal, await read(), { ...task, by });
      await updateTaskRun(portal, { ...address, ...report }, writing);
    },
  });
}

/** Whether the task's run shows what was written. On portals that show no result, the status suffices. */
export async function checkTaskRun(
  { portals }: ActivityDeps,
  { task, report }: WrittenTask,
): Promise<boolean> {
  const address = { ...task, runId: task.taskRunId };
  return saysSo(await readTaskRun(openPortalRef(portals, task), address), report);
}

const updateOf = (task: TaskAddress): IntendedWrite => ({ writer: 'task-run', target: task });

const saysSo = (run: TaskRun, { status, result }: TaskReport): boolean =>
  run.status === status && (run.result ?? result) === result;
