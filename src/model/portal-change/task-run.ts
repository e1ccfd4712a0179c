/** Words for the run of a scheduled task. docs/reference/portal-interface.md, "Task runs" */
export const taskRunStatuses = [
  'scheduled',
  'executing',
  'succeeded',
  'skipped',
  'failed',
  'submitfailed',
] as const;
export type TaskRunStatus = (typeof taskRunStatuses)[number];

/** A scheduled task of a portal's user, and one of its runs; without one, the run that was created last. */
export interface TaskRef {
  /** Name of the portal in portolan.yaml. */
  readonly portal: string;
  readonly username: string;
  readonly taskId: string;
  readonly taskRunId?: string;
}

/** The same with `{base_url}` as the starter's configuration has it. */
export interface TaskAddress extends TaskRef {
  readonly url: string;
}

/** Who wants to say on a task how it goes, and so whose words may be replaced by it. */
export interface TaskSpeaker {
  /** The run, and the run it restarts; empty for a failed start. */
  readonly runIds: readonly string[];
  /** @format milliseconds since the epoch */
  readonly dueAt: number;
}

/** What the run of a task says. */
export interface TaskRunWord {
  readonly status: TaskRunStatus;
  readonly result: string;
}

/** `PORTAL/USER/TASK`, with `/RUN` for one that is not the newest; undefined for anything else. */
export function parseTaskRef(text: string): TaskRef | undefined {
  const parts = text.split('/');
  const [portal, username, taskId, taskRunId] = parts;
  if (parts.length > 4 || parts.some((part) => part.trim() === '')) return undefined;
  if (portal === undefined || username === undefined || taskId === undefined) return undefined;
  return { portal, username, taskId, taskRunId };
}

/** How a task is written where one is asked for. */
export const TASK_REF_FORM = 'PORTAL/USER/TASK or PORTAL/USER/TASK/TASK-RUN';
