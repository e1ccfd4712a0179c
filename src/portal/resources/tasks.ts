import { z } from 'zod';
import type { TaskRunStatus } from '../../model/portal-change/task-run';
import type { Portal } from '../client';
import { pagesOf } from '../http/page';
import { pathOf } from '../http/path';
import { flag, number, readableOf, requiredText, text } from '../http/reading';
import type { CallOptions } from '../http/request';

export interface TaskRunAddress {
  readonly username: string;
  readonly taskId: string;
  readonly runId: string;
}

/** docs/reference/portal-interface.md, "Task runs" */
export const task = z.looseObject({
  id: requiredText,
  title: text,
  type: text,
  itemId: text,
  userId: text,
  active: flag,
  taskState: text,
});
export type Task = z.infer<typeof task>;

export const taskRun = z.looseObject({
  runId: requiredText,
  status: text,
  result: text,
  created: number,
  modified: number,
  task: task.nullish().catch(undefined),
});
export type TaskRun = z.infer<typeof taskRun>;

const taskPage = z.looseObject({ tasks: readableOf(task), nextStart: number });

/** A user's scheduled tasks, page by page. docs/reference/portal-interface.md, "Task runs" */
export async function* taskPages(
  portal: Portal,
  username: string,
  options?: CallOptions,
): AsyncGenerator<Task[]> {
  const pages = pagesOf(
    {
      portal,
      operation: 'task.list',
      sizeOf: (page: z.infer<typeof taskPage>) => page.tasks.length,
      read: (page, o) =>
        portal.call(
          {
            operation: 'task.list',
            path: pathOf`community/users/${username}/tasks`,
            params: { ...page },
            schema: taskPage,
          },
          o,
        ),
    },
    options,
  );
  for await (const page of pages) yield page.tasks;
}

export const readTask = async (
  portal: Portal,
  { username, taskId }: Omit<TaskRunAddress, 'runId'>,
  options?: CallOptions,
): Promise<Task> =>
  portal.call(
    { operation: 'task.read', path: pathOf`community/users/${username}/tasks/${taskId}`, schema: task },
    options,
  );

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

const updated = z.looseObject({ success: flag, taskId: text, runId: text });

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
