import { z } from 'zod';
import type { TaskRunStatus } from '../../model/portal-change/task-run';
import type { Portal } from '../client';
import { optionalId, requiredId } from '../http/ids';
import { pathOf } from '../http/address';
import { flag, number, readableOf, text } from '../http/reading';
import type { CallOptions } from '../http/request';

export interface TaskRunAddress {
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
